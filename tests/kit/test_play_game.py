"""`squarefield play`: one game."""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from engines.records.record import GameRecord, verify
from engines.rules.openings import draw
from engines.rules.registry import find
from engines.sandbox.archives.unpack import pack
from tests.engines.referee.children import bot
from tests.kit.commands import PROCESS, Terminal, run, two_pids

pytestmark = pytest.mark.serial

# Without a sandbox: these tests are about the command, and must run on every machine.
PLAY = ["play", "--unsafe-local", "--time", "600+0.1"]
HEX = ["square-grid-hex", "--size", "3"]


@pytest.fixture
def bots(tmp_path):
    """Return a function that writes a bot of one Python file and returns its path."""
    def write(name, *args, **options):
        path = tmp_path / f"{name}.py"
        path.write_text(bot(*args, **options))
        return str(path)
    return write


@pytest.fixture
def pair(bots):
    return [bots("ann", ["a1", "a2", "a3"]), bots("bob", ["b1", "b2"])]


def play(*arguments, **options):
    return run(*PLAY, *arguments, **options)


class TestPlay:
    def test_shows_a_game_turn_by_turn_and_says_who_won(self, pair):
        status, out, err = play(*HEX, *pair)
        lines = out.splitlines()
        assert lines[0] == "Square Grid Hex, 3×3, 600+0.1 s: ann (black) against bob (white)"
        assert [line.split()[:3] for line in lines[1:-1]] == [
            ["1", "black", "a1"], ["2", "white", "b1"], ["3", "black", "a2"], ["4", "white", "b2"],
            ["5", "black", "a3"]]
        assert lines[-1] == "ann (black) won by connecting north and south after 5 plies"
        assert status == 0
        assert "unsafe-local" in err

    def test_replays_a_game_from_its_opening_and_seed(self, bots, tmp_path):
        path = tmp_path / "game.json"
        pair = bots("ann", ["a2", "a3"]), bots("bob", ["c2", "b1", "b3"])
        words = ("--opening", "A1", "--seed", "7", "--time", "60/turn", "--record", str(path))
        status, out, _ = play(*HEX, *pair, *words)
        assert status == 0
        assert out.splitlines()[1] == "opening: A1"
        assert out.splitlines()[2].split()[:3] == ["2", "white", "c2"]
        record = GameRecord.from_dict(json.loads(path.read_text()))
        assert (record.opening, record.seed, str(record.time_control)) == (("a1",), 7, "60/turn")

    def test_draws_an_opening_if_only_a_seed_is_given(self, tmp_path):
        path = tmp_path / "game.json"
        assert play("squ", "random", "random", "--size", "6", "--quiet", "--seed", "7", "--record", str(path))[0] == 0
        record = GameRecord.from_dict(json.loads(path.read_text()))
        assert record.opening == draw(find("squ"), 6, 7)

    def test_refuses_an_invalid_opening(self, pair):
        status, _, err = play(*HEX, *pair, "--opening", "z9")
        assert (status, "the turn 'z9' of the opening cannot be played" in err) == (2, True)

    def test_can_be_quiet(self, pair):
        assert play(*HEX, *pair, "--quiet")[:2] == (0, "ann (black) won by connecting north and south after 5 plies\n")

    def test_lets_reference_bots_play_by_name(self, tmp_path):
        path = tmp_path / "game.json"
        status, out, err = play("scware", "random", "greedy", "--size", "4", "--quiet", "--record", str(path))
        assert (status, out.count("\n")) == (0, 1), err
        record = GameRecord.from_dict(json.loads(path.read_text()))
        assert [seat.name for seat in record.seats] == ["random", "greedy"]
        assert (record.fault, record.tier, verify(record).slug) == (None, "unsafe-local", "scware")

    def test_redraws_the_board_in_a_terminal(self, pair, monkeypatch):
        monkeypatch.setenv("TERM", "xterm")
        pictures = play(*HEX, *pair, output=Terminal)[1].split("\x1b[H\x1b[J")
        assert len(pictures) == 6
        assert " 3 X . . 3\n 2 X O . 2\n 1 X O . 1\n" in pictures[-1]
        assert "X ann (black)   O bob (white)" in pictures[-1]
        assert pictures[-1].endswith("ann (black) won by connecting north and south after 5 plies\n")


