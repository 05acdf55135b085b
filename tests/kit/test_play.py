"""`squarefield play`: a series of games; and `squarefield check`."""

import json
import os
import signal
import subprocess
from pathlib import Path
from zlib import crc32

import pytest

from engines.records.record import GameRecord, verify
from engines.rules.registry import RULESETS
from tests.engines.referee.children import bot
from tests.factories import random_record
from tests.kit.commands import PROCESS, Terminal, run, two_pids
from tournaments.kit.main import main
from tournaments.kit.series import schedule

pytestmark = pytest.mark.serial

# Without a sandbox: these tests are about the command, and must run on every machine.
PLAY = ["play", "--unsafe-local", "--time", "600", "squ"]


def play(*arguments, **options):
    return run(*PLAY, *arguments, "--size", 4, **options)


class Games:
    """In place of the processes that play: random games, which `luck` decides, given a job."""

    def __init__(self, setting, processes):
        self.setting = setting

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def play(self, jobs):
        for job in jobs:
            names = tuple(self.setting.bots[number].manifest.name for number in (job.first, 1 - job.first))
            yield job, self.game(job, names)

    def game(self, job, names):
        return random_record("squ", 4, names, crc32(repr((job.opening, job.first)).encode()), opening=job.opening)


class WonByTheFirst(Games):
    """Games that the first bot wins, all different."""

    def game(self, job, names):
        seed = 1000 * job.number
        while (record := random_record("squ", 4, names, seed, opening=job.opening)).result.winner != job.first:
            seed += 1
        return record


class CutShort(Games):
    """Three games, then Ctrl-C."""

    def play(self, jobs):
        for _, played in zip(range(3), super().play(jobs), strict=False):
            yield played
        raise KeyboardInterrupt


