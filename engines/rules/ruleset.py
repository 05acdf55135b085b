"""The contract of a ruleset: one class of frozen positions.

A ruleset is a subclass of `Position`. Its class attributes are the facts about the game, its
instances are positions, and its methods answer what a player, a referee or a search would ask.
Rules know no clocks, crashes or bots. Registering it in `engines.rules.registry` is one line.

The contract covers games

- for two seats that take turns, seat 0 first; a player who cannot or need not move passes;
- of perfect information, without chance: a position and a turn determine the next position;
- on a square board of 2 to 19 cells a side, each cell empty or with one stone of one of two colours;
- whose turns place any number of stones, or are one of the words `pass` and `swap`; a turn may also recolour and
  remove any stones, as its rules say, and `resign` is always a turn;
- that end with a winner or a draw. What else the rules need to know, such as earlier boards, a position holds.

It excludes games with dice, cards, hidden information or simultaneous turns; with more or fewer than two seats; on
other boards (hexagons are played as neighbourhoods on a square grid); with several kinds of stones or stacks; turns
that move a stone from cell to cell; and results other than a win or a draw, such as scores that are added up.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, ClassVar, Literal, NamedTuple, Self

from engines.rules.errors import IllegalTurn, TurnError
from engines.rules.notation import PASS, RESIGN, SWAP, Turn, cell_name, format_turn, parse_turn
from engines.rules.outcome import Ending, Outcome

EMPTY = 0
Op = tuple[int, int | None]
SYMBOLS = ".12"


class SetupError(ValueError):
    """A position that cannot be set up: wrong size, wrong rows, an unknown character."""


@dataclass(frozen=True, slots=True)
class Steps:
    """What may come next while a turn is built stone by stone.

    `next`: every cell (or PASS, SWAP code) that can be added to the stones so far on the way to some
    legal turn, ascending. `may_end`: the stones so far are a legal turn as they stand.
    """

    next: tuple[int, ...]
    may_end: bool


class Note(NamedTuple):
    """What a replay says about a turn besides its stones, and the cells that count most from then on.

    The text is a word of `Position.phrases`, its number filled in. Four marked cells are the corners of a square,
    ascending, and are joined by a line.
    """

    text: str
    marked: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Position(ABC):
    """A position of one ruleset: a frozen value, equal to another with the same fields.

    `stones` has size² bytes, row by row from a1 (cell = row * size + column): 0 empty, 1 seat 0's
    stone, 2 seat 1's. `outcome` is None while the game goes on.
    """

    slug: ClassVar[str]
    # Which rules these are, from 1: raised by each change after which recorded games could be played or end otherwise.
    version: ClassVar[int]
    name: ClassVar[str]
    designer: ClassVar[str]
    summary: ClassVar[str]
    # Two of black, white, red and blue: what the seats are called and how their stones are drawn.
    colours: ClassVar[tuple[str, str]]
    sizes: ClassVar[Sequence[int]]
    default_size: ClassVar[int]
    # Whether stones stand in cells or on points, and whether seat 0 joins north–south, seat 1 west–east.
    drawn_on: ClassVar[Literal["cells", "points"]] = "cells"
    has_goal_sides: ClassVar[bool] = False
    # What the notes on turns say, a number in them as %(number)s; and what a caption says where stones are counted by
    # `areas`, the numbers as %(counts)s. In English: the catalogues of the site translate them.
    phrases: ClassVar[Sequence[str]] = ()
    caption: ClassVar[str] = ""
    # Whether a pass is no choice but what is left to a player without a legal turn.
    pass_is_forced: ClassVar[bool] = False
    # Whether the same stones are another turn when another of them comes first.
    first_stone_counts: ClassVar[bool] = False
    # Facts about a position that its rows cannot tell, each true or false: keyword arguments of `setup`.
    setup_facts: ClassVar[Sequence[str]] = ()
    # SGF's number of the game whose moves these turns are (1 for Go, 11 for Hex), or None where SGF has no such game.
    sgf_game: ClassVar[int | None] = None

    size: int
    stones: bytes
    seat_to_move: int = 0
    outcome: Outcome | None = None

    # --- where games start -------------------------------------------------------------------

    @classmethod
    def check_size(cls, size: int) -> None:
        """Raise SetupError when the ruleset is not played on boards of `size` cells a side."""
        if size not in cls.sizes:
            raise SetupError(f"{cls.name} is played on {cls._sizes_in_words()}, not on {size}")

    @classmethod
    def span(cls) -> range | None:
        """The sizes as a range of all or of the even numbers; None where they are none, or there is only one."""
        if len(cls.sizes) < 2:
            return None
        first, last, step = cls.sizes[0], cls.sizes[-1], cls.sizes[1] - cls.sizes[0]
        regular = step == 1 or (step == 2 and first % 2 == 0)
        return range(first, last + 1, step) if regular and [*cls.sizes] == [*range(first, last + 1, step)] else None

    @classmethod
    def _sizes_in_words(cls) -> str:
        span = cls.span()
        if span is None:
            return f"{'size' if len(cls.sizes) == 1 else 'sizes'} {', '.join(map(str, cls.sizes))}"
        return f"sizes {span[0]} to {span[-1]}{', even' if span.step == 2 else ''}"

    @classmethod
    def start(cls, size: int | None = None) -> Self:
        """The position before the first turn. Raises SetupError for a size that is not the ruleset's."""
        size = cls.default_size if size is None else size
        cls.check_size(size)
        return cls.empty(size)

    @classmethod
    def empty(cls, size: int) -> Self:
        """The empty board, also of a size that is not played: counting turns is quickest on tiny boards."""
        return cls(size=size, stones=bytes(size * size))

    @classmethod
    def setup(cls, rows: Sequence[str], seat_to_move: int = 0, **facts: Any) -> Self:
        """A position from its rows, north first, `.` empty, `1` seat 0, `2` seat 1. Raises SetupError.

        Whatever the rows cannot tell is one of `facts` (`setup_facts`), or is taken as at the start of a game; the
        rulesets say what that is.
        """
        if facts:
            raise SetupError(f"{cls.name} has no {' and '.join(facts)}")
        return cls._from_stones(*cls._read_rows(rows, seat_to_move))

    @classmethod
    @abstractmethod
    def _from_stones(cls, size: int, stones: bytes, seat_to_move: int) -> Self:
        """The position with these stones, its outcome found."""

    @classmethod
    def _read_rows(cls, rows: Sequence[str], seat_to_move: int) -> tuple[int, bytes, int]:
        size = len(rows)
        cls.check_size(size)
        if seat_to_move not in (0, 1):
            raise SetupError(f"the seat to move is 0 or 1, not {seat_to_move!r}")
        for number, row in zip(range(size, 0, -1), rows, strict=True):
            if len(row) != size or set(row) - set(SYMBOLS):
                raise SetupError(f"row {number} must be {size} characters of '.', '1' and '2', not {row!r}")
        return size, bytes(SYMBOLS.index(symbol) for row in reversed(rows) for symbol in row), seat_to_move

    # --- turns -------------------------------------------------------------------------------

    def parse(self, text: str) -> Turn:
        """The turn that a line names. Raises NotationError; says nothing of legality."""
        return parse_turn(text, self.size)

    def format(self, turn: Turn) -> str:
        """The line that names a turn, in the ruleset's own order of stones."""
        return format_turn(self.canonical(turn), self.size)

    def canonical(self, turn: Turn) -> Turn:
        """The same turn with its stones in the order in which it is written down."""
        return turn

    def check(self, turn: Turn) -> None:
        """Raise IllegalTurn, with the rule and the cells, unless the turn is legal here."""
        if self.outcome is not None:
            raise IllegalTurn("over", f"the game is over: {self.outcome.reason}")
        if not turn or turn[0] < 0:
            self._check_word(turn)
            return
        cells = len(self.stones)
        for cell in turn:
            # A negative index would count from the end of the board, and so name another cell.
            if not 0 <= cell < cells:
                raise self._off_board(turn)
        self._check_empty(turn)
        self._check_stones(turn)

    def _check_word(self, turn: Turn) -> None:
        if len(turn) != 1:
            raise IllegalTurn("empty", "a turn is a word or at least one cell")
        if turn[0] == SWAP:
            self._check_swap()
        elif turn[0] == PASS:
            self._check_pass()
        elif turn[0] != RESIGN:
            raise self._off_board(turn)

    def _check_swap(self) -> None:
        raise IllegalTurn("swap", f"{self.name} has no swap")

    def _check_pass(self) -> None:
        raise IllegalTurn("pass", f"{self.name} has no pass")

    def _check_empty(self, turn: Turn) -> None:
        """Raise IllegalTurn unless the cells are distinct and empty when their stones are placed."""
        taken = set()
        for cell in turn:
            if cell in taken:
                raise IllegalTurn("twice", f"{self._at(cell)} is named twice")
            if self.stones[cell] != EMPTY:
                raise IllegalTurn("occupied", f"{self._at(cell)} is not empty")
            taken.add(cell)

    def _off_board(self, turn: Turn) -> IllegalTurn:
        cells = len(self.stones)
        cell = next(cell for cell in turn if not 0 <= cell < cells)
        return IllegalTurn("off-board", f"the {self.size}×{self.size} board has cells 0 to {cells - 1}, not {cell}")

    @abstractmethod
    def _check_stones(self, turn: Turn) -> None:
        """Raise IllegalTurn unless these distinct empty cells are a legal turn."""

    def is_legal(self, turn: Turn) -> bool:
        """Whether `check` lets the turn pass."""
        try:
            self.check(turn)
        except TurnError:
            return False
        return True

    def play(self, turn: Turn) -> Self:
        """The position after a turn. Raises IllegalTurn."""
        self.check(turn)
        return self.after(turn)

    def after(self, turn: Turn) -> Self:
        """The position after a turn that is known to be legal; an illegal one gives nonsense."""
        if turn == (RESIGN,):
            return replace(self, seat_to_move=1 - self.seat_to_move,
                           outcome=Outcome(1 - self.seat_to_move, Ending.RESIGNATION))
        return self._after(turn)

    @abstractmethod
    def _after(self, turn: Turn) -> Self:
        """`after` for everything but resignation."""

    def ops(self, turn: Turn) -> tuple[Op, ...]:
        """What a legal turn changes on the board, in order: (cell, seat) placed or recoloured, (cell, None) removed.

        The stones placed come in the turn's order, so that they can be numbered.
        """
        after, seat = self.after(turn).stones, self.seat_to_move
        placed: list[Op] = [(cell, seat) for cell in turn if cell >= 0]
        between = bytearray(self.stones)
        for cell, _ in placed:
            between[cell] = seat + 1
        changed: list[Op] = [(cell, now - 1 if now else None)
                             for cell, (was, now) in enumerate(zip(between, after, strict=True)) if was != now]
        return (*placed, *changed)

    def board_with(self, partial: Turn) -> bytearray:
        """The board with the stones of an unfinished turn."""
        board = bytearray(self.stones)
        for cell in partial:
            if cell >= 0:
                board[cell] = self.seat_to_move + 1
        return board

    # --- building and listing turns ----------------------------------------------------------

    @abstractmethod
    def steps(self, partial: Turn = ()) -> Steps:
        """What may follow the stones in `partial`, which must itself have been built by `steps`.

        Nothing offered leads into a dead end. Resignation is never offered. After the game: nothing.
        """

    @abstractmethod
    def legal_turns(self) -> Iterator[Turn]:
        """Every legal turn once (as a set of stones), without resignation; a forced pass is one.

        For small boards: there can be 10^16.
        """

    def random_turn(self, rng: Random) -> Turn:
        """Some legal turn; every legal turn can come. The game must not be over."""
        return self.complete_at_random((), rng)

    def complete_at_random(self, partial: Turn, rng: Random) -> Turn:
        """Some legal turn that begins with these stones, which must have been built by `steps`."""
        while True:
            steps = self.steps(partial)
            choice = rng.randrange(len(steps.next) + steps.may_end)
            if choice == len(steps.next):
                return partial
            partial = (*partial, steps.next[choice])

    # --- for people --------------------------------------------------------------------------

    def rows(self) -> list[str]:
        """The board, north first, `.` empty, `1` seat 0, `2` seat 1."""
        return ["".join(SYMBOLS[s] for s in self.stones[row * self.size:(row + 1) * self.size])
                for row in range(self.size - 1, -1, -1)]

    def note(self, turn: Turn, after: Self) -> Note | None:
        """What a replay says about a turn that leads to the position `after`; None for nothing."""
        return None

    @classmethod
    def areas(cls, size: int) -> tuple[tuple[int, ...], ...]:  # noqa: ARG003 - a ruleset that counts needs it
        """The cells of each area in which `caption` counts both seats' stones; none where nothing is counted."""
        return ()

    @classmethod
    def words(cls) -> tuple[str, ...]:
        """All that the ruleset says to people in words that a site translates."""
        return tuple(filter(None, (cls.summary, *cls.colours, *cls.phrases, cls.caption)))

    def _at(self, cell: int) -> str:
        return cell_name(cell, self.size)


Ruleset = type[Position]