class TestARecord:
    def test_is_saved(self, pair, tmp_path):
        path = tmp_path / "game.json"
        path.write_text("an older one")
        assert play(*HEX, *pair, "--record", str(path), "--time", "60+0.5")[0] == 0
        record = GameRecord.from_dict(json.loads(path.read_text()))
        verify(record)
        assert str(record.time_control) == "60+0.5"

    @pytest.mark.parametrize("place", ["missing/game.json", "."])
    def test_that_cannot_be_written_is_refused_before_the_game(self, pair, tmp_path, place):
        status, out, err = play(*HEX, *pair, "--record", str(tmp_path / place))
        assert (status, out) == (2, "")
        assert "cannot write the record" in err

    def test_is_not_overwritten_if_there_is_no_game(self, tmp_path):
        path = tmp_path / "game.json"
        path.write_text("an older one")
        assert play(*HEX, "nobody", "random", "--record", str(path))[0] == 2
        assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("game.json", "an older one")]


class TestABot:
    def test_may_be_a_directory(self, pair, tmp_path):
        directory = tmp_path / "carla"
        directory.mkdir()
        (directory / "main.py").write_text(bot(["a1", "a2", "a3"]))
        (directory / "bot.toml").write_text('name = "Carla"\ncommand = ["python3", "main.py"]\n')
        assert "Carla (black) won" in play(*HEX, str(directory), pair[1])[1]

    def test_may_be_an_archive(self, pair, tmp_path):
        directory = tmp_path / "carla"
        directory.mkdir()
        (directory / "main.py").write_text(bot(["a1", "a2", "a3"]))
        (directory / "bot.toml").write_text('name = "Carla"\ncommand = ["python3", "main.py"]\n')
        (tmp_path / "carla.zip").write_bytes(pack(directory))
        assert "Carla (black) won" in play(*HEX, tmp_path / "carla.zip", pair[1])[1]

    def test_that_forfeits_is_reported_with_the_reason(self, bots, pair):
        loser = bots("eve", start="sys.stderr.write('\\x1b[2Jthinking\\n'); sys.stderr.flush()",
                     genmove="answer('\\x1b[31mz9\\u202e')")
        status, out, err = play(*HEX, pair[0], loser)
        assert status == 0
        assert "ann (black) won by forfeit: eve (white) played an illegal turn at turn 2" in out
        assert "eve wrote: \\x1b[31mz9\\u202e" in out
        assert "stderr: \\x1b[2Jthinking" in err
        assert "\x1b" not in out + err

    def test_that_cannot_be_loaded_is_refused_with_a_reason(self, tmp_path, monkeypatch):
        (tmp_path / "here").mkdir()
        monkeypatch.chdir(tmp_path / "here")
        for name, why in (("greddy", "neither a reference bot (random, greedy, "),
                          ("greddy", "; did you mean greedy?"), ("/dev/null", "not a .zip"), ("..", "bot.toml")):
            status, out, err = play(*HEX, name, "random")
            assert (status, out) == (2, "")
            assert err.startswith("no game played: ")
            assert why in err

    def test_that_does_not_play_the_ruleset_is_refused(self, pair, tmp_path):
        (tmp_path / "bot.toml").write_text('name = "A"\ncommand = ["python3", "ann.py"]\nrulesets = ["squ"]\n')
        assert "does not play square-grid-hex; it plays squ" in play(*HEX, str(tmp_path), pair[1])[2]


class TestTheArguments:
    def test_are_refused_if_invalid(self):
        for arguments, why in ((["chess"], "invalid choice: 'chess'"), (["squ", "--size", "7"], "not on 7"),
                               (["squ", "--time", "soon"], "a time control must be"),
                               (["squ", "--seed", "-1"], "the seed must be from 0 to 2^63 - 1")):
            status, out, err = play(*arguments, "random", "random")
            assert (status, out, why in err) == (2, "", True)


class TestCtrlC:
    @pytest.mark.slow
    def test_ends_the_bots_and_leaves_no_record(self, bots, tmp_path):
        start = f"open({str(tmp_path / 'pids')!r}, 'a').write(str(os.getpid()) + ' ')"
        idle = [bots(name, start=start, genmove="time.sleep(60)") for name in ("ann", "bob")]
        record = tmp_path / "game.json"
        with subprocess.Popen([*PROCESS, *PLAY, *HEX, *idle, "--record", record], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as process:
            pids = two_pids(tmp_path / "pids")
            process.send_signal(signal.SIGINT)
            _, err = process.communicate()
        assert process.returncode == 130
        assert "Traceback" not in err
        assert not record.exists()
        assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
