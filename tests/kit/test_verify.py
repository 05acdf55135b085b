"""The kit's commands that need more than the rules, run from the files in its wheel with only Python installed.

tests/tournaments/events/test_bundles.py tests what `verify` finds, and tests/ratings/test_rate.py what `rate` prints.
"""

import json
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.factories import make_event, make_version, play_event
from tournaments.services.events.exports import event_bundle

ROOT = Path(__file__).resolve().parents[2]
# Prints at the end the modules imported from packages that the kit's wheel contains only in part.
RUN = """
import atexit, json, sys
sys.path.insert(0, sys.argv[1])
from tournaments.kit.main import main
atexit.register(lambda: print(json.dumps(sorted(
    name for name in sys.modules if name.split(".")[0] in ("ratings", "tournaments")))))
sys.exit(main(sys.argv[2:]))
"""
SETUPTOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
MODULES = {name.removesuffix(".__init__") for name in SETUPTOOLS["py-modules"]}
PACKAGES = SETUPTOOLS["packages"]["find"]["include"]
SERIES = ("play", "squ", "random", "random", "--size", "4", "--games", "2", "--sprt=0,30", "--unsafe-local")
# -S: installed packages cannot be imported.
BARE = ("-S", "-E")


def run(*command: str | Path, options: Sequence[str] = BARE) -> tuple[str, set[str]]:
    """Return a command's output and the modules that it imported."""
    done = subprocess.run([sys.executable, *options, "-c", RUN, ROOT, *command], capture_output=True, text=True,
                          check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    *said, modules = done.stdout.splitlines()
    return "\n".join(said), set(json.loads(modules))


@pytest.fixture
def bundle(db: None, tmp_path: Path) -> Path:
    event = play_event(make_event([make_version("Morphy"), make_version("Steinitz")], size=5))
    with event_bundle(event) as file:
        (tmp_path / "bundle.zip").write_bytes(file.read())
    return tmp_path / "bundle.zip"


@pytest.fixture
def results(bundle: Path) -> Path:
    """Return the results of the event in the bundle."""
    with ZipFile(bundle) as file:
        return Path(file.extract("results.csv", bundle.parent))


class TestVerify:
    def test_runs_without_any_package(self, bundle: Path) -> None:
        assert run("verify", bundle)[0].startswith("Autumn Round Robin verified: ")


class TestPlay:
    def test_tests_a_series_without_any_package(self) -> None:
        assert "SPRT of 0 against 30 normalized Elo: undecided, " in run(*SERIES)[0]


class TestRate:
    @pytest.mark.parametrize("model", ["elo", "glicko2"])
    def test_rates_an_events_results_without_any_package(self, results: Path, model: str) -> None:
        said = json.loads(run("rate", results, "--model", model)[0])
        assert said["model"] == model
        assert [player["games"] for player in said["players"]] == [said["games"]] * 2 == [2, 2]

    def test_names_the_packages_of_the_official_model(self, results: Path) -> None:
        done = subprocess.run([sys.executable, *BARE, "-c", RUN, ROOT, "rate", results], capture_output=True,
                              text=True, check=False, timeout=60)
        assert done.returncode == 2
        assert "pip install 'squarefield[rate]'" in done.stderr
        assert done.stdout.startswith("[")  # the list of modules that RUN prints


def is_in_a_package(module: str) -> bool:
    return any(fnmatch(module, package) or fnmatch(module.rpartition(".")[0], package) for package in PACKAGES)


class TestTheWheel:
    def test_contains_exactly_the_modules_that_the_commands_import(self, bundle: Path, results: Path) -> None:
        taken = run("verify", bundle)[1] | run("rate", results, "--model", "elo")[1]
        taken |= run("rate", results, options=())[1] | run(*SERIES)[1]
        assert {name for name in taken - MODULES if not is_in_a_package(name)} == set()
        assert MODULES - taken == set()
