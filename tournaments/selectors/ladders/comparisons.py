"""Reads about opponents on a ladder: games by seat, and the results that the ratings predict."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import Q

from ratings.chances import chances
from ratings.models import OfficialLine, OfficialTable, PairCounts
from tournaments.models import Bot, Ladder, Version
from tournaments.scoring.scores import Score
from tournaments.selectors.ladders import official

# With fewer games, an opponent is neither among the best nor among the worst.
LEAST_GAMES: Final = 10


@dataclass(slots=True)
class Meeting:
    """The games of one side against another, by the seat of the first side, and the points that were expected.

    `expected` refers to the `foreseen` games, those of versions that are rated; `foreseen_points` are
    the points from these games.
    """

    seats: tuple[Score, Score] = field(default_factory=lambda: (Score(), Score()))
    expected: float = 0.0
    foreseen: int = 0
    foreseen_points: float = 0.0

    @property
    def score(self) -> Score:
        """Score over both seats."""
        one, other = self.seats
        return Score(one.wins + other.wins, one.draws + other.draws, one.losses + other.losses)

    @property
    def expected_share(self) -> float | None:
        """Expected points per game; None if no game has an expected result."""
        return self.expected / self.foreseen if self.foreseen else None

    @property
    def actual_share(self) -> float | None:
        """Actual points per game, in the games that have an expected result."""
        return self.foreseen_points / self.foreseen if self.foreseen else None

    @property
    def surplus(self) -> float:
        """Actual minus expected points per game; 0 if no game has an expected result."""
        return (self.foreseen_points - self.expected) / self.foreseen if self.foreseen else 0.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sides on a ladder: their official lines, if they have any, and their rated games.

    `difference` is the first side's rating minus the second's, None if no games connect them.
    """

    table: OfficialTable | None
    first: OfficialLine | None
    second: OfficialLine | None
    difference: Any
    meeting: Meeting


@dataclass(frozen=True, slots=True)
class Opponent:
    """An opponent, and the games against it."""

    bot: Bot
    meeting: Meeting


def compare(ladder: Ladder, first: Bot | Version, second: Bot | Version) -> Comparison:
    """Compare two sides. A bot has the games of all its versions, and the rating of the one that plays there."""
    table = official.table_of(ladder)
    lines = [official.line_of(table, side) if isinstance(side, Bot) else official.line_of_version(table, side)
             for side in (first, second)]
    return Comparison(table, lines[0], lines[1], _difference(*lines), meeting(ladder, _ids(first), _ids(second)))


def _difference(first: OfficialLine | None, second: OfficialLine | None) -> Any:
    if first is None or second is None:
        return None
    # Imported here, because most web processes never need arrays.
    from ratings.tables import difference

    return difference(first, second)


def _ids(side: Bot | Version) -> set[int]:
    """Return the versions that play for the side."""
    return set(side.versions.values_list("pk", flat=True)) if isinstance(side, Bot) else {side.pk}


def meeting(ladder: Ladder, mine: Collection[int], theirs: Collection[int]) -> Meeting:
    """Return the rated games of versions against others (IDs) on the ladder; three queries."""
    rows = PairCounts.objects.filter(Q(low__in=mine, high__in=theirs) | Q(low__in=theirs, high__in=mine), ladder=ladder)
    return _counted(ladder, rows, mine, dict.fromkeys(theirs, 0)).get(0) or Meeting()


def shared_ladders(first: Bot, second: Bot) -> list[Ladder]:
    """Return the ladders on which both bots have ratings, by slug."""
    return list(Ladder.objects.filter(ratings__bot=first).filter(ratings__bot=second).order_by("slug"))


def opponents(ladder: Ladder, bot: Bot) -> list[Opponent]:
    """Return the bot's opponents on the ladder in rated games, the most frequent first; six queries."""
    mine = set(Version.objects.filter(bot=bot).values_list("pk", flat=True))
    rows = list(PairCounts.objects.filter(Q(low__in=mine) | Q(high__in=mine), ladder=ladder))
    others = {pk for pair in rows for pk in (pair.low_id, pair.high_id)} - mine
    met = _counted(ladder, rows, mine, dict(Version.objects.filter(pk__in=others).values_list("pk", "bot")))
    bots = Bot.objects.select_related("owner").in_bulk(met)
    listed = [Opponent(bots[each], games) for each, games in met.items()]
    return sorted(listed, key=lambda each: (-each.meeting.score.games, each.bot.slug))


def extremes(met: Iterable[Opponent], count: int) -> tuple[list[Opponent], list[Opponent]] | None:
    """Return the opponents against which the score is most above the expected one, and those most below it.

    Only opponents with LEAST_GAMES games that have an expected result; None if there is none.
    """
    known = sorted((each for each in met if each.meeting.foreseen >= LEAST_GAMES),
                   key=lambda each: -each.meeting.surplus)
    if not known:
        return None
    best = [each for each in known if each.meeting.surplus > 0]
    worst = [each for each in reversed(known) if each.meeting.surplus < 0]
    return best[:count], worst[:count]


def _counted(ladder: Ladder, rows: Iterable[PairCounts], mine: Collection[int],
             sides: Mapping[int, int]) -> dict[int, Meeting]:
    """Return the games of versions of mine in these rows, by the other version's side; other games are left out."""
    met_here = [pair for pair in rows if (pair.low_id in mine and pair.high_id in sides)
                or (pair.high_id in mine and pair.low_id in sides)]
    strength = _Strength(ladder, {pk for pair in met_here for pk in (pair.low_id, pair.high_id)})
    met: dict[int, Meeting] = {}
    for pair in met_here:
        six = pair.counts
        if pair.low_id in mine:
            me, other, first, second = pair.low_id, pair.high_id, six[:3], six[:2:-1]
        else:
            me, other, first, second = pair.high_id, pair.low_id, six[3:], six[2::-1]
        _add(met.setdefault(sides[other], Meeting()), first, second, strength.expected(me, other))
    return met


def _add(to: Meeting, first: tuple[int, ...], second: tuple[int, ...],
         expected: tuple[float, float] | None) -> None:
    """Add wins, draws and losses on the first seat and on the second, and the points expected of each game."""
    for score, games in zip(to.seats, (first, second), strict=True):
        score.wins += games[0]
        score.draws += games[1]
        score.losses += games[2]
    if expected is not None:
        to.expected += expected[0] * sum(first) + expected[1] * sum(second)
        to.foreseen += sum(first) + sum(second)
        to.foreseen_points += sum(games[0] + games[1] / 2 for games in (first, second))


class _Strength:
    """Strengths of some versions (IDs) on the ladder; two queries."""

    def __init__(self, ladder: Ladder, versions: Collection[int]) -> None:
        self._table = OfficialTable.objects.filter(ladder=ladder).first()
        listed = OfficialLine.objects.filter(table=self._table, version__in=versions) if self._table else ()
        self._theta = {line.version_id: line.theta for line in listed}

    def expected(self, me: int, other: int) -> tuple[float, float] | None:
        """Return the expected points of my version as first and as second player; None if either has no line."""
        if self._table is None or me not in self._theta or other not in self._theta:
            return None
        facts = {"eta": self._table.eta, "nu": self._table.nu}
        mine, theirs = self._theta[me], self._theta[other]
        return chances(mine, theirs, **facts).score, 1.0 - chances(theirs, mine, **facts).score
