"""Reads for the explorer of openings: the turns that rated games continued with at a place, and their results."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import Case, Count, F, Func, IntegerField, Max, QuerySet, Sum, When, Window
from django.utils.translation import gettext

from engines.rules.errors import TurnError
from engines.rules.notation import quote
from engines.rules.ruleset import Position, Ruleset
from engines.rules.symmetry import END, EXPLORED_PLIES, Place, place
from ratings.models import OpeningCount, OpeningTurn
from ratings.score import interval
from tournaments.models import Ladder
from tournaments.platform.refusals import Refused
from tournaments.scoring.scores import Score

# Turns that are listed, the most frequent first, and games that are linked.
MOST_TURNS: Final = 20
MOST_GAMES: Final = 6
_COUNTS: Final = ("games", "wins", "draws")


class _SumOfSums(Func):
    """Sum of an aggregate over the groups, which Django's own Sum refuses."""

    function = "SUM"
    output_field = IntegerField()
    window_compatible = True


class TurnsRefused(Refused):
    """The turns cannot be played. `legal` are those before the first one that cannot."""

    def __init__(self, text: str, legal: Sequence[str], **facts: Any) -> None:
        super().__init__(text, **facts)
        self.legal = list(legal)


@dataclass(frozen=True, slots=True)
class Reached:
    """The position after some turns, which are in canonical notation."""

    turns: list[str]
    position: Position

    @property
    def place(self) -> Place:
        return place(self.position, len(self.turns))


@dataclass(frozen=True, slots=True)
class Line:
    """A turn: those that are its images, the score of the side that plays it, and the ID of the newest game."""

    turn: str
    images: list[str]
    score: Score
    newest: int

    @property
    def low(self) -> float:
        """Lower end of the 95 % interval of the score per game."""
        return interval(self.score.wins, self.score.draws, self.score.losses)[0]

    @property
    def high(self) -> float:
        """Upper end of the same interval."""
        return interval(self.score.wins, self.score.draws, self.score.losses)[1]


@dataclass(frozen=True, slots=True)
class Explored:
    """A place: the score of the side to move, the listed turns, and the number of all turns.

    `ended` is the score of the games that ended here; `games` are IDs of some of the newest games, one for each turn,
    or for each turn after it if there are only a few.
    """

    score: Score
    lines: list[Line]
    different: int
    ended: Score = field(default_factory=Score)
    games: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Counted:
    """The number of counted games; whether they are complete, or some are yet to be counted."""

    games: int
    complete: bool


def reach(ruleset: Ruleset, size: int, turns: Sequence[str]) -> Reached:
    """Return the position after these turns, in any notation that the rules accept. Raises TurnsRefused, SetupError."""
    position, played = ruleset.start(size), []
    for number, text in enumerate(turns, start=1):
        if number > EXPLORED_PLIES:
            raise TurnsRefused(gettext("Games are followed for %(most)s turns only: leave out turn %(number)s and all "
                                       "turns after it."), played, most=EXPLORED_PLIES, number=number)
        try:
            turn = position.parse(text)
            position.check(turn)
        except TurnError as error:
            raise TurnsRefused(gettext("Turn %(number)s, %(turn)s, cannot be played: %(reason)s. Correct it, or leave "
                                       "out this turn and all turns after it."), played, number=number,
                               turn=quote(text), reason=str(error)) from None
        played.append(position.format(turn))
        position = position.after(turn)
    return Reached(played, position)


def explore(reached: Reached, band: int | None = None) -> Explored:
    """Return the games that reached the position's place, of all ratings or of one band."""
    here, seat = reached.place, reached.position.seat_to_move
    found = list(_continuations(here, band))
    if not found:
        return Explored(Score(), [], 0)
    total = found[0]
    ended = found.pop(0) if total["turn"] == END else None
    lines = [line for row in found[:MOST_TURNS] if (line := _line(reached.position, here, row)) is not None]
    newest = {line.newest for line in lines} | ({ended["last"]} if ended else set())
    if len(newest) < MOST_GAMES:
        newest |= _games_after(reached, lines, band)
    return Explored(_score(seat, total, "total"), lines, total["different"] - bool(ended),
                    _score(seat, ended) if ended else Score(), sorted(newest, reverse=True)[:MOST_GAMES])


def counted(ruleset: str, size: int) -> Counted:
    """Return how many games of the ruleset and size are counted."""
    rows = (OpeningCount.objects.filter(ladder__ruleset=ruleset, ladder__size=size)
            .values_list("games", "clearing", "period", "ladder__statistics__period"))
    return Counted(sum(games for games, *_ in rows), all(not clearing and period >= last for _, clearing, period, last
                                                         in rows if last is not None))


def sizes(ruleset: str) -> list[int]:
    """Return the sizes of the ruleset that are played on a ladder."""
    return list(Ladder.objects.filter(ruleset=ruleset).order_by("size").values_list("size", flat=True).distinct())


def _rows(places: Sequence[int], band: int | None) -> QuerySet[OpeningTurn]:
    rows = OpeningTurn.objects.filter(place__in=places)
    return rows if band is None else rows.filter(band=band)


def _continuations(here: Place, band: int | None) -> QuerySet[OpeningTurn, dict[str, Any]]:
    """Return the end of games, if any ended here, and then the most frequent turns. Each row also has the totals."""
    sums = {f"all_{name}": Sum(name) for name in _COUNTS}
    # The database computes windows before it limits the rows.
    totals = {f"total_{name}": Window(_SumOfSums(F(f"all_{name}"))) for name in _COUNTS}
    return _rows([here.key], band).values("turn").annotate(
        **sums, **totals, last=Max("newest"), different=Window(Count("*")),
        # An aggregate, because the rows are grouped by the turn alone.
        goes_on=Max(Case(When(turn=END, then=0), default=1)),
    ).order_by("goes_on", "-all_games", "turn")[:MOST_TURNS + 1]


def _line(position: Position, here: Place, row: dict[str, Any]) -> Line | None:
    """Return the line; None if earlier boards, which other games did not have, forbid the turn in this one."""
    turns = [turn for turn in here.turns(position, row["turn"]) if position.is_legal(turn)]
    if not turns:
        return None
    images = [position.format(turn) for turn in turns]
    return Line(images[0], images, _score(position.seat_to_move, row), row["last"])


def _games_after(reached: Reached, lines: Sequence[Line], band: int | None) -> set[int]:
    """Return the newest games of the turns after the first of these."""
    position, ply = reached.position, len(reached.turns) + 1
    places = [place(position.after(position.parse(line.turn)), ply).key for line in lines[:MOST_GAMES]]
    return set(_rows(places, band).order_by("-newest").values_list("newest", flat=True)[:2 * MOST_GAMES])


def _score(seat: int, row: dict[str, Any], prefix: str = "all") -> Score:
    """Return the score of the seat; the row counts the games that the first player won and drew."""
    games, wins, draws = (int(row[f"{prefix}_{name}"]) for name in _COUNTS)
    losses = games - wins - draws
    return Score(losses, draws, wins) if seat else Score(wins, draws, losses)
