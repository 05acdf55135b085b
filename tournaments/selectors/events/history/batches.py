"""Events with a target: the pairs of each batch, and the games.

What follows from the games of a finished match does not change, so pages cache it, and read each record only once.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, Final

from tournaments.formats.history import Played, RoundSoFar
from tournaments.models import Entry, Event, Game, Match
from tournaments.models.lifecycle import MatchStatus
from tournaments.scoring.repeats import shortened
from tournaments.selectors.shared.cache import last_cached, store

_KEPT: Final = "played"
# With more new matches than this, all games since the first of them are read.
_NAMED: Final = 1000


def batches_of(
    event: Event, entries: Sequence[Entry], *, kept: bool,
) -> tuple[list[RoundSoFar], tuple[Played, ...]]:
    """Return the batches as rounds without ties, and the finished matches in the order in which they were paired.

    With `kept`, matches come from the cache.
    """
    places = {entry.version_id: entry.place or 0 for entry in entries}
    left = [(entry.left_at, entry.place or 0) for entry in entries if entry.left_at is not None]
    pairs: dict[int, list[tuple[int, int]]] = {
        number: [] for number in event.rounds.order_by("number").values_list("number", flat=True)}
    paired: dict[int, datetime] = {}
    finished: list[int] = []
    for pk, number, first, second, status, created_at in (
            Match.objects.filter(event=event).order_by("round__number", "number")
            .values_list("pk", "round__number", "first", "second", "status", "created_at")):
        if number not in pairs:
            # It was paired after the rounds were read.
            continue
        pairs[number].append((places[first], places[second]))
        paired[number] = created_at
        if status == MatchStatus.FINISHED:
            finished.append(pk)
    rounds = [RoundSoFar(number, (), frozenset(), pairs=of_round, absent=frozenset(
        place for left_at, place in left if number in paired and left_at <= paired[number]
        # An entrant that was paired was there, even if it left at the same moment.
        and not any(place in pair for pair in of_round))) for number, of_round in pairs.items()]
    known = last_cached([event], _KEPT).get(event.pk, ("", {}))[1] if kept else {}
    if new := {*finished} - known.keys():
        known |= _played(event, new, places, known_some=bool(known))
        if kept:
            store(event, _KEPT, known)
    return rounds, tuple(Played(*known[pk]) for pk in finished)


def _played(event: Event, new: Collection[int], places: dict[int, int], *,
            known_some: bool) -> dict[int, tuple[Any, ...]]:
    """Return the new matches by ID, as plain data for the cache; without `known_some`, these are all."""
    games = Game.objects.filter(event=event)
    if known_some:
        games = games.filter(match__in=new) if len(new) <= _NAMED else games.filter(match__gte=min(new))
    rows = (games.order_by("match__round__number", "match__number", "number")
            .values_list("match", "match__round__number", "match__number", "seat0", "seat1", "winner", "record",
                         "ended_at"))
    found = {}
    for pk, of_match in groupby(rows.iterator(chunk_size=500), key=lambda row: row[0]):
        two = list(of_match)
        found[pk] = tuple(Played.of(
            *two[0][1:3], [(places[game[3]], places[game[4]]) for game in two], [game[5] for game in two],
            two[0][6]["opening"], [shortened(turn["turn"] for turn in game[6]["turns"]) for game in two],
            event.started_at.isoformat(), two[-1][7].isoformat()))  # type: ignore[union-attr] - it has started
    return found
