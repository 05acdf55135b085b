"""The pages about the Python library are those that its docstrings give, and its examples are true."""

import doctest
import importlib.util
import inspect
import sys
from importlib import import_module
from pathlib import Path

import pytest

import tournaments.library
from frontend.documents.docstrings import members, page, public
from frontend.documents.library_reference import DIRECTORY, MODULES, pages

# What no module of the library has.
SOURCE = '''
"""Games of stones."""

from random import Random

# In cells.
LARGEST = 26  # noqa: X1


def play(board: str, /, *turns: str, seed: int | None = None, rng: "Random | None" = None, **more: str) -> int:
    """Return who wins."""


def _hidden():
    pass
'''
PAGE = """\
# squarefield.stones

Games of stones.

## play

```py
def play(
    board: str,
    /,
    *turns: str,
    seed: int | None = None,
    rng: Random | None = None,
    **more: str,
) -> int
```

Return who wins.
"""
WITH_LARGEST = """\
## LARGEST

```py
# In cells.
LARGEST = 26
```
"""


@pytest.fixture(autouse=True)
def squarefield(monkeypatch) -> None:
    """The package under the name that it has once it is installed."""
    monkeypatch.setitem(sys.modules, "squarefield", tournaments.library)


def with_examples() -> list[str]:
    """Return the names of the public modules, and of those that define their public names."""
    found = set(MODULES.values())
    for module in map(import_module, MODULES.values()):
        found |= {value.__module__ for _, value in public(module) if getattr(value, "__module__", None)}
    return sorted(name for name in found if name.split(".")[0] in {"engines", "ratings", "tournaments"})


class TestTheReference:
    @pytest.mark.slow
    def test_says_what_the_docstrings_say(self):
        written = {path.name: path.read_text(encoding="utf-8") for path in DIRECTORY.glob("*.md")}
        assert written == pages(), "run python3 manage.py library_reference"
        # The names are those of the installed package.
        for name, text in written.items():
            for place in ("engines.", "tournaments.", "from ratings"):
                assert place not in text, name


class TestThePublicNames:
    def test_have_docstrings(self):
        for module in map(import_module, MODULES.values()):
            assert module.__doc__
            for name, value in public(module):
                if isinstance(value, type):
                    assert value.__doc__, name
                    lacking = [method for method in members(value)
                               if not (getattr(value, method).__doc__ or inspect.getdoc(getattr(value, method)))]
                    assert lacking == [], name
                elif callable(value) and hasattr(value, "__code__"):
                    assert value.__doc__, name

    def test_have_true_examples(self):
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        failed = [name for name in with_examples() if doctest.testmod(import_module(name), optionflags=flags).failed]
        assert failed == []


def test_a_module_without_a_list_shows_what_it_defines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "stones_of_a_test.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, path.stem, module)
    spec.loader.exec_module(module)
    assert page(module, "squarefield.stones") == PAGE
    module.__all__ = ["LARGEST", "play"]
    assert WITH_LARGEST in page(module, "squarefield.stones")
