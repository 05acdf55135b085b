"""`manage.py selftest`: skipped tests are counted, named, and refused in CI."""

import json
import os
import sys
from pathlib import Path

import pytest

from tournaments.setup.bootstrap import costs, needs, selftest

ROOT = Path(__file__).resolve().parents[2]

THREE_TESTS = """
import pytest

def test_runs(): pass

@pytest.mark.serial
@pytest.mark.skip(reason="needs a container engine")
def test_is_marked(): pass

def test_skips_itself(): pytest.skip("no gnugo")
"""


def run(tmp_path: Path, tests: str) -> costs.Books:
    """Return the books after two processes of pytest ran these tests."""
    (tmp_path / "test_three.py").write_text(tests)
    books = costs.Books(tmp_path)
    inner = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "SQUAREFIELD_"))}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "xdist", "-p", "tests.conftest", "-c", os.devnull, "-n", "2",
               "--dist", "loadgroup", "--rootdir", str(tmp_path), str(tmp_path / "test_three.py")]
    environment = {**inner, **books.variables, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    assert books.run("sqlite", command, environment) == 0
    return books


class TestSkips:
    @pytest.mark.slow
    def test_are_recorded_with_their_reasons(self, tmp_path: Path) -> None:
        skips = selftest.read_skips(run(tmp_path, THREE_TESTS).skips)
        assert [(test.rpartition("::")[2], reason) for test, reason in skips] == [
            ("test_is_marked", "needs a container engine"),
            ("test_skips_itself", "no gnugo"),
        ]

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
        monkeypatch.setitem(selftest.APART, "containers", (str(script), "needs a container engine"))
        assert selftest.apart("containers", selftest.parse(["--only", "containers"]), costs.Books(tmp_path)) is passed
        assert selftest.read_skips(book) == skips

    def test_are_failures_in_ci_unless_unavoidable(self) -> None:
        skipped = [("test_a", "needs a container engine to run"), ("test_b", "no gnugo")]
        assert selftest.inexcusable(skipped) == ["test_b (skipped)"]


class TestParts:
    def test_are_those_of_every_day_by_default(self) -> None:
        assert selftest.parse([]).only == ["lint", "sqlite", "servers", "realtime"]
        assert selftest.parse(["--all"]).only == list(selftest.PARTS)

    def test_of_the_quick_run_need_no_servers(self) -> None:
        assert selftest.parse(["--quick"]).only == ["lint", "sqlite"]

    def test_can_be_selected_with_arguments_for_pytest(self) -> None:
        options = selftest.parse(["--only", "servers", "--", "-k", "rating"])
        assert (options.only, options.pytest) == (["servers"], ["-k", "rating"])

    def test_of_the_faults_select_one_by_name(self) -> None:
        options = selftest.parse(["--only", "faults", "--only-fault", "redis-paused"])
        assert selftest.paths_of("faults", options) == ["tests/faults", "-k", "[redis-paused]"]

    def test_that_are_dear_run_again_after_their_files_changed(self, tmp_path: Path, monkeypatch) -> None:
        monkeypatch.setattr(needs, "ROOT", tmp_path)
        monkeypatch.setattr(needs, "PASSED", tmp_path / "passed.json")
        needs.PASSED.write_text("{}")
        (tmp_path / "Dockerfile").write_text("FROM scratch")
        for part in needs.DEPENDS:
            needs.store_passed(part)
        assert needs.changed() == []
        (tmp_path / "Dockerfile").write_text("FROM debian")
        assert needs.changed() == ["containers"]


class TestCosts:
    @pytest.mark.slow
    def test_are_counted_by_part_and_test_and_name_the_tests_that_need_a_mark(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(costs, "LIMIT_SECONDS", 0.012)
        books = run(tmp_path, DEAR_TESTS)
        assert list(books.too_dear()) == ["test_three.py::test_computes"]
        total, *dearest = books.summary()
        assert total.startswith("Processor seconds: ")
        assert "(sqlite " in total
        assert len(dearest) == 3


    def test_of_a_test_are_its_least(self, tmp_path: Path) -> None:
        books = costs.Books(tmp_path)
        lines = [json.dumps({"name": name, "slow": False, "seconds": seconds})
                 for name, seconds in [("test_a", 9), ("test_b", 7), ("test_a", 0.1), ("test_b", 8)]]
        (tmp_path / "costs").write_text("\n".join(lines))
        assert books.too_dear() == {"test_b": 7}


DEAR_TESTS = """
import time
import pytest

def compute():
    until = time.process_time() + 0.1
    while time.process_time() < until: pass

@pytest.fixture(scope="module")
def shared(): compute()

def test_computes(): compute()

@pytest.mark.slow
def test_may_compute(): compute()

def test_shares(shared): pass
"""
