"""Elimination brackets: a plan of ties whose sides are seeds, or winners and losers of earlier ties. Pure.

A plan is made once for a number of entrants (`knockout`, `double_knockout`). The pair of each tie follows from the
winners of the stages so far; nothing else is stored.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from tournaments.pairing.round_robin import Pairing

# The winners of the ties returned by `Played.next_stage`, in any order. Entrants are numbers; the best seed is 0.
Stage = Collection[int]


@dataclass(frozen=True, slots=True)
class NextStage:
    """The ties that are due together, each with the entrant for seat 0 first, and the entrants with a bye."""

    label: str
    ties: list[Pairing]
    byes: list[int]


@dataclass(frozen=True, slots=True)
class Tie:
    """A tie to show: sides and winner are None until they are decided.

    `stage` is the number, from 1, of the stage in `next_stage`. A bye has no stage, and at most one side.
    `points` are the game points of the sides, None before the first game. With `walkover`, an entrant that left decided
    the tie.
    """

    sides: tuple[int | None, int | None]
    winner: int | None
    stage: int | None
    points: tuple[float, float] | None = None
    walkover: bool = False

    @property
    def is_bye(self) -> bool:
        return self.stage is None


@dataclass(frozen=True, slots=True)
class Column:
    """Ties to show below one another; `section` names the bracket that the column belongs to.

    `ties[i]` is fed by `2i` and `2i + 1` of the section's previous column if that has twice as many ties, else by `i`.
    """

    section: str
    label: str
    ties: list[Tie]


@dataclass(frozen=True, slots=True)
class Seed:
    """A side that is an entrant at its place in the draw."""

    entrant: int


@dataclass(frozen=True, slots=True)
class Of:
    """A side that is the winner or the loser of an earlier tie, given by its index in the plan."""

    tie: int
    winner: bool


Source = Seed | Of
Places = tuple[int | None, int | None]


@dataclass(slots=True)
class PlannedTie:
    """A tie before anything is played. A side that is None is empty: the other one advances without play."""

    sources: tuple[Source | None, Source | None]
    column: int
    places: Places = (None, None)
    # Index of a tie that this one repeats; it is played only if the second side won that tie.
    repeats: int | None = None

    @property
    def is_bye(self) -> bool:
        return None in self.sources


@dataclass(slots=True)
class PlannedColumn:
    """A column of the plan. Columns of the same `level` are played together."""

    section: str
    label: str
    level: int


@dataclass(slots=True)
class Plan:
    """Columns and ties, in an order in which each tie follows those that it depends on."""

    entrants: int
    columns: list[PlannedColumn] = field(default_factory=list)
    ties: list[PlannedTie] = field(default_factory=list)

    def add_column(self, section: str, label: str, level: int) -> None:
        """Start a column: the ties that are added next belong to it."""
        self.columns.append(PlannedColumn(section, label, level))

    def add(self, one: Source | None, other: Source | None, *, places: Places = (None, None),
            repeats: int | None = None) -> tuple[Source | None, Source | None]:
        """Add a tie to the last column. Return the sources of its winner and its loser, None for an empty one."""
        self.ties.append(PlannedTie((one, other), len(self.columns) - 1, places, repeats))
        if one is None or other is None:
            return one or other, None
        return Of(len(self.ties) - 1, True), Of(len(self.ties) - 1, False)

    def stages(self) -> list[list[int]]:
        """Return the indexes of ties and byes by level, without the levels on which nothing is played."""
        levels = defaultdict(list)
        for index, tie in enumerate(self.ties):
            levels[self.columns[tie.column].level].append(index)
        return [on for _, on in sorted(levels.items()) if any(not self.ties[index].is_bye for index in on)]


class Played:
    """A plan with the winners of its stages so far, and those `decided` in the stage in progress.

    The decided winners affect only eliminations and advancement; the next stage follows from completed stages.
    """

    def __init__(self, plan: Plan, stages: Sequence[Stage], decided: Stage = ()) -> None:
        """Raises ValueError unless the winners are exactly one per tie of their stage."""
        self.plan = plan
        self.results: dict[int, Pairing] = {}  # (winner, loser) by tie
        self.stages = plan.stages()
        self.repeat_of = {tie.repeats: index for index, tie in enumerate(plan.ties) if tie.repeats is not None}
        self.done = 0
        for winners in stages:
            self.play(winners)
        if decided:
            self._record(frozenset(decided))

    def next_stage(self) -> NextStage | None:
        """Return the ties that are due now; None when all are decided."""
        if self.done == len(self.stages):
            return None
        on_level = [index for index in self.stages[self.done] if self._is_needed(index)]
        due = {index: None for index in on_level if not self.plan.ties[index].is_bye}
        if not due:
            return None
        # A column without play is not a round, so advancing through it is no bye.
        columns = sorted({self.plan.ties[index].column for index in due})
        byes = [side for index in on_level if index not in due and self.plan.ties[index].column in columns
                for side in self._sides(index) if side is not None]
        return NextStage(_joined([self.plan.columns[number].label for number in columns]),
                         [self._pair(index) for index in due], sorted(byes))

    def placings(self) -> list[tuple[int, int]]:
        """Return (place, entrant) for the decided places, best first; entrants eliminated together share a place."""
        placed = [(place, entrant) for index, result in self.results.items() if self._is_last_word(index)
                  for place, entrant in zip(self.plan.ties[index].places, result, strict=True) if place is not None]
        return sorted(placed)

    def ties_left(self) -> int:
        """Return the number of undecided ties. Ties that may not be needed are left out until they are."""
        return len(self._undecided())

    def worst_open_place(self) -> int:
        """Return the worst undecided place, which limits the entrants still in; 1 when all is decided."""
        return max((place for tie in self._undecided() for place in tie.places if place is not None), default=1)

    def stages_in_all(self) -> tuple[int, int]:
        """Return the minimum and the maximum total number of stages."""
        open_, needless = 0, 0
        for repeated, index in self.repeat_of.items():
            open_ += repeated not in self.results
            needless += repeated in self.results and not self._is_needed(index)
        return len(self.stages) - open_ - needless, len(self.stages) - needless

    def lives(self) -> dict[int, int]:
        """Return how many more ties each entrant may lose, including the one that eliminates it; 0 if it is out."""
        lives = dict.fromkeys(range(self.plan.entrants), 2 if self.repeat_of else 1)
        for _, loser in self.results.values():
            lives[loser] -= 1
        return lives

    def columns(self) -> list[Column]:
        """Return everything to show. A tie that may not be needed is included once it is."""
        stage_of = {index: number for number, on in enumerate(self.stages, start=1) for index in on}
        drawn = []
        for number, column in enumerate(self.plan.columns):
            ties = [self._tie(index, stage_of) for index, tie in enumerate(self.plan.ties)
                    if tie.column == number and (tie.repeats is None or self._is_needed(index))]
            if any(not tie.is_bye for tie in ties):
                drawn.append(Column(column.section, column.label, ties))
        return drawn

    def play(self, winners: Stage) -> None:
        """Add the winners of the stage that is due. Raises ValueError unless there is exactly one per tie."""
        stage = self.next_stage()
        if stage is None:
            raise ValueError(f"everything is decided after {self.done} stages: there is no further stage")
        pairs, won = stage.ties, frozenset(winners)
        if len(winners) != len(pairs) or any(len({*pair} & won) != 1 for pair in pairs):
            raise ValueError(f"stage {self.done + 1} ({stage.label}) needs one winner of each of {pairs}, "
                             f"not {sorted(winners)}")
        self._record(won)
        self.done += 1

    def _record(self, won: frozenset[int]) -> None:
        """Record the winners of ties of the next stage."""
        for index in self.stages[self.done]:
            if not self.plan.ties[index].is_bye and self._is_needed(index):
                one, other = self._pair(index)
                if {one, other} & won:
                    self.results[index] = (one, other) if one in won else (other, one)

    def _undecided(self) -> list[PlannedTie]:
        return [tie for index, tie in enumerate(self.plan.ties)
                if not tie.is_bye and index not in self.results and self._is_needed(index)]

    def _is_needed(self, index: int) -> bool:
        repeats = self.plan.ties[index].repeats
        return repeats is None or (repeats in self.results and self.results[repeats][0] == self._sides(repeats)[1])

    def _is_last_word(self, index: int) -> bool:
        return index not in self.repeat_of or not self._is_needed(self.repeat_of[index])

    def _side(self, source: Source | None) -> int | None:
        if isinstance(source, Seed):
            return source.entrant
        if source is None or source.tie not in self.results:
            return None
        return self.results[source.tie][0 if source.winner else 1]

    def _sides(self, index: int) -> tuple[int | None, int | None]:
        one, other = self.plan.ties[index].sources
        return self._side(one), self._side(other)

    def _pair(self, index: int) -> Pairing:
        """Return both sides, which are decided once the tie is due: it is on a higher level than those that feed it."""
        one, other = self._sides(index)
        if one is None or other is None:
            raise LookupError(f"tie {index} is not due yet")
        return one, other

    def _tie(self, index: int, stage_of: Mapping[int, int]) -> Tie:
        tie, sides = self.plan.ties[index], self._sides(index)
        if tie.is_bye:
            return Tie(sides, sides[0] if sides[1] is None else sides[1], None)
        winner = self.results[index][0] if index in self.results else None
        return Tie(sides, winner, stage_of[index])


def seeded(entrants: int) -> list[Source | None]:
    """Return the draw from top to bottom: 1–16, 8–9, 5–12, 4–13 …, None for missing seeds.

    So the best seeds have the byes, the best two can meet only in the last column, the best four only in the last two,
    and so on. Raises ValueError for fewer than two entrants.
    """
    if entrants < 2:
        raise ValueError(f"a knockout needs at least 2 entrants, not {entrants}")
    order = [0]
    while len(order) < entrants:
        order = [seed for better in order for seed in (better, 2 * len(order) - 1 - better)]
    return [Seed(seed) if seed < entrants else None for seed in order]


def _joined(labels: Sequence[str]) -> str:
    first, *rest = labels
    return " and ".join([first, *(label[0].lower() + label[1:] for label in rest)])
