"""Pages about a module show its public names with their signatures, comments and examples."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from frontend.documents.docstrings import page, public

SOURCE = '''
"""Games of stones. See `play`.

The second paragraph.
"""

import enum
from dataclasses import dataclass
from random import Random

__all__ = ["LARGEST", "Colour", "Board", "Table", "play", "random"]

random = __import__("random")
# In cells.
LARGEST = 26


class Colour(enum.Enum):
    """A colour."""

    # Moves first.
    BLACK = "black"
    WHITE = "white"  # noqa: X1


@dataclass(frozen=True)
class Board:
    """A board of `size` rows."""

    size: int = 9
    _cells: int = 0

    @property
    def cells(self) -> int:
        """The number of cells."""
        return self.size ** 2

    @classmethod
    def parse(cls, text: str) -> "Board":
        """Return the board of a text. Raises ValueError."""
        return cls(int(text))

    def _hidden(self):
        return 0


class Table:
    """A table of boards."""

    def __init__(self, size: int) -> None:
        """Set up one board. `size` is in cells."""


def play(board: Board, first: str, second: str, /, *turns: str, seed: int | None = None,
         rng: Random | None = None, **more: str) -> int:
    """Return who wins.

    An example:

    >>> play(Board(3), "a",
    ...      "b")
    0

    Raises ValueError.
    """
    return 0
'''

PAGE = """\
# squarefield.stones

Games of stones. See `play`.

The second paragraph.

## LARGEST

```py
# In cells.
LARGEST = 26
```

## Colour

```py
class Colour(enum.Enum):
    # Moves first.
    BLACK = "black"
    WHITE = "white"
```

A colour.

## Board

```py
class Board:
    size: int = 9
```

A board of `size` rows.

### Board.cells

```py
@property
def cells() -> int
```

The number of cells.

### Board.parse

```py
@classmethod
def parse(text: str) -> Board
```

Return the board of a text. Raises ValueError.

## Table

```py
class Table:
    def __init__(size: int) -> None
```

A table of boards.

Set up one board. `size` is in cells.

## play

```py
def play(
    board: Board,
    first: str,
    second: str,
    /,
    *turns: str,
    seed: int | None = None,
    rng: Random | None = None,
    **more: str,
) -> int
```

Return who wins.

An example:

```pycon
>>> play(Board(3), "a",
...      "b")
0
```

Raises ValueError.
"""


@pytest.fixture
def module(tmp_path: Path) -> ModuleType:
    path = tmp_path / "stones_of_a_test.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    made = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    yield made
    del sys.modules[path.stem]


class TestAPage:
    def test_shows_names_signatures_comments_and_examples(self, module: ModuleType) -> None:
        assert page(module, "squarefield.stones") == PAGE

    def test_without_a_list_shows_only_the_names_of_its_own(self, module: ModuleType) -> None:
        del module.__all__
        assert [name for name, _ in public(module)] == ["Colour", "Board", "Table", "play"]
