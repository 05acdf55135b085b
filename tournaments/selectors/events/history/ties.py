"""Rounds that follow from earlier ones: their ties, and the byes of entrants."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime

from tournaments.formats.history import RoundSoFar, Tie
from tournaments.formats.registry import find
from tournaments.models import Bye, Entry, Event, Match
from tournaments.models.lifecycle import MATCH_ENDED, MatchStatus
from tournaments.scoring.scores import GAMES_PER_MATCH
from tournaments.selectors.events.history.points import points_of


def rounds_of(event: Event) -> list[RoundSoFar]:
    """Return the rounds with their ties and byes."""
    ties, (byes, rests) = ties_of(event), byes_of(event)
    return [RoundSoFar(number, ties.get(number, ()), frozenset(byes.get(number, ())), rests.get(number, {}))
            for number in event.rounds.order_by("number").values_list("number", flat=True)]


def byes_of(event: Event) -> tuple[dict[int, set[int]], dict[int, dict[int, float]]]:
    """Return, by round number, the entrants who have a bye or a walkover without a match, and the points of others.

    The others requested the bye, or entered later.
    """
    byes: dict[int, set[int]] = {}
    rests: dict[int, dict[int, float]] = {}
    for number, place, points in Bye.objects.filter(round__event=event).values_list(
            "round__number", "entry__place", "points"):
        if points < 1:
            rests.setdefault(number, {})[place] = points
        else:
            byes.setdefault(number, set()).add(place)
    return byes, rests


def ties_of(event: Event) -> dict[int, list[Tie]]:
    """Return the event's ties by round number, in the order in which they were paired."""
    places = {entry.version_id: entry for entry in event.entries.filter(place__isnull=False)}
    matches = Match.objects.filter(event=event).order_by("round__number", "number")
    points = points_of(event)
    ties: dict[int, dict[frozenset[int], Tie]] = defaultdict(dict)
    for row in matches.values_list("pk", "round__number", "first", "second", "status", "ended_at"):
        pk, number, first, second, status, ended_at = row
        one, other = places[first], places[second]
        pair = frozenset((first, second))
        tie = ties[number].setdefault(pair, Tie(one.place or 0, other.place or 0))
        _add(tie, status, {one.place or 0: points[pk, first], other.place or 0: points[pk, second]})
        if status == MatchStatus.CANCELLED:
            tie.gone |= _gone((one, other), ended_at)
    left = {entry.place or 0: entry.left_at for entry in places.values() if entry.left_at is not None}
    for tie in (tie for of_round in ties.values() for tie in of_round.values()):
        find(event.format).settle(tie, event.cycles, left)
    return {number: list(of_round.values()) for number, of_round in ties.items()}


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
