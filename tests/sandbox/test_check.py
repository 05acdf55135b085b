"""The check of a submission with real builds, real bots and this machine's sandbox."""

import io
import shutil
import tarfile

import pytest

from engines.check import Stage, Step, check_submission
from engines.manifest import ManifestRefused
from engines.rules.registry import RULESETS
from engines.sandbox import Sandbox

pytestmark = pytest.mark.serial


RANDOM = """
import sys
from random import Random
from engines.sdk import Bot, run


class RandomBot(Bot):
    name = "any turn"
    rng = Random(5)

    def choose(self, position, clock):
        return position.random_turn(self.rng)

run(RandomBot())
"""
# A bot in C that lets Python play, in place of a static program.
WRAPPER = """
#include <unistd.h>
int main(void) { return execlp("python3", "python3", "-S", "main.py", (char *) 0); }
"""
LOST_ON_SEAT_1 = RANDOM.replace("        return", """        if position.seat_to_move == 1:
            print("I am lost", file=sys.stderr)
            raise SystemExit(3)
        return""")


def archive(files: dict[str, str], run: str = '["python3", "-S", "main.py"]', **keys: str) -> bytes:
    lines = {"name": '"Otter"', "run": run, **keys}
    manifest = "".join(f"{key} = {value}\n" for key, value in lines.items())
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, text in {"bot.toml": manifest, **files}.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(text.encode()), 0o755
            tar.addfile(info, io.BytesIO(text.encode()))
    return packed.getvalue()


def names(steps: list[Step]) -> list[str]:
    return [step.name for step in steps]


@pytest.fixture
def check(opened: Sandbox):
    """Return a function that checks an archive and returns the verdict and the completed steps."""

    def check(content: bytes, **options):
        told: list[Step] = []
        verdict = check_submission(content, opened, on_step=told.append, **options)
        begun, over = told[::2], told[1::2]
        assert all(step.passed is None for step in begun)
        assert names(begun) == names(over)
        return verdict, over

    return check


class TestAPassingSubmission:
    @pytest.mark.slow
    def test_plays_two_games_in_each_of_its_rulesets_with_swapped_seats(self, check):
        verdict, steps = check(archive({"main.py": RANDOM}))
        assert verdict.passed
        assert names(steps[:4]) == ["unpack", "manifest", "build", "handshake"]
        assert [(game.ruleset, [seat.name for seat in game.seats].index("Otter")) for game in verdict.games] == [
            (slug, seat) for slug in RULESETS for seat in (0, 1)]
        assert steps[-1].name.startswith("qualification game 10 of 10, SquareSquared 6×6")
        assert all(step.passed for step in steps)

    @pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
    def test_is_built_from_c(self, check):
        makefile = "bot: bot.c\n\tgcc -O2 -Wall -o bot bot.c\n\t@echo built with care >&2\n"
        verdict, _ = check(archive({"Makefile": makefile, "bot.c": WRAPPER, "main.py": RANDOM}, run='"./bot"',
                                   build='"make"', rulesets='["squ"]'))
        assert verdict.passed, verdict.failure
        assert "gcc -O2 -Wall -o bot bot.c" in verdict.log
        assert "built with care" in verdict.log

    def test_runs_elsewhere_from_its_built_files(self, check, opened):
        source = archive({"main.py": RANDOM}, run='["python3", "-S", "made/main.py"]', rulesets='["squ"]',
                         build='"sh -c \'mkdir -p made/.hidden && mv main.py made && echo > bot.toml\'"')
        verdict, _ = check(source)
        assert verdict.passed, verdict.failure
        artefact = opened.runtime.artefact(verdict.build)
        assert artefact == opened.runtime.artefact(verdict.build)
        moved = opened.runtime.stage_built(artefact)
        assert moved.manifest == verdict.manifest
        assert (moved.path / "made" / "main.py").read_text() == RANDOM
        assert moved == opened.runtime.staged_built(moved.sha256)
        assert opened.runtime.staged(moved.sha256) is None


