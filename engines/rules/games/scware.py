"""Scware, by Christian Freeling: start a group, or grow any of your groups by one stone each.

docs/rules/scware.md has the rules and their interpretation. A turn is checked or built without listing all turns,
because a large board has about 10^16 of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, ClassVar, Self

from engines.public import public
from engines.rules.bitboard import cells_of, cells_with, geometry, mask_of, side_masks
from engines.rules.distance import connection_measure
from engines.rules.errors import IllegalTurn
from engines.rules.grid import ORTHOGONAL, Offsets, joining_path, neighbours
from engines.rules.growth import Growing, Survey, keeps_restriction, survey_of
from engines.rules.notation import PASS, Turn, format_turn
from engines.rules.outcome import Ending, Measure, Outcome
from engines.rules.ruleset import Effect, Position, Steps, groups_at
from engines.rules.symmetry import REFLECTIONS, Symmetry


@public("squarefield.rulesets")
@dataclass(frozen=True, slots=True, kw_only=True)
class Scware(Position):
    """A position of Scware.

    `someone_has_grown` ends red's right to a balancing turn. `passed` is true if the previous turn was a pass. For a
    position set up from rows, the first is read from the board: groups never shrink, so a side has grown exactly if
    two of its stones touch. The second is assumed to be false.
    """

    slug: ClassVar[str] = "scware"
    version: ClassVar[int] = 1
    name: ClassVar[str] = "Scware"
    designer: ClassVar[str] = "Christian Freeling"
    summary: ClassVar[str] = "Start a group or grow any of your groups by one stone each; join your two sides."
    colours: ClassVar[tuple[str, str]] = ("white", "red")
    sizes: ClassVar[Sequence[int]] = range(4, 20)
    default_size: ClassVar[int] = 9
    has_goal_sides: ClassVar[bool] = True
    symmetries: ClassVar[Sequence[Symmetry]] = REFLECTIONS
    caption: ClassVar[str] = "Stones to connect: %(counts)s"
    links: ClassVar[Offsets] = ORTHOGONAL
    pass_is_forced: ClassVar[bool] = True
    setup_facts: ClassVar[Sequence[str]] = ("someone_has_grown",)

    someone_has_grown: bool = False
    passed: bool = False

    @classmethod
    def setup(cls, rows: Sequence[str], seat_to_move: int = 0, *, someone_has_grown: bool | None = None,
              **facts: Any) -> Self:
        """Return a position from its rows; whether a side has grown is read from them unless it is given."""
        position = super(Scware, cls).setup(rows, seat_to_move, **facts)
        return position if someone_has_grown is None else replace(position, someone_has_grown=someone_has_grown)

    @classmethod
    def _from_stones(cls, size: int, stones: bytes, seat_to_move: int) -> Self:
        board = geometry(size)
        grown = any(own & board.beside(own) for own in (cells_with(stones, 1), cells_with(stones, 2)))
        outcome = _connection(stones, size, 0) or _connection(stones, size, 1)
        return cls(size=size, stones=stones, seat_to_move=seat_to_move, outcome=outcome, someone_has_grown=grown)

    # --- checking and playing a turn ------------------------------------------------------------

    def _survey(self) -> Survey:
        return survey_of(self.stones, self.size, self.seat_to_move)

    @property
    def _may_balance(self) -> bool:
        return self.seat_to_move == 1 and not self.someone_has_grown

    def canonical(self, turn: Turn) -> Turn:
        """Return the growing stones in the order of their cells, then the stone that starts a group."""
        growing = self._survey().growing
        return tuple(sorted(turn, key=lambda cell: (cell >= 0 and not growing >> cell & 1, cell)))

    def _check_pass(self) -> None:
        turn = next(self.legal_turns())
        if turn != (PASS,):
            raise IllegalTurn("pass", f"a pass is only allowed without a legal turn; "
                                      f"{format_turn(turn, self.size)} is legal")

    def _check_stones(self, turn: Turn) -> None:
        survey = self._survey()
        growing = tuple(cell for cell in turn if survey.growing >> cell & 1)
        starting = tuple(cell for cell in turn if not survey.growing >> cell & 1)
        if starting and len(turn) > 1:
            self._check_balancing(growing, starting)
        grown_at: dict[int, int] = {}
        for cell in growing:
            for stone in neighbours(self.size)[cell]:
                if survey.own >> stone & 1:
                    group = survey.geometry.fill(1 << stone, survey.own)
                    if grown_at.setdefault(group, cell) != cell:
                        raise IllegalTurn("grown-twice", f"{self._at(grown_at[group])} and {self._at(cell)} both grow "
                                          f"the group of {self._at(stone)}: a group grows by one stone per turn",
                                          grown_at[group], cell, stone)
        clean = keeps_restriction(survey.build(growing)[0])
        if not clean or any(not survey.starting_after(growing) >> cell & 1 for cell in starting):
            raise self._diagonal(turn)

    def _check_balancing(self, growing: Turn, starting: Turn) -> None:
        """Refuse stones that grow nothing, except the one that ends a balancing turn."""
        last = self._at(starting[-1])
        grows_nothing = f"{last} touches no group that existed when the turn began"
        if not growing:
            raise IllegalTurn("two-starts", f"{self._at(starting[0])} and {last} would start two groups: "
                                            "a turn starts one", starting[0], starting[-1])
        if self.seat_to_move == 0:
            raise IllegalTurn("start-with-growth", f"{grows_nothing}, and only red may start a group after growing",
                              starting[-1])
        if self.someone_has_grown:
            raise IllegalTurn("start-with-growth", f"{grows_nothing}, and red may start a group after growing only "
                                                   "while neither side has ever grown", starting[-1])
        if len(starting) > 1:
            raise IllegalTurn("two-starts", f"{self._at(starting[0])} and {last} would start two groups: "
                                            "after growing, red may start only one", starting[0], starting[-1])
        for cell in neighbours(self.size)[starting[0]]:
            if cell in growing:
                raise IllegalTurn("start-touches", f"{last} touches {self._at(cell)} of the same turn: it neither "
                                                   "grows a group that existed when the turn began nor starts one",
                                  starting[-1], cell)

    def _diagonal(self, turn: Turn) -> IllegalTurn:
        """Return the error for a turn that breaks the restriction; it names two stones that break it."""
        board = geometry(self.size)
        own = self._survey().own | mask_of(turn)
        for cell in turn:
            strangers = own & board.diagonal[cell] & ~board.fill(1 << cell, own)
            if strangers:
                other = cells_of(strangers)[0]
                return IllegalTurn("diagonal", f"{self._at(cell)} and {self._at(other)} would be diagonal neighbours "
                                               "in different groups at the end of the turn", cell, other)
        raise AssertionError("only called for a turn that breaks the restriction")

    def effect(self, partial: Turn, cell: int) -> Effect:
        """Return the groups that the stone grows, as they stood when the turn began; none if it starts one."""
        return Effect(cell, groups_at(self.stones, self.size, self.seat_to_move, cell, ORTHOGONAL), grows=True)

    def _after(self, turn: Turn) -> Self:
        seat = self.seat_to_move
        if turn == (PASS,):
            return replace(self, seat_to_move=1 - seat, passed=True,
                           outcome=Outcome(None, Ending.IMPASSE) if self.passed else None)
        board = bytearray(self.stones)
        for cell in turn:
            board[cell] = seat + 1
        stones = bytes(board)
        grown = self.someone_has_grown or any(
            self.stones[near] == seat + 1 for cell in turn for near in neighbours(self.size)[cell])
        return type(self)(size=self.size, stones=stones, seat_to_move=1 - seat, someone_has_grown=grown,
                          outcome=_connection(stones, self.size, seat))

    # --- building and listing turns ---------------------------------------------------------------

    def steps(self, partial: Turn = ()) -> Steps:
        """Return the possible next steps after the stones in `partial`; a stone that starts a group comes last."""
        if self.outcome is not None:
            return Steps((), may_end=False)
        survey = self._survey()
        if partial and (partial[-1] < 0 or not survey.growing >> partial[-1] & 1):
            return Steps((), may_end=True)
        turn, free = survey.build(partial)
        cells = [cell for cell in cells_of(free)
                 if survey.can_finish(survey.add(turn, cell), free & ~survey.rivals[cell])]
        may_end = bool(partial) and keeps_restriction(turn)
        if not partial:
            cells += cells_of(survey.starting)
        elif may_end and self._may_balance:
            cells += cells_of(survey.starting_after(partial))
        if not cells and not partial:
            cells = [PASS]
        return Steps(tuple(sorted(cells)), may_end)

    def legal_turns(self) -> Iterator[Turn]:
        """Yield every legal turn once, growing stones in ascending order, or a forced pass if there is none."""
        if self.outcome is not None:
            return
        survey = self._survey()
        none = True
        for cell in cells_of(survey.starting):
            none = False
            yield (cell,)
        for growth in survey.growths((), (), survey.growing):
            none = False
            yield growth
            if self._may_balance:
                for cell in cells_of(survey.starting_after(growth)):
                    yield (*growth, cell)
        if none:
            yield (PASS,)

    def random_turn(self, rng: Random) -> Turn:
        """Return a random legal turn; every legal turn is possible. The game must not be over.

        The first stone is chosen uniformly among those that can begin a turn, and so is each further stone. A turn
        that may end does so with probability 1 / (n + 1), where n is the number of cells still free.
        """
        survey = self._survey()
        cells = cells_of(survey.starting | survey.growing)
        rng.shuffle(cells)
        stones: Turn = ()
        turn: Growing = ()
        free = survey.growing
        for cell in cells:
            if not free >> cell & 1:
                if stones or not survey.starting >> cell & 1:
                    continue
                return (cell,)
            if stones and keeps_restriction(turn) and rng.random() * (free.bit_count() + 1) < 1:
                break
            free &= ~(1 << cell)
            longer, rest = survey.add(turn, cell), free & ~survey.rivals[cell]
            if survey.can_finish(longer, rest):
                stones, turn, free = (*stones, cell), longer, rest
        if stones and self._may_balance and rng.random() < 0.5:
            starts = cells_of(survey.starting_after(stones))
            return (*stones, rng.choice(starts)) if starts else stones
        return stones or (PASS,)

    @property
    def unseen(self) -> tuple[int, ...]:
        """Whether the previous turn was a pass; the stones show whether a side has grown."""
        return (int(self.passed),)

    def measure(self) -> Measure:
        """Return the stones that each side still needs, as if the rules limited no turn."""
        return connection_measure(self.stones, self.size)


def _connection(stones: bytes, size: int, seat: int) -> Outcome | None:
    """Return the seat's win if its stones join its two sides."""
    own = cells_with(stones, seat + 1)
    first, last = side_masks(size, seat)
    if not geometry(size).fill(first & own, own) & last:
        return None
    return Outcome(seat, Ending.CONNECTION, joining_path(stones, size, seat, neighbours(size)))
