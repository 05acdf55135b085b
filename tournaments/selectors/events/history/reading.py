"""An event's history, read from the database as its format takes it: rounds, ties, byes, entrants who left."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import combinations

from tournaments.formats.history import ANNUL, Goal, History, Missed, Played, RoundSoFar
from tournaments.formats.registry import find
from tournaments.models import Entry, Event, Match
from tournaments.models.lifecycle import MatchStatus
from tournaments.selectors.events.history.batches import batches_of
from tournaments.selectors.events.history.ties import rounds_of
from tournaments.selectors.events.history.waves import bouts_of, waves_of


def history_of(
    event: Event, entries: Iterable[Entry] | None = None, now: datetime | None = None, *, kept: bool = False,
    with_known: bool = False,
) -> History:
    """Return the event's history; if rounds do not follow from earlier ones, only the entrants.

    Events of such formats have many matches. `entries` are the event's, if the caller has read them. `now` is for
    continuous formats: without it, the time counts as over. With `kept`, the games of finished matches are read from
    the cache: for pages, but not for pairings. The facts stored with the waves of a continuous event, which are long,
    are read only `with_known`.
    """
    if entries is None:
        entries = (event.entries.select_related("disqualification")
                   .only("event", "place", "runs_the_gauntlet", "left_at", "version", "disqualification__annulled"))
    placed = sorted((entry for entry in entries if entry.place is not None), key=lambda entry: entry.place)
    rounds: list[RoundSoFar] = []
    form = find(event.format)
    games: tuple[Played, ...] = ()
    if form.is_continuous:
        rounds = waves_of(event, with_known=with_known)
    elif form.needs_games:
        rounds, games = batches_of(event, placed, kept=kept)
    elif form.is_round_by_round:
        rounds = rounds_of(event)
    return History(
        entrants=len(placed), cycles=event.cycles, rounds_wanted=event.swiss_rounds, rounds=rounds,
        runners=[entry.place for entry in placed if entry.runs_the_gauntlet],
        left=frozenset(entry.place for entry in placed if entry.left_at is not None), over=event.ended_at is not None,
        annulled=frozenset(entry.place for entry in placed
                           if (ruling := getattr(entry, "disqualification", None)) is not None and ruling.annulled),
        withdrawals=event.withdrawals, missed=_missed(event, placed), together=_together(event),
        apart_rounds=event.apart_rounds, goal=_goal(event), games=games,
        bouts=bouts_of(event, placed) if form.is_continuous else (), minutes=event.minutes, streaks=event.streaks,
        seconds=None if now is None or event.started_at is None else (now - event.started_at).total_seconds())


def _missed(event: Event, entries: Sequence[Entry]) -> list[Missed]:
    """Return the matches that were cancelled because an entrant had left; none if the event keeps all results."""
    places = {entry.version_id: entry.place or 0 for entry in entries}
    left = {entry.place or 0: entry.left_at for entry in entries if entry.left_at is not None}
    if event.withdrawals != ANNUL or not left:
        return []
    rows = (Match.objects.filter(event=event, status=MatchStatus.CANCELLED).order_by("pk")
            .values_list("first", "second", "ended_at"))
    matches = (Missed.of(places[first], places[second], ended_at, left) for first, second, ended_at in rows)
    return [match for match in matches if match.gone]


def _together(event: Event) -> frozenset[frozenset[int]]:
    """Return the pairs of entrants with the same owner or the same team; none if the event does not keep them apart."""
    if not event.apart_rounds:
        return frozenset()
    groups: dict[tuple[str, int], list[int]] = defaultdict(list)
    for place, owner, team in (event.entries.filter(place__isnull=False)
                               .values_list("place", "bot__owner", "bot__team")):
        groups["owner", owner].append(place)
        if team is not None:
            groups["team", team].append(place)
    return frozenset(frozenset(pair) for members in groups.values() for pair in combinations(members, 2))


def _goal(event: Event) -> Goal | None:
    if not event.target:
        return None
    return Goal(event.target, event.target_value, event.max_matches, event.max_hours, event.seed)