class TestAFailingSubmission:
    def fails(self, outcome, stage: Stage) -> str:
        verdict, steps = outcome
        assert not verdict.passed
        assert verdict.failure.stage is steps[-1].stage is stage
        assert [step.passed for step in steps] == [True] * (len(steps) - 1) + [False]
        return str(verdict.failure)

    def test_is_too_large(self, check):
        assert self.fails(check(b"x" * 101, largest=100), Stage.UNPACK) == (
            "Unpack: the archive has 101 bytes; at most 100 are allowed")

    def test_has_an_invalid_manifest(self, check):
        outcome = check(archive({}, run='"a\'"'))
        assert "close every quotation mark" in self.fails(outcome, Stage.MANIFEST)
        assert outcome[0].failure.line == "bot.toml:2: run = \"a'\""

    @pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
    def test_does_not_compile(self, check):
        outcome = check(archive({"bot.c": "int main(void) { return x; }\n"}, build='"gcc -o bot bot.c"'))
        assert self.fails(outcome, Stage.BUILD) == "Build: the build command ended with status 1"
        failure = outcome[0].failure
        assert failure.line.startswith("bot.c:1:25: error: ‘x’ undeclared")
        assert failure.line in failure.log
        assert outcome[0].log == failure.log

    def test_is_refused_after_its_build(self, check, opened, monkeypatch):
        def refuse(*_, **__):
            raise ManifestRefused("no", "bot.toml:1: x")

        monkeypatch.setattr(type(opened.runtime), "stage", refuse)
        outcome = check(archive({"main.py": RANDOM}))
        assert self.fails(outcome, Stage.BUILD) == "Build: no"
        assert outcome[0].failure.line == "bot.toml:1: x"

    def test_does_not_start(self, check):
        outcome = check(archive({"main.py": "import nothing_of_the_kind\n"}))
        assert self.fails(outcome, Stage.HANDSHAKE).startswith("Handshake: crash: ")
        assert outcome[0].failure.line == (
            "/bot/main.py:1: ModuleNotFoundError: No module named 'nothing_of_the_kind'")
        assert "Traceback" in outcome[0].failure.log

    def test_crashes_in_its_second_game(self, check):
        outcome = check(archive({"main.py": LOST_ON_SEAT_1}, rulesets='["squ"]'))
        said = self.fails(outcome, Stage.GAME)
        assert said.startswith("Qualification game 2 of 2, SQU 6×6, ply 2: crash: ")
        assert len(outcome[0].games) == 2
        assert "I am lost" in outcome[0].failure.log

    def test_names_the_tool_that_this_machine_lacks(self, check, monkeypatch):
        monkeypatch.setattr("engines.sandbox.staging.tools.PATH", "/nowhere")
        outcome = check(archive({"main.py": RANDOM}, build='"sh -c \'echo sh: 1: cmake: not found >&2; exit 127\'"'))
        assert self.fails(outcome, Stage.BUILD) == (
            "Build: the build command ended with status 127: this machine has no cmake; "
            "its operator can install it: apt-get install cmake")


class TestAborting:
    def test_raises_what_the_callbacks_raise_and_leaves_no_bot(self, check, opened):
        processes = []

        def give_up() -> None:
            raise InterruptedError

        with pytest.raises(InterruptedError):
            check(archive({"main.py": RANDOM}), on_turn=give_up, on_start=processes.append)
        assert len(processes) == 4
        assert all(process.exit_status() is not None for process in processes)

    def test_kills_a_build_if_its_log_is_no_longer_wanted(self, check, opened):
        def give_up(log: str) -> None:
            raise InterruptedError

        with pytest.raises(InterruptedError):
            check(archive({"main.py": RANDOM}, build='"sh -c \'echo begun; sleep 50\'"'), on_log=give_up)
        assert not [work for work in opened.runtime.root.joinpath("staging").iterdir() if work.is_dir()]


class TestProgress:
    def test_includes_the_build_log_so_far_and_then_all_of_it(self, check, monkeypatch):
        def go_on(log: str) -> None:
            logs.append(log)
            if logs.count("one\n") == 2:
                raise InterruptedError

        logs: list[str] = []
        monkeypatch.setattr("engines.sandbox.processes.collect.LOOK_SECONDS", 0.05)
        with pytest.raises(InterruptedError):
            check(archive({}, build='"sh -c \'echo one; sleep 60; echo two\'"'), on_log=go_on)
        assert {*logs} <= {"", "one\n"}
        verdict, _ = check(archive({}, build='"echo one"'), on_log=logs.append)
        assert verdict.log == logs[-1] == "one\n"

    def test_includes_each_game_before_its_step_is_over(self, check):
        told: list[object] = []
        verdict, steps = check(archive({"main.py": LOST_ON_SEAT_1}, rulesets='["squ"]'), on_game=told.append)
        assert tuple(told) == verdict.games
        assert [game.fault is None for game in told] == [True, False]
        assert len(steps) == 4 + 2