class TestASeries:
    def test_shows_its_results_after_ctrl_c(self, monkeypatch):
        monkeypatch.setattr("tournaments.kit.play.Pool", CutShort)
        status, out, _ = play("greedy", "random", "--games", 500, "--sprt=0,30", "--quiet")
        first, *_, alone, last = out.splitlines()
        assert status == 130
        assert first == "greedy against random, 3 games"
        assert alone == "1 game outside complete pairs: not counted in the Elo difference and the test"
        assert last.startswith("SPRT of 0 against 30 normalized Elo: undecided: interrupted, LLR ")

    @pytest.mark.slow
    def test_is_counted_and_recorded(self, tmp_path):
        cores = len(os.sched_getaffinity(0))
        status, out, err = play("greedy", "random", "--games", 4, "--concurrency", min(2, cores), "--seed", 1,
                                "--record-dir", tmp_path / "games")
        lines = out.splitlines()
        assert status == 0, err
        assert sorted(line.split(":")[0] for line in lines[1:5]) == ["game 1", "game 2", "game 3", "game 4"]
        assert lines[5] == "greedy against random, 4 games"
        assert lines[7].startswith("Elo difference ")
        records = [GameRecord.from_dict(json.loads((tmp_path / "games" / f"game-{number}.json").read_text()))
                   for number in (1, 2, 3, 4)]
        assert [record.seats[0].name for record in records] == ["greedy", "random", "greedy", "random"]
        for record in records:
            verify(record)
        won = sum(record.result.winner == number % 2 for number, record in enumerate(records))
        assert lines[6].startswith(f"{won} won, ")

    def test_ends_when_the_sprt_decides(self, monkeypatch):
        monkeypatch.setattr("tournaments.kit.play.Pool", WonByTheFirst)
        status, out, _ = play("greedy", "random", "--games", 500, "--sprt=0,100", "--quiet")
        first, *_, last = out.splitlines()
        assert status == 0
        assert int(first.split()[-2]) < 200
        assert last.startswith("SPRT of 0 against 100 normalized Elo: 100 accepted")

    def test_ends_undecided_when_deterministic_bots_only_repeat_games(self, monkeypatch):
        monkeypatch.setattr("tournaments.kit.play.Pool", Games)
        status, out, _ = play("greedy", "random", "--games", 500, "--sprt=0,30", "--quiet")
        first, *_, distinct, last = out.splitlines()
        assert status == 0
        assert int(first.split()[-2]) in range(62, 65)
        assert distinct.startswith("1 of 31 pairs of games distinct: ")
        assert last.startswith("SPRT of 0 against 30 normalized Elo: undecided: no new games, LLR ")

    @pytest.mark.slow
    def test_reports_forfeits(self, tmp_path):
        (tmp_path / "eve.py").write_text(bot(genmove="answer('\\x1b[31mz9')"))
        status, out, _ = play(tmp_path / "eve.py", "random", "--games", 2)
        assert status == 0
        assert "eve forfeited: 2 × illegal" in out
        assert "eve wrote: \\x1b[31mz9" in out
        assert "\x1b" not in out

    def test_has_names_for_a_bot_against_itself_and_updates_one_line_in_a_terminal(self, monkeypatch):
        monkeypatch.setattr("tournaments.kit.play.Pool", Games)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", "100")
        shown = play("random", "random", "--games", 2, output=Terminal)[1]
        assert "random (1st) against random (2nd)" in shown
        assert "\r\x1b[K[####################] 2/2" in shown
        assert "game 1" not in shown

    @pytest.mark.slow
    def test_stops_its_bots_on_ctrl_c(self, tmp_path):
        start = f"open({str(tmp_path / 'pids')!r}, 'a').write(str(os.getpid()) + ' ')"
        for name in ("ann", "bob"):
            (tmp_path / f"{name}.py").write_text(bot(start=start, genmove="time.sleep(60)"))
        with subprocess.Popen([*PROCESS, *PLAY, tmp_path / "ann.py", tmp_path / "bob.py", "--games", "2"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            pids = two_pids(tmp_path / "pids")
            process.send_signal(signal.SIGINT)
            _, err = process.communicate()
        assert process.returncode == 130
        assert "Traceback" not in err
        assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


class TestTheSchedule:
    def test_gives_both_bots_both_seats_of_each_opening(self):
        jobs = list(schedule(RULESETS["squ"], 8, 7, seed=5))
        assert [job.number for job in jobs] == [1, 2, 3, 4, 5, 6, 7]
        assert [job.first for job in jobs] == [0, 1, 0, 1, 0, 1, 0]
        assert [job.opening for job in jobs[::2]][:3] == [job.opening for job in jobs[1::2]]
        assert len({job.opening for job in jobs}) == 4

    def test_is_repeatable_with_the_same_seed(self):
        assert list(schedule(RULESETS["scware"], 9, 6, 3)) == list(schedule(RULESETS["scware"], 9, 6, 3))


class TestTheArguments:
    def test_are_refused_if_invalid(self, monkeypatch, tmp_path):
        monkeypatch.chdir(tmp_path)
        for arguments, why in (
            (["--games", "0"], "must be from 1"), (["--games", "many"], "invalid"),
            (["--games", "9", "--sprt", "10"], "must be two numbers"),
            (["--games", "9", "--sprt", "10,5"], "10 is not below 5"),
            (["--games", "9", "--sprt=nan,5"], "use -100 to 100"),
            (["--sprt=0,5"], "--sprt needs --games N, the maximum number of games"),
            (["--games", "2", "--record", "game.json"], "use --record-dir"),
            (["--games", "2", "--ponder"], "--opening and --ponder work for one game only"),
            (["--concurrency", "5000"], "each game needs its own"),
            (["--games", "2", "--size", "7"], "not on 7"),
        ):
            status, out, err = run(*PLAY, "random", "random", *arguments)
            assert (status, out, why in err) == (2, "", True), err
        assert not any(tmp_path.iterdir())

    def test_are_not_blamed_for_an_unwritable_directory(self, tmp_path, capsys):
        (tmp_path / "file").write_text("")
        assert main(["play", "squ", "random", "random", "--record-dir", str(tmp_path / "file" / "games")]) == 2
        assert "cannot write records" in capsys.readouterr().err


class TestWithoutBubblewrap:
    @pytest.mark.parametrize("command", [["play", "squ", "random", "random"],
                                         ["play", "squ", "random", "random", "--games", "2"], ["check", "random"]])
    def test_shows_the_command_to_install_it(self, command, monkeypatch, capsys, tmp_path):
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setattr("engines.sandbox.isolation.bubblewrap.PATH", str(tmp_path))
        assert main(command) == 2
        said = capsys.readouterr().err
        assert "apt-get install bubblewrap" in said
        assert "--unsafe-local" in said


class TestCheck:
    @pytest.mark.slow
    def test_passes_a_bot_that_plays(self, tmp_path):
        run("new", tmp_path / "mine")
        manifest = tmp_path / "mine/bot.toml"
        manifest.write_text(manifest.read_text() + 'rulesets = ["squ"]\n')
        status, out, _ = run("check", tmp_path / "mine", "--unsafe-local")
        assert (status, out.count("qualification game")) == (0, 2)
        assert out.endswith("Passed: a site would accept this bot.\n")

    def test_names_the_line_to_fix(self, tmp_path, capsys):
        (tmp_path / "bad.py").write_text("import sys\nprint('thinking')\n")
        assert main(["check", str(tmp_path / "bad.py"), "--unsafe-local"]) == 1
        assert "Failed. Handshake: protocol" in capsys.readouterr().out

    def test_explains_a_program_that_was_not_built(self, tmp_path, capsys):
        main(["new", str(tmp_path / "crab"), "--language", "rust"])
        assert main(["check", str(tmp_path / "crab"), "--unsafe-local"]) == 2
        assert "has no ./bot, which bot.toml runs: run `make` there first" in capsys.readouterr().err
