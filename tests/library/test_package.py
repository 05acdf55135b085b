"""The library's API, as users have it."""

import re
import subprocess
import sys
from email import message_from_string
from pathlib import Path
from shutil import copyfile

import pytest
from packaging.metadata import Metadata

from engines.bots import REFERENCE_BOTS
from engines.version import VERSION
from tests.library.conftest import Installed
from tournaments.setup.packaging.backend import CHECKOUT

pytestmark = pytest.mark.serial
PUBLIC = ("squarefield", *(f"squarefield.{name}" for name in ("ratings", "records", "referee", "rulesets", "sdk")))
IMPORT_ALL = """
import importlib, pkgutil, squarefield
missing = set()
for module in pkgutil.walk_packages(squarefield.__path__, "squarefield.", onerror=lambda name: None):
    if "__main__" not in module.name and not module.name.startswith(("squarefield._core.engines.sandbox.seccomp.gen",
                                                                     "squarefield._core.tournaments.kit.templates.")):
        try:
            importlib.import_module(module.name)
        except ImportError as error:
            named = "needs" in str(error) or isinstance(error, ModuleNotFoundError)
            missing.add(str(error) if not named else "an extra")
print(*sorted(missing))
"""
NAMES = """
import pickle, sys, squarefield
from importlib import import_module
wrong = []
for place in sys.argv[1:]:
    module = import_module(place)
    for name in module.__all__:
        value = getattr(module, name)
        if isinstance(value, type) and (not value.__module__.startswith("squarefield") or "._" in value.__module__
                                        or getattr(import_module(value.__module__), value.__name__) is not value):
            wrong.append(name)
for slug in squarefield.rulesets.slugs():
    position = squarefield.start(slug)
    pickled = pickle.dumps(position)
    if b"_core" in pickled or pickle.loads(pickled) != position:
        wrong.append(slug)
print(*wrong)
squarefield.start("squ").play("a1,b1")
"""
TYPED = """
import squarefield
from squarefield import Position, Turn, ratings, records, referee, rulesets

def first(position: Position) -> Turn:
    return next(position.legal_turns())

record = referee.play("squ", first, lambda position: "a1", size=rulesets.sizes("squ")[0], time="5+0.1")
last: Position = records.verify(record).play("a2")
text: str = last.text() + last.svg() + squarefield.__version__
table = ratings.fit(ratings.results([record]))
elo: float = table.players[0].rating + ratings.interval(wins=1).low
state: str = ratings.sprt([0, 0, 1, 0, 0], elo0=0, elo1=10).state
squarefield.start("squ", "8")
"""


def examined(installed: Installed, *arguments: str | Path) -> str:
    """Return what this environment's Python prints with the library; it has numpy, which some examples need."""
    return subprocess.run([sys.executable, *arguments], env={"PYTHONPATH": str(installed.packages)},
                          cwd=installed.place, stdout=subprocess.PIPE, text=True, check=False, timeout=600).stdout


class TestThePackage:
    def test_is_all_that_lies_at_the_top(self, installed: Installed) -> None:
        names = {path.name for path in installed.packages.iterdir()}
        assert names == {"squarefield", f"squarefield-{VERSION}.dist-info"}

    @pytest.mark.slow
    def test_can_be_imported_without_any_other_package(self, installed: Installed) -> None:
        assert installed.run("-c", IMPORT_ALL).stdout.strip() in {"", "an extra"}
        assert examined(installed, "-c", IMPORT_ALL).strip() in {"", "an extra"}
        said = installed.run("-c", "import squarefield, sys; print(squarefield.__version__, 'inspect' in sys.modules)")
        assert said.stdout.split() == [VERSION, "False"]

    def test_names_the_extra_that_is_missing(self, installed: Installed) -> None:
        done = installed.run("-c", "import squarefield; squarefield.ratings.fit([])", status=1)
        assert "needs numpy and scipy: pip install numpy scipy" in done.stderr

    def test_names_its_public_modules_in_pickles_and_tracebacks(self, installed: Installed) -> None:
        done = installed.run("-c", NAMES, *PUBLIC, status=1)
        assert done.stdout.strip() == ""
        assert done.stderr.splitlines()[-1].startswith("squarefield.IllegalTurn: this turn places one disc, not 2")

    def test_has_valid_metadata(self, installed: Installed) -> None:
        text = (installed.packages / f"squarefield-{VERSION}.dist-info" / "METADATA").read_text(encoding="utf-8")
        metadata = Metadata.from_email(text, validate=True)
        assert not [each for each in metadata.requires_dist or () if each.marker is None]
        assert set(metadata.provides_extra or ()) == {"rate", "env", "native"}
        assert message_from_string(text)["License-Expression"] == "Apache-2.0"


@pytest.mark.slow
class TestTheExamples:
    @pytest.mark.parametrize("module", PUBLIC)
    def test_of_a_module_print_what_it_shows(self, installed: Installed, module: str) -> None:
        said = examined(installed, "-c", f"import {module} as it, doctest; print(*doctest.testmod(it))")
        failed, attempted = map(int, said.splitlines()[-1].split())
        assert (failed, attempted > 2) == (0, True), said

    def test_of_the_readme_run(self, installed: Installed, tmp_path: Path) -> None:
        blocks = re.findall(r"```python\n(.*?)```", (CHECKOUT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
        (tmp_path / "readme.txt").write_text("\n".join(blocks), encoding="utf-8")
        assert blocks
        assert examined(installed, "-m", "doctest", tmp_path / "readme.txt") == ""


@pytest.mark.slow
class TestTypes:
    def test_of_a_users_program_and_of_our_bots_are_checked(self, installed: Installed, tmp_path: Path) -> None:
        (tmp_path / "user.py").write_text(TYPED)
        for name, directory in REFERENCE_BOTS.items():
            for path in directory.glob("*.py"):
                copyfile(path, tmp_path / f"{name.replace('-', '_')}_bot.py")
        starter = (CHECKOUT / "tournaments/kit/templates/python/bot.py").read_text(encoding="utf-8")
        (tmp_path / "starter.py").write_text(starter)
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--python-executable", installed.python, *tmp_path.glob("*.py")],
            cwd=tmp_path, capture_output=True, text=True, check=False, timeout=600)
        last = len(TYPED.splitlines())
        assert re.findall(r"^(\w+)\.py:(\d+): error: .*\[(.*)\]", done.stdout, re.MULTILINE) == [
            ("user", str(last), "arg-type")], done.stdout
