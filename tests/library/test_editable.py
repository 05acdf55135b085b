"""An editable install: `pip install -e .` lets Python import the package from the checkout."""

from pathlib import Path

import pytest

from engines.version import VERSION
from tests.library.conftest import Installed
from tournaments.setup.packaging.backend import CHECKOUT

USE = """
import pickle, squarefield
from squarefield import records, referee
first = lambda position: next(position.legal_turns())
record = referee.play("squ", first, first, size=4)
assert records.verify(record).outcome
assert pickle.loads(pickle.dumps(record)) == record
from squarefield._core.engines.layout import package_files
print(squarefield.__file__, len(package_files()) > 100, "engines" in __import__("sys").modules)
"""


@pytest.mark.serial
@pytest.mark.slow
def test_imports_the_package_from_the_checkout(tmp_path: Path) -> None:
    editable = Installed(tmp_path, "--editable")
    assert not (editable.packages / "squarefield").exists()
    said = editable.run("-c", USE).stdout.split()
    assert said == [str(CHECKOUT / "tournaments/library/__init__.py"), "True", "False"]
    assert editable.run(editable.place / "bin" / "squarefield", "--version").stdout == f"squarefield {VERSION}\n"
    played = editable.run("-m", "squarefield", "play", "squ", "random", "greedy", "--size", "4", "--quiet",
                          "--unsafe-local").stdout
    assert "random" in played or "greedy" in played
