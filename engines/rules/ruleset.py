"""The contract of a ruleset: one class of frozen positions.

A ruleset is a subclass of `Position`. Its class attributes are facts about the game, its instances are positions, and
its methods serve players, the referee and the search. Rules know nothing of clocks, crashes or bots. A ruleset is
registered with one line in `engines.rules.registry`.

The contract covers games

- for two seats that take turns, seat 0 first; a player who cannot or need not move passes;
- with perfect information and without chance: a position and a turn determine the next position;
- on a square board with 2 to 19 cells per side, where each cell is empty or has one stone of one of two colours;
- in which a turn places any number of stones, or is one of the words `pass` and `swap`; a turn may also recolour and
  remove any stones, according to the rules, and `resign` is always a turn;
- that end with a winner or a draw. A position holds everything else that the rules need, such as earlier boards.

It excludes games with dice, cards, hidden information or simultaneous turns; with more or fewer than two seats; on
other boards (hexagonal boards are played as neighbourhoods on a square grid); with several kinds of stones or stacks;
with turns that move a stone from cell to cell; and with results other than a win or a draw, such as cumulative scores.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, ClassVar, Literal, NamedTuple, Self

from engines.public import public
from engines.rules.errors import IllegalTurn, TurnError
from engines.rules.grid import Offsets, groups, neighbours
from engines.rules.notation import PASS, RESIGN, SWAP, Turn, as_turn, cell_name, format_turn, parse_turn
from engines.rules.outcome import JOINED, Ending, Measure, Outcome, Said, spoken
from engines.rules.symmetry import IDENTITY, Symmetry

EMPTY = 0
Op = tuple[int, int | None]
SYMBOLS = ".12"


@public("squarefield")
class SetupError(ValueError):
    """A position cannot be set up: the size, the rows or a character is invalid."""


@dataclass(frozen=True, slots=True)
class Steps:
    """The possible next steps while a turn is built stone by stone.

    `next`: every cell (or PASS or SWAP code) that can be added to the stones so far and leads to a legal turn, in
    ascending order. `may_end`: true if the stones so far are already a legal turn.
    """

    next: tuple[int, ...]
    may_end: bool


class Note(NamedTuple):
    """A replay's note on a turn, and the cells to mark from then on.

    The text is one of `Position.phrases`, with its number filled in. Four marked cells are the corners of a square, in
    ascending order; the viewer joins them with a line.
    """

    text: str
    marked: tuple[int, ...] = ()


class Effect(NamedTuple):
    """What a stone does to the board.

    `groups`: one stone of each of the player's groups that it touches, or None if the game has no groups. `grows`: true
    if the rules say that the stone grows these groups, or starts one; false if it only joins them. `captured` are the
    enemy stones that it removes, and `lost` the player's own. `square` is the number of cells per side of the largest
    square that it completes, or 0; `best` is that number for the squares of both players before.
    """

    cell: int
    groups: tuple[int, ...] | None = None
    grows: bool = False
    captured: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()
    square: int = 0
    best: int = 0


@public("squarefield")
@dataclass(frozen=True, slots=True, kw_only=True)
class Position(ABC):
    """A position of one ruleset: a frozen value, equal to any other with the same fields.

    `stones` has size² bytes, row by row from a1 (cell = row * size + column): 0 is empty, 1 is seat 0's stone and 2 is
    seat 1's stone. `outcome` is None until the game is over.
    """

    slug: ClassVar[str]
    # The version of the rules, from 1. Increase it with each change that could alter the play or result of old games.
    version: ClassVar[int]
    name: ClassVar[str]
    designer: ClassVar[str]
    summary: ClassVar[str]
    # Two of black, white, red and blue: the names of the seats and the colours of their stones.
    colours: ClassVar[tuple[str, str]]
    sizes: ClassVar[Sequence[int]]
    default_size: ClassVar[int]
    # Whether stones are drawn in cells or on points, and whether seat 0 joins north–south and seat 1 west–east.
    drawn_on: ClassVar[Literal["cells", "points"]] = "cells"
    has_goal_sides: ClassVar[bool] = False
    # The symmetries of the board that keep the rules and each seat's goal sides: the explorer merges their images.
    symmetries: ClassVar[Sequence[Symmetry]] = IDENTITY
    # The texts of notes on turns, with an optional %(number)s; the caption of `measure`, with %(counts)s; and the texts
    # of `how`. All are in English; the site's message catalogues translate them.
    phrases: ClassVar[Sequence[str]] = ()
    caption: ClassVar[str] = ""
    endings: ClassVar[Sequence[str]] = ()
    # The (row, column) offsets at which stones of one colour are in one group; empty if the game has no groups.
    links: ClassVar[Offsets] = ()
    # Whether a player may pass only if there is no legal turn.
    pass_is_forced: ClassVar[bool] = False
    # Whether the same stones make a different turn if a different one comes first.
    first_stone_counts: ClassVar[bool] = False
    # Facts about a position that its rows do not show, each true or false: keyword arguments of `setup`.
    setup_facts: ClassVar[Sequence[str]] = ()
    # SGF's number of a game with the same moves (1 for Go, 11 for Hex), or None if SGF has no such game.
    sgf_game: ClassVar[int | None] = None

    size: int
    stones: bytes
    seat_to_move: int = 0
    outcome: Outcome | None = None

    # --- setting up positions ----------------------------------------------------------------

    @classmethod
    def check_size(cls, size: int) -> None:
        """Raise SetupError if the ruleset is not played on boards with `size` cells per side."""
        if not hasattr(size, "__index__"):
            raise SetupError(f"{cls.name} is played on {cls._sizes_in_words()}: give the size as a whole number, not "
                             f"as {size!r}")
        if size not in cls.sizes:
            raise SetupError(f"{cls.name} is played on {cls._sizes_in_words()}, not on {size}")

    @classmethod
    def span(cls) -> range | None:
        """Return the sizes as a range of all or of even numbers; None if they are not, or if there is only one size."""
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
        """Return the position before the first turn. Raises SetupError if the ruleset does not have this size."""
        size = cls.default_size if size is None else size
        cls.check_size(size)
        return cls.empty(size)

    @classmethod
    def empty(cls, size: int) -> Self:
        """Return the empty board. The size need not be playable: tiny boards are useful for counting turns."""
        return cls(size=size, stones=bytes(size * size))

    @classmethod
    def setup(cls, rows: Sequence[str], seat_to_move: int = 0, **facts: Any) -> Self:
        """Return a position from its rows, north first: `.` empty, `1` seat 0, `2` seat 1. Raises SetupError.

        Anything that the rows do not show is either one of `facts` (see `setup_facts`) or assumed to be as at the
        start of a game; each ruleset documents its assumptions.
        """
        if facts:
            raise SetupError(f"{cls.name} has no {' and '.join(facts)}")
        return cls._from_stones(*cls._read_rows(rows, seat_to_move))

    @classmethod
    @abstractmethod
    def _from_stones(cls, size: int, stones: bytes, seat_to_move: int) -> Self:
        """Return the position with these stones, including its outcome."""

    @classmethod
    def _read_rows(cls, rows: Sequence[str], seat_to_move: int) -> tuple[int, bytes, int]:
        size = len(rows)
        cls.check_size(size)
        if seat_to_move not in (0, 1):
            raise SetupError(f"the seat to move must be 0 or 1, not {seat_to_move!r}")
        for number, row in zip(range(size, 0, -1), rows, strict=True):
            if len(row) != size or set(row) - set(SYMBOLS):
                raise SetupError(f"row {number} must be {size} characters of '.', '1' and '2', not {row!r}")
        return size, bytes(SYMBOLS.index(symbol) for row in reversed(rows) for symbol in row), seat_to_move

    # --- turns -------------------------------------------------------------------------------

    def parse(self, text: str) -> Turn:
        """Return the turn in a line of text, without checking that it is legal. Raises NotationError."""
        return parse_turn(text, self.size)

    def format(self, turn: Turn) -> str:
        """Return the text of a turn, with the stones in the ruleset's canonical order."""
        return format_turn(self.canonical(turn), self.size)

    def canonical(self, turn: Turn) -> Turn:
        """Return the same turn with its stones in the order in which they are written."""
        return turn

    def check(self, turn: Turn) -> None:
        """Raise IllegalTurn, with the rule and the cells, unless the turn is legal in this position."""
        if self.outcome is not None:
            raise IllegalTurn("over", f"the game is over: {self.outcome.reason}")
        if not turn or turn[0] < 0:
            self._check_word(turn)
            return
        cells = len(self.stones)
        for cell in turn:
            # A negative index would count from the end of the board and refer to a different cell.
            if not 0 <= cell < cells:
                raise self._off_board(turn)
        self._check_empty(turn)
        self._check_stones(turn)

    def _check_word(self, turn: Turn) -> None:
        if len(turn) != 1:
            raise IllegalTurn("empty", "a turn must be a word or at least one cell")
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
                raise IllegalTurn("twice", f"{self._at(cell)} is named twice", cell)
            if self.stones[cell] != EMPTY:
                raise IllegalTurn("occupied", f"{self._at(cell)} is not empty", cell)
            taken.add(cell)

    def _off_board(self, turn: Turn) -> IllegalTurn:
        cells = len(self.stones)
        cell = next(cell for cell in turn if not 0 <= cell < cells)
        return IllegalTurn("off-board", f"the {self.size}×{self.size} board has cells 0 to {cells - 1}, not {cell}")

    @abstractmethod
    def _check_stones(self, turn: Turn) -> None:
        """Raise IllegalTurn unless these distinct empty cells are a legal turn."""

    def is_legal(self, turn: Turn) -> bool:
        """Return whether `check` accepts the turn."""
        try:
            self.check(turn)
        except TurnError:
            return False
        return True

    def play(self, turn: Turn | str) -> Self:
        """Return the position after a turn, which may also be written as text. Raises TurnError with the reason."""
        turn = self.read(turn)
        self.check(turn)
        return self.after(turn)

    def read(self, turn: object) -> Turn:
        """Return a turn that is given as text or as cells, without checking that it is legal. Raises NotationError."""
        return self.parse(turn) if isinstance(turn, str) else as_turn(turn)

    def after(self, turn: Turn) -> Self:
        """Return the position after a turn, which must be legal; otherwise the result is meaningless."""
        if turn == (RESIGN,):
            return replace(self, seat_to_move=1 - self.seat_to_move,
                           outcome=Outcome(1 - self.seat_to_move, Ending.RESIGNATION))
        return self._after(turn)

    @abstractmethod
    def _after(self, turn: Turn) -> Self:
        """Return the position after any legal turn except resignation."""

    def ops(self, turn: Turn) -> tuple[Op, ...]:
        """Return a legal turn's changes to the board: (cell, seat) for placed or recoloured, (cell, None) for removed.

        The placed stones are in the turn's order, so that a viewer can number them.
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
        """Return the board with the stones of an unfinished turn."""
        board = bytearray(self.stones)
        for cell in partial:
            if cell >= 0:
                board[cell] = self.seat_to_move + 1
        return board

    def effect(self, partial: Turn, cell: int) -> Effect:
        """Return what a stone on `cell` does, placed after the stones of an unfinished turn."""
        if not self.links:
            return Effect(cell)
        return Effect(cell, groups_at(self.board_with(partial), self.size, self.seat_to_move, cell, self.links))

    # --- building and listing turns ----------------------------------------------------------

    @abstractmethod
    def steps(self, partial: Turn = ()) -> Steps:
        """Return the possible next steps after the stones in `partial`, which must itself have been built by `steps`.

        No step leads to a dead end. Resignation is not included. There are no steps after the end of the game.
        """

    @abstractmethod
    def legal_turns(self) -> Iterator[Turn]:
        """Yield every legal turn once (as a set of stones), including a forced pass but not resignation.

        Only use this on small boards: there can be 10^16 turns.
        """

    def random_turn(self, rng: Random) -> Turn:
        """Return a random legal turn; every legal turn is possible. The game must not be over."""
        return self.complete_at_random((), rng)

    def complete_at_random(self, partial: Turn, rng: Random) -> Turn:
        """Return a random legal turn that begins with these stones, which must have been built by `steps`."""
        while True:
            steps = self.steps(partial)
            choice = rng.randrange(len(steps.next) + steps.may_end)
            if choice == len(steps.next):
                return partial
            partial = (*partial, steps.next[choice])

    @property
    def unseen(self) -> tuple[int, ...]:
        """The facts that the rules need besides the stones, the seat to move and earlier boards.

        Symmetries do not change them. Positions that differ in them are different places of the explorer.
        """
        return ()

    # --- display -----------------------------------------------------------------------------

    def __str__(self) -> str:
        return self.text()

    def rows(self) -> list[str]:
        """Return the rows of the board, north first: `.` empty, `1` seat 0, `2` seat 1."""
        return ["".join(SYMBOLS[s] for s in self.stones[row * self.size:(row + 1) * self.size])
                for row in range(self.size - 1, -1, -1)]

    def text(self) -> str:
        """Return the board for a terminal, with coordinates: X for seat 0, O for seat 1."""
        from engines.rules.drawing import board_text
        return board_text(self.rows())

    def svg(self, *, width: int = 360) -> str:
        """Return the board as an SVG, `width` pixels wide; the cells that decided the game are in circles."""
        from engines.rules.drawing import board_svg
        return board_svg(self, width=width)

    def _repr_svg_(self) -> str:
        """Show the board in a notebook."""
        return self.svg()

    def note(self, turn: Turn, after: Self) -> Note | None:
        """Return a replay's note on a turn that leads to the position `after`, or None."""
        return None

    def measure(self) -> Measure | None:
        """Return who is ahead, in the units that `caption` names; None if the ruleset does not measure positions."""
        return None

    @classmethod
    def how(cls, outcome: Outcome, size: int, measure: Measure | None) -> Said:  # noqa: ARG003 - some rulesets need them
        """Return how a game ended by rule, in words to follow "won" or "drew".

        `measure` is that of the last position. If it or the outcome's cells are unknown, the words are shorter.
        """
        if outcome.reason is Ending.CONNECTION and cls.has_goal_sides and outcome.winner is not None:
            return Said(JOINED[outcome.winner])
        return Said(spoken(outcome.reason, drawn=outcome.winner is None))

    @classmethod
    def words(cls) -> tuple[str, ...]:
        """Return all texts of the ruleset that a site translates."""
        return tuple(filter(None, (cls.summary, *cls.colours, *cls.phrases, cls.caption, *cls.endings)))

    def _at(self, cell: int) -> str:
        return cell_name(cell, self.size)


def groups_at(stones: bytes | bytearray, size: int, seat: int, cell: int, links: Offsets) -> tuple[int, ...]:
    """Return one stone of each group of the seat that a stone on `cell` touches: the first one next to it."""
    group_of = groups(bytes(stones), size, links)
    touched: dict[int, int] = {}
    for near in sorted(neighbours(size, links)[cell]):
        if stones[near] == seat + 1:
            touched.setdefault(group_of[near], near)
    return tuple(touched.values())


Ruleset = type[Position]
