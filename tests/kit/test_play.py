import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engines.records.record import GameRecord, verify
from engines.rules.registry import RULESETS
from tests.engines.referee.children import bot
from tournaments.kit.main import main
from tournaments.kit.series import schedule

pytestmark = pytest.mark.serial

COMMAND = [sys.executable, "-m", "tournaments.kit.main"]
# Without a sandbox: these tests are about the command, and must run on every machine.
PLAY = [*COMMAND, "play", "--unsafe-local"]


def play(*arguments, **options):
    done = subprocess.run([*PLAY, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False,
                          **options)
    return done.returncode, done.stdout, done.stderr


class TestASeries:
    def test_is_counted_and_recorded(self, tmp_path):
        cores = len(os.sched_getaffinity(0))
        status, out, err = play("squ", "greedy", "random", "--games", 4, "--size", 4, "--concurrency", min(2, cores),
                                "--record-dir", tmp_path / "games", "--seed", 1)
        lines = out.splitlines()
        assert status == 0, err
        assert sorted(line.split(":")[0] for line in lines[1:5]) == ["game 1", "game 2", "game 3", "game 4"]
        assert lines[5] == "greedy against random, 4 games"
        assert lines[7].startswith("score ")
        assert lines[8].startswith("Elo difference ")
        records = [GameRecord.from_dict(json.loads((tmp_path / "games" / f"game-{number}.json").read_text()))
                   for number in (1, 2, 3, 4)]
        assert [record.seats[0].name for record in records] == ["greedy", "random", "greedy", "random"]
        for record in records:
            verify(record)
        won = sum(record.result.winner == number % 2 for number, record in enumerate(records))
        assert lines[6].startswith(f"{won} won, ")

    def test_ends_when_the_sprt_decides(self):
        status, out, _ = play("square-grid-hex", "greedy", "random", "--games", 500, "--size", 6, "--sprt=0,100",
                              "--quiet")
        first, *_, last = out.splitlines()
        assert status == 0
        assert int(first.split()[-2]) < 200
        assert last.startswith("SPRT of 0 against 100 normalized Elo: 100 accepted")

    def test_ends_undecided_when_deterministic_bots_only_repeat_games(self, tmp_path):
        for name in ("ann", "bob"):
            (tmp_path / f"{name}.py").write_text(bot(genmove="answer('resign')"))
        status, out, _ = play("squ", tmp_path / "ann.py", tmp_path / "bob.py", "--games", 500, "--size", 4,
                              "--sprt=0,30", "--quiet")
        first, *_, distinct, last = out.splitlines()
        assert status == 0
        assert int(first.split()[-2]) in range(62, 65)
        assert distinct.startswith("1 of 31 pairs of games distinct: ")
        assert last.startswith("SPRT of 0 against 30 normalized Elo: undecided: no new games, LLR ")

    def test_reports_forfeits(self, tmp_path):
        (tmp_path / "eve.py").write_text(bot(genmove="answer('\\x1b[31mz9')"))
        status, out, _ = play("squ", tmp_path / "eve.py", "random", "--games", 2, "--size", 4)
        assert status == 0
        assert "eve forfeited: 2 × illegal" in out
        assert "eve wrote: \\x1b[31mz9" in out
        assert "\x1b" not in out

    def test_has_names_for_a_bot_against_itself(self):
        assert "random (1st) against random (2nd)" in play("squ", "random", "random", "--games", 2, "--size", 4)[1]

    def test_updates_one_line_in_a_terminal(self):
        ours, theirs = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", "PYTHONIOENCODING": "utf-8", "COLUMNS": "100"}
        with subprocess.Popen([*PLAY, "squ", "random", "random", "--games", "2", "--size", "4"], stdout=theirs,
                              stderr=subprocess.DEVNULL, env=environment) as process:
            os.close(theirs)
            shown = b""
            try:
                while data := os.read(ours, 65536):
                    shown += data
            except OSError:  # the terminal has no more writers
                pass
            assert process.wait(60) == 0
        os.close(ours)
        assert b"\r\x1b[K[####################] 2/2" in shown
        assert b"game 1" not in shown

    def test_stops_its_bots_on_ctrl_c(self, tmp_path):
        pids = tmp_path / "pids"
        start = f"open({str(pids)!r}, 'a').write(str(os.getpid()) + ' ')"
        for name in ("ann", "bob"):
            (tmp_path / f"{name}.py").write_text(bot(start=start, genmove="time.sleep(60)"))
        with subprocess.Popen([*PLAY, "squ", tmp_path / "ann.py", tmp_path / "bob.py", "--games", "2", "--time", "90"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            while not pids.exists() or len(pids.read_text().split()) < 2:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "Traceback" not in err
        assert not any(Path(f"/proc/{pid}").exists() for pid in pids.read_text().split())


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
    @pytest.mark.parametrize(("arguments", "why"), [
        (["--games", "0"], "must be from 1"),
        (["--games", "many"], "invalid"),
        (["--games", "9", "--sprt", "10"], "must be two numbers"),
        (["--games", "9", "--sprt", "10,5"], "10 is not below 5"),
        (["--games", "9", "--sprt=0,inf"], "use -100 to 100"),
        (["--games", "9", "--sprt=nan,5"], "use -100 to 100"),
        (["--sprt=0,5"], "--sprt needs --games N, the maximum number of games"),
        (["--games", "2", "--record", "game.json"], "use --record-dir"),
        (["--concurrency", "5000"], "each game needs its own"),
        (["--games", "2", "--size", "7"], "not on 7"),
    ])
    def test_are_refused_if_invalid(self, arguments, why, capsys, monkeypatch, tmp_path):
        monkeypatch.chdir(tmp_path)
        try:
            status = main(["play", "squ", "random", "random", *arguments])
        except SystemExit as leaving:
            status = leaving.code
        said = capsys.readouterr()
        assert (status, said.out, why in said.err) == (2, "", True), said.err
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
    def test_passes_a_bot_that_plays(self, capsys):
        assert main(["check", "random", "--unsafe-local"]) == 0
        out = capsys.readouterr().out
        assert out.count("qualification game") == 10
        assert out.endswith("Passed: a site would accept this bot.\n")

    def test_names_the_line_to_fix(self, tmp_path, capsys):
        (tmp_path / "bad.py").write_text("import sys\nprint('thinking')\n")
        assert main(["check", str(tmp_path / "bad.py"), "--unsafe-local"]) == 1
        assert "Failed. Handshake: protocol" in capsys.readouterr().out

    def test_explains_a_program_that_was_not_built(self, tmp_path, capsys):
        main(["new", str(tmp_path / "crab"), "--language", "rust"])
        assert main(["check", str(tmp_path / "crab"), "--unsafe-local"]) == 2
        assert "has no ./bot, which bot.toml runs: run `make` there first" in capsys.readouterr().err
