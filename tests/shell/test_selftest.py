"""`manage.py selftest`: skipped tests are counted, named, and refused in CI."""

import json
import os
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from tournaments.setup.bootstrap import second_tries, selftest

ROOT = Path(__file__).resolve().parents[2]

THREE_TESTS = """
import pytest

def test_runs(): pass

@pytest.mark.serial
@pytest.mark.skip(reason="needs a container engine")
def test_is_marked(): pass

def test_skips_itself(): pytest.skip("no gnugo")
"""


def skips_of(tmp_path: Path, *arguments: str) -> list[tuple[str, str]]:
    """Return the recorded skips after pytest ran the three tests above."""
    (tmp_path / "test_three.py").write_text(THREE_TESTS)
    book = tmp_path / "skips"
    inner = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "SQUAREFIELD_"))}
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:django", "-p", "tests.conftest", "-c", os.devnull,
         "--rootdir", str(tmp_path), *arguments, str(tmp_path / "test_three.py")],
        cwd=ROOT, env={**inner, "SQUAREFIELD_SKIPS": str(book)}, capture_output=True, check=True,
    )  # fmt: skip
    return selftest.read_skips(book)


class TestSkips:
    def test_are_recorded_with_their_reasons(self, tmp_path: Path) -> None:
        assert [(test.rpartition("::")[2], reason) for test, reason in skips_of(tmp_path)] == [
            ("test_is_marked", "needs a container engine"),
            ("test_skips_itself", "no gnugo"),
        ]

    def test_are_recorded_by_several_processes_too(self, tmp_path: Path) -> None:
        assert skips_of(tmp_path, "-n", "2", "--dist", "loadgroup") == skips_of(tmp_path)

    def test_are_listed_once_if_repeated(self, tmp_path: Path) -> None:
        book = tmp_path / "skips"
        book.write_text((json.dumps(["test_a", "why"]) + "\n") * 2)
        assert selftest.read_skips(book) == [("test_a", "why")]

    @pytest.mark.parametrize(("status", "passed", "skips"), [
        (0, True, []), (1, False, []), (selftest.CANNOT, True, [("containers", "needs a container engine")])])
    def test_include_a_part_that_this_machine_cannot_run(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, passed: bool, skips: list[tuple[str, str]],
    ) -> None:
        script, book = tmp_path / "run.py", tmp_path / "skips"
        script.write_text(f"raise SystemExit({status})")
        book.touch()
        monkeypatch.setitem(selftest.APART, "containers", (str(script), "needs a container engine"))
        assert selftest.apart("containers", selftest.parse(["--only", "containers"]), book) is passed
        assert selftest.read_skips(book) == skips

    def test_are_failures_in_ci_unless_unavoidable(self) -> None:
        skipped = [("test_a", "needs a container engine to run"), ("test_b", "no gnugo")]
        assert selftest.inexcusable(skipped) == ["test_b (skipped)"]


class TestParts:
    def test_are_all_run_by_default(self) -> None:
        assert selftest.parse([]).only == list(selftest.PARTS)

    def test_of_the_quick_run_need_no_servers(self) -> None:
        assert selftest.parse(["--quick"]).only == ["lint", "embedded"]

    def test_can_be_selected_with_arguments_for_pytest(self) -> None:
        options = selftest.parse(["--only", "servers", "--", "-k", "rating"])
        assert (options.only, options.pytest) == (["servers"], ["-k", "rating"])

    def test_of_the_faults_use_real_servers(self) -> None:
        options = selftest.parse(["--faults", "--only-fault", "redis-paused", "--seed", "7"])
        assert (options.only, options.seed) == (["servers"], 7)
        assert selftest.fault_tests(options.only_fault) == ["tests/faults", "-k", "[redis-paused]"]
        assert selftest.fault_tests(None) == ["tests/faults"]


FAILING_TESTS = """
from pathlib import Path

import pytest

def test_passes():
    with Path(__file__).with_name("passes").open("a") as runs:
        runs.write("once\\n")

@pytest.mark.serial
def test_passes_alone():
    before = Path(__file__).with_name("before")
    again = before.exists()
    before.touch()
    assert again

def test_fails(): assert not {fails}
"""


@pytest.fixture(autouse=True)
def in_its_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # pytest names tests relative to its working directory, which is the repository in `selftest`.
    monkeypatch.chdir(tmp_path)


def run_pytest(tmp_path: Path, *, fails: bool, tests: str = FAILING_TESTS, ci: str = "") -> bool:
    """Return whether these tests pass, first in two processes at a time."""
    (tmp_path / "test_four.py").write_text(tests.format(fails=fails))
    inner = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "SQUAREFIELD_"))}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:django", "-p", "tests.conftest", "-c", os.devnull,
               "--rootdir", str(tmp_path)]
    inner |= {"PYTHONPATH": str(ROOT), "CI": ci}
    return selftest.run_pytest(command, ["test_four.py"], ["-n", "2", "--dist", "loadgroup"], inner,
                               cache=tmp_path / "cache")


class TestSecondTry:
    def test_passes_a_test_that_failed_next_to_others_and_names_it(self, tmp_path: Path, capsys) -> None:
        assert run_pytest(tmp_path, fails=False)
        assert "second try: test_four.py::test_passes_alone" in capsys.readouterr().out

    def test_leaves_out_passed_tests(self, tmp_path: Path) -> None:
        assert run_pytest(tmp_path, fails=False)
        assert (tmp_path / "passes").read_text() == "once\n"

    def test_does_not_pass_a_test_that_also_fails_alone(self, tmp_path: Path, capsys) -> None:
        assert not run_pytest(tmp_path, fails=True)
        assert "second try" not in capsys.readouterr().out

    def test_is_not_made_if_many_tests_failed(self, tmp_path: Path) -> None:
        many = FAILING_TESTS + "".join(f"\ndef test_fails_{number}(): assert not {{fails}}" for number in range(8))
        assert not run_pytest(tmp_path, fails=True, tests=many)
        assert len(selftest.read_failures(tmp_path / "cache")) > selftest.MOST_TRIED_AGAIN

    def test_is_not_enough_in_ci(self, tmp_path: Path, capsys) -> None:
        assert not run_pytest(tmp_path, fails=False, ci="true")
        assert "Not excused: test_four.py::test_passes_alone: find and fix its cause" in capsys.readouterr().out

    def test_is_enough_in_ci_for_a_listed_test(self, tmp_path: Path) -> None:
        (tmp_path / "tests").mkdir()
        until = datetime.now(UTC).date() + timedelta(days=1)
        listed = f'["test_four.py::test_passes_alone"]\ncause = "it counts its runs"\nuntil = {until}\n'
        (tmp_path / second_tries.LIST).write_text(listed)
        assert run_pytest(tmp_path, fails=False, ci="true")

    @pytest.mark.parametrize(("entry", "objection"), [
        ("until = 2026-12-01", "needs a `cause`"),
        ('cause = "a busy machine"', "needs a `cause`"),
        ('cause = "a busy machine"\nuntil = 2026-11-22', "must be today"),
        ('cause = "a busy machine"\nuntil = 2027-01-23', "must be today"),
    ])  # fmt: skip
    def test_is_refused_without_a_cause_or_with_a_past_or_distant_day(
        self, tmp_path: Path, entry: str, objection: str
    ) -> None:
        book = tmp_path / "list.toml"
        book.write_text(f'["test_a"]\n{entry}\n')
        [said] = second_tries.inexcusable(["test_a"], date(2026, 11, 23), book)
        assert objection in said
