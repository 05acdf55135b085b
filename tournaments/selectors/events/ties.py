"""What the matches of a pairing came to: the ties of an event, round by round, from the facts in the database."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from tournaments.formats import KNOCKOUTS, MOST_EXTRA_MATCHES
from tournaments.models import Entry, Event, Game, Match
from tournaments.models.lifecycle import MATCH_ENDED, MatchStatus
from tournaments.scoring.scores import GAMES_PER_MATCH


@dataclass(slots=True)
class Tie:
    """The matches of one pairing in one round. Entrants are their places in the draw; `points` are of games.

    A void match counts half of its games for each. `gone` are those who had left when a match was cancelled.
    """

    first: int
    second: int
    points: list[float] = field(default_factory=lambda: [0.0, 0.0])
    matches: int = 0
    played: int = 0
    void: int = 0
    open: int = 0
    last_is_void: bool = False
    gone: set[int] = field(default_factory=set)

    @property
    def better_seed(self) -> int:
        return min(self.first, self.second)

    @property
    def walkover(self) -> int | None:
        """Who has it because the other left; the better seed when both did, None when nobody did."""
        if not self.gone:
            return None
        left = {self.first, self.second} - self.gone
        return min(left or self.gone)

    @property
    def leader(self) -> int | None:
        """Who has more points; None while they are level."""
        if self.points[0] == self.points[1]:
            return None
        return self.first if self.points[0] > self.points[1] else self.second

    def needs_another(self, cycles: int) -> bool:
        """Whether a level tie of a knockout, all of whose matches have ended, gets one match more."""
        return (self.walkover is None and self.leader is None and not self.last_is_void
                and self.matches < cycles + MOST_EXTRA_MATCHES)

    def winner(self) -> int:
        """Who advances from an ended tie of a knockout: by walkover, by points, else as the better seed."""
        decided = self.leader if self.walkover is None else self.walkover
        return self.better_seed if decided is None else decided

    def scores(self) -> tuple[float, float]:
        """What an ended tie counts in a Swiss: 1, ½ or 0 for the majority of the points."""
        decided = self.leader if self.walkover is None else self.walkover
        if self.gone >= {self.first, self.second}:
            return 0.0, 0.0
        if decided is None:
            return 0.5, 0.5
        return (1.0, 0.0) if decided == self.first else (0.0, 1.0)


def ties_of(event: Event, rounds: Iterable[int] | None = None) -> dict[int, list[Tie]]:
    """The event's ties by round number, in the order in which they were paired; of these rounds only, if given."""
    places = {entry.version_id: entry for entry in event.entries.filter(place__isnull=False)}
    matches = Match.objects.filter(event=event).order_by("round__number", "number")
    games = Game.objects.filter(event=event)
    if rounds is not None:
        wanted = list(rounds)
        matches, games = matches.filter(round__number__in=wanted), games.filter(match__round__number__in=wanted)
    points = _points(games.values_list("match", "seat0", "seat1", "winner"))
    ties: dict[int, dict[frozenset[int], Tie]] = defaultdict(dict)
    for row in matches.values_list("pk", "round__number", "first", "second", "status", "ended_at"):
        pk, number, first, second, status, ended_at = row
        one, other = places[first], places[second]
        pair = frozenset((first, second))
        tie = ties[number].setdefault(pair, Tie(one.place or 0, other.place or 0))
        _add(tie, status, {one.place or 0: points[pk, first], other.place or 0: points[pk, second]})
        if status == MatchStatus.CANCELLED:
            tie.gone |= _gone((one, other), ended_at)
    if event.format in KNOCKOUTS:
        left = {entry.place or 0: entry.left_at for entry in places.values() if entry.left_at is not None}
        for tie in (tie for of_round in ties.values() for tie in of_round.values()):
            _give_up(tie, event.cycles, left)
    return {number: list(of_round.values()) for number, of_round in ties.items()}


def _give_up(tie: Tie, cycles: int, left: Mapping[int, datetime]) -> None:
    """Let a level tie that would get another match go to who is there: of two who have left, to who stayed longer."""
    leavers = [place for place in (tie.first, tie.second) if place in left]
    if leavers and not tie.open and tie.needs_another(cycles):
        tie.gone.add(min(leavers, key=left.__getitem__))


def _points(games: Iterable[tuple[int, int, int, int | None]]) -> Mapping[tuple[int, int], float]:
    points: dict[tuple[int, int], float] = defaultdict(float)
    for match, seat0, seat1, winner in games:
        points[match, seat0] += 0.5 if winner is None else float(winner == 0)
        points[match, seat1] += 0.5 if winner is None else float(winner == 1)
    return points


def _add(tie: Tie, status: str, points: Mapping[int, float]) -> None:
    tie.matches += 1
    tie.played += status == MatchStatus.FINISHED
    tie.open += status not in MATCH_ENDED
    tie.last_is_void = status == MatchStatus.VOID
    tie.void += tie.last_is_void
    for side, place in enumerate((tie.first, tie.second)):
        tie.points[side] += GAMES_PER_MATCH / 2 if tie.last_is_void else points[place]


def _gone(entries: tuple[Entry, Entry], cancelled_at: datetime | None) -> set[int]:
    return {entry.place or 0 for entry in entries
            if entry.left_at is not None and cancelled_at is not None and entry.left_at <= cancelled_at}
