"""Elimination brackets: a plan of ties whose sides are seeds, or winners and losers of earlier ties. Pure.

A plan is laid out once for a number of entrants (`knockout`, `double_knockout`). Whom a tie brings together follows
from the winners of the stages so far; nothing else is kept.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from tournaments.pairing.round_robin import Pairing

# The winners of the ties that `Played.next_stage` asked for, in any order; entrants are numbers, the best seed is 0.
Stage = Collection[int]


@dataclass(frozen=True, slots=True)
class NextStage:
    """The ties that are due together, the first of each with seat 0 first, and who sits them out."""

    label: str
    ties: list[Pairing]
    byes: list[int]


@dataclass(frozen=True, slots=True)
class Tie:
    """A tie to draw: sides and winner are None until they are known.

    `stage` counts from 1 the stages that `next_stage` gives. A bye has none, and one side or nobody.
    """

    sides: tuple[int | None, int | None]
    winner: int | None
    stage: int | None

    @property
    def is_bye(self) -> bool:
        return self.stage is None


@dataclass(frozen=True, slots=True)
class Column:
    """Ties to draw above one another; `section` names the bracket that the column belongs to.

    `ties[i]` is fed by `2i` and `2i + 1` of the section's column before if that has twice as many ties, else by `i`.
    """

    section: str
    label: str
    ties: list[Tie]


@dataclass(frozen=True, slots=True)
class Seed:
    """A side that is an entrant by the draw."""

    entrant: int


@dataclass(frozen=True, slots=True)
class Of:
    """A side that is the winner of an earlier tie (by its index in the plan), or its loser."""

    tie: int
    winner: bool


Source = Seed | Of
Places = tuple[int | None, int | None]


@dataclass(slots=True)
class PlannedTie:
    """A tie before anything is played. A side that is None is nobody: the other one passes without play."""

    sources: tuple[Source | None, Source | None]
    column: int
    places: Places = (None, None)
    # The index of a tie that this one repeats, and is played only if the second side won that.
    repeats: int | None = None

    @property
    def is_bye(self) -> bool:
        return None in self.sources


@dataclass(slots=True)
class PlannedColumn:
    """`level` orders the columns: those of the same level are played together."""

    section: str
    label: str
    level: int


@dataclass(slots=True)
class Plan:
    """Columns and ties, those that others depend on first."""

    entrants: int
    columns: list[PlannedColumn] = field(default_factory=list)
    ties: list[PlannedTie] = field(default_factory=list)

    def add_column(self, section: str, label: str, level: int) -> None:
        """Begin a column: the ties that are added next belong to it."""
        self.columns.append(PlannedColumn(section, label, level))

    def add(self, one: Source | None, other: Source | None, *, places: Places = (None, None),
            repeats: int | None = None) -> tuple[Source | None, Source | None]:
        """A tie of the last column; returns where its winner and its loser come from, None for nobody."""
        self.ties.append(PlannedTie((one, other), len(self.columns) - 1, places, repeats))
        if one is None or other is None:
            return one or other, None
        return Of(len(self.ties) - 1, True), Of(len(self.ties) - 1, False)

    def stages(self) -> list[list[int]]:
        """The indexes of ties and byes by level, of the levels on which anything is played."""
        levels = defaultdict(list)
        for index, tie in enumerate(self.ties):
            levels[self.columns[tie.column].level].append(index)
        return [on for _, on in sorted(levels.items()) if any(not self.ties[index].is_bye for index in on)]


class Played:
    """A plan with the winners of its stages so far, and those `decided` of the stage that is being played.

    These show who is out and who advances; what is due follows from whole stages.
    """

    def __init__(self, plan: Plan, stages: Sequence[Stage], decided: Stage = ()) -> None:
        """Raises ValueError where the winners are not one of each tie of their stage."""
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
        """What is due now; None when all is decided."""
        if self.done == len(self.stages):
            return None
        on_level = [index for index in self.stages[self.done] if self._is_needed(index)]
        due = {index: None for index in on_level if not self.plan.ties[index].is_bye}
        if not due:
            return None
        # A column in which nobody plays is no round of anybody's: passing through it is no bye.
        columns = sorted({self.plan.ties[index].column for index in due})
        byes = [side for index in on_level if index not in due and self.plan.ties[index].column in columns
                for side in self._sides(index) if side is not None]
        return NextStage(_joined([self.plan.columns[number].label for number in columns]),
                         [self._pair(index) for index in due], sorted(byes))

    def placings(self) -> list[tuple[int, int]]:
        """(place, entrant) of those whose place is decided, best first; who went out together shares a place."""
        placed = [(place, entrant) for index, result in self.results.items() if self._is_last_word(index)
                  for place, entrant in zip(self.plan.ties[index].places, result, strict=True) if place is not None]
        return sorted(placed)

    def ties_left(self) -> int:
        """How many ties are not decided; those that may not be needed are left out until they are."""
        return len(self._undecided())

    def worst_open_place(self) -> int:
        """The worst place that is not decided: who is still in gets it or a better one. 1 when all is decided."""
        return max((place for tie in self._undecided() for place in tie.places if place is not None), default=1)

    def stages_in_all(self) -> tuple[int, int]:
        """The least and the most stages that there can be, from the first to the last."""
        open_, needless = 0, 0
        for repeated, index in self.repeat_of.items():
            open_ += repeated not in self.results
            needless += repeated in self.results and not self._is_needed(index)
        return len(self.stages) - open_ - needless, len(self.stages) - needless

    def lives(self) -> dict[int, int]:
        """How many more ties each entrant may lose before it is out, the last one included; 0 of those who are out."""
        lives = dict.fromkeys(range(self.plan.entrants), 2 if self.repeat_of else 1)
        for _, loser in self.results.values():
            lives[loser] -= 1
        return lives

    def columns(self) -> list[Column]:
        """Everything to draw; a tie that may not be needed appears once it is."""
        stage_of = {index: number for number, on in enumerate(self.stages, start=1) for index in on}
        drawn = []
        for number, column in enumerate(self.plan.columns):
            ties = [self._tie(index, stage_of) for index, tie in enumerate(self.plan.ties)
                    if tie.column == number and (tie.repeats is None or self._is_needed(index))]
            if any(not tie.is_bye for tie in ties):
                drawn.append(Column(column.section, column.label, ties))
        return drawn

    def play(self, winners: Stage) -> None:
        """Add the winners of the stage that is due. Raises ValueError where they are not one of each of its ties."""
        stage = self.next_stage()
        if stage is None:
            raise ValueError(f"all is decided after {self.done} stages: nobody can win in another")
        pairs, won = stage.ties, frozenset(winners)
        if len(winners) != len(pairs) or any(len({*pair} & won) != 1 for pair in pairs):
            raise ValueError(f"stage {self.done + 1} ({stage.label}) has one winner of each of {pairs}, "
                             f"not {sorted(winners)}")
        self._record(won)
        self.done += 1

    def _record(self, won: frozenset[int]) -> None:
        """Note the winners of ties of the stage that is next."""
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
        """Both sides, which are known once the tie is due: its level is above those that feed it."""
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
    """The draw from top to bottom: 1–16, 8–9, 5–12, 4–13 …, nobody for the seeds that are missing.

    So the best seeds have the byes, and the best two can only meet at the end, the best four only in the last two
    columns, and so on. Raises ValueError for fewer than two entrants.
    """
    if entrants < 2:
        raise ValueError(f"a knockout has at least 2 entrants, not {entrants}")
    order = [0]
    while len(order) < entrants:
        order = [seed for better in order for seed in (better, 2 * len(order) - 1 - better)]
    return [Seed(seed) if seed < entrants else None for seed in order]


def _joined(labels: Sequence[str]) -> str:
    first, *rest = labels
    return " and ".join([first, *(label[0].lower() + label[1:] for label in rest)])
