"""Making an event's rounds: all of them at the start, or one when the last is over; and matches more for level ties.

Nothing is remembered between rounds: what is next follows from the draw and from the matches that have ended. A
Swiss round of many is long in the making, so it is made before the locks are taken, and under them found again.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from random import Random
from typing import Final

from django.db import transaction
from django.db.models import F

from tournaments.formats import KNOCKOUTS, ROUND_BY_ROUND, rounds_of_swiss
from tournaments.models import Bye, Entry, Event, Match, Round
from tournaments.models.lifecycle import EventFormat, EventStatus, MatchStatus
from tournaments.pairing.gauntlet import gauntlet
from tournaments.pairing.round_robin import Pairing, round_robin
from tournaments.pairing.swiss import NoPairing, SwissPairings, SwissRound, next_round
from tournaments.selectors.events.history import knockout_of, knockout_stages, swiss_history
from tournaments.selectors.events.ties import Tie, ties_of
from tournaments.services.matches.match_rows import MatchRow, insert_matches
from tournaments.services.matches.openings import Drawing, among
from tournaments.services.shared.locks import Lock, hold

_SEEDS: Final = 63


@dataclass(frozen=True, slots=True)
class Due:
    """What is to be inserted next: matches of a new round, or more of the last one. Entrants are places."""

    number: int
    pairs: Sequence[Pairing]
    byes: Sequence[int] = ()
    label: str = ""
    extra: bool = False


def pair_start(event: Event, entries: Sequence[Entry], now: datetime) -> None:
    """Insert the rounds with which the event begins: all, or the first. In the transaction that starts it.

    Hold Lock.OPENINGS. A Swiss is given its number of rounds here, which depends on how many entered.
    """
    if event.format == EventFormat.SWISS:
        event.swiss_rounds = rounds_of_swiss(len(entries), event.swiss_rounds)
        Event.objects.filter(pk=event.pk).update(swiss_rounds=event.swiss_rounds)
    if event.format in ROUND_BY_ROUND:
        due = _due(event, list(entries))
        if due is not None:
            _insert(event, entries, [due], now)
        return
    places = range(len(entries))
    runners = [place for place in places if entries[place].runs_the_gauntlet]
    schedule = (gauntlet(runners, [place for place in places if place not in set(runners)], event.cycles)
                if event.format == EventFormat.GAUNTLET else round_robin(len(entries), event.cycles))
    _insert(event, entries, (Due(number, pairs) for number, pairs in enumerate(schedule, start=1)), now)


def pair_next(*, event: Event, now: datetime) -> bool:
    """Insert what is due in a running event whose matches have all ended; False when there is nothing.

    Of several who try, one does: the event is locked, and a round is numbered once.
    """
    prepare(event)
    with transaction.atomic():
        hold(Lock.OPENINGS)
        locked = (Event.objects.select_for_update(of=("self",), no_key=True).select_related("ladder")
                  .filter(pk=event.pk, status=EventStatus.RUNNING, format__in=ROUND_BY_ROUND).first())
        if locked is None or _goes_on(locked):
            return False
        entries = _entrants(locked)
        due = _due(locked, entries)
        if due is None:
            return False
        _insert(locked, entries, [due], now)
        Event.objects.filter(pk=event.pk).update(revision=F("revision") + 1)
    return True


def prepare(event: Event) -> None:
    """Make the next round of a Swiss as the event is now, outside of any transaction; under the locks it is known then.

    Should the event change in between, it is made again there, of what the event has become.
    """
    if event.format == EventFormat.SWISS and not _goes_on(event):
        _due(event, _entrants(event))


def is_complete(event: Event) -> bool:
    """Whether an event whose matches have all ended has no match left to make."""
    return event.format not in ROUND_BY_ROUND or _due(event, _entrants(event)) is None


def is_settled(match: Match) -> bool:
    """Whether later rounds were paired, or a knockout won, by how the match ended: it cannot be played again."""
    event = match.event
    if event is None or event.format not in ROUND_BY_ROUND or match.round is None:
        return False
    if event.format in KNOCKOUTS and event.status == EventStatus.FINISHED:
        return True
    return event.rounds.filter(number__gt=match.round.number).exists()


# --- what is due -----------------------------------------------------------------------------


def _due(event: Event, entries: Sequence[Entry]) -> Due | None:
    last = event.rounds.order_by("-number").values_list("number", flat=True).first() or 0
    if event.format == EventFormat.SWISS:
        return _due_swiss(event, entries, last)
    level = [tie for tie in ties_of(event, [last]).get(last, ()) if tie.needs_another(event.cycles)]
    if level:
        return Due(last, [_turned(tie) for tie in level], extra=True)
    stage = knockout_of(event).next_stage(len(entries), knockout_stages(event, len(entries)))
    if stage is None:
        return None
    gone = {entry.place for entry in entries if entry.left_at is not None}
    walkovers = [min({*pair} - gone or pair) for pair in stage.ties if gone & {*pair}]
    return Due(last + 1, [pair for pair in stage.ties if not gone & {*pair}], [*stage.byes, *walkovers], stage.label)


def _due_swiss(event: Event, entries: Sequence[Entry], last: int) -> Due | None:
    absent = frozenset(place for place, entry in enumerate(entries) if entry.left_at is not None)
    if last >= (event.swiss_rounds or 0) or len(entries) - len(absent) < 2:
        return None
    paired = _paired(len(entries), event.swiss_rounds or 0, tuple(swiss_history(event)), absent)
    if paired is None:
        # So many have left that everybody present has met: the event ends with the rounds that were played.
        return None
    return Due(last + 1, paired.pairs, [] if paired.bye is None else [paired.bye])


@lru_cache(maxsize=16)
def _paired(entrants: int, rounds: int, history: tuple[SwissRound, ...],
            absent: frozenset[int]) -> SwissPairings | None:
    """`next_round`, whose answer depends on its arguments alone; None where no pairing is left."""
    try:
        return next_round(entrants, rounds, history, absent)
    except NoPairing:
        return None


def _turned(tie: Tie) -> Pairing:
    """The pair of a tie's next match: who began the last one is second."""
    return (tie.first, tie.second) if tie.matches % 2 == 0 else (tie.second, tie.first)


def _entrants(event: Event) -> list[Entry]:
    return list(event.entries.filter(place__isnull=False).order_by("place"))


def _goes_on(event: Event) -> bool:
    return Match.objects.filter(event=event, status__in=[MatchStatus.QUEUED, MatchStatus.RUNNING]).exists()


# --- inserting -------------------------------------------------------------------------------


def _insert(event: Event, entries: Sequence[Entry], rounds: Iterable[Due], now: datetime) -> None:
    """Insert rounds with their matches and byes."""
    plan = list(rounds)
    new = [Round(event=event, number=due.number, label=due.label[:60]) for due in plan if not due.extra]
    rows = {row.number: row for row in Round.objects.bulk_create(new, batch_size=1000)}
    for due in plan:
        if due.extra:
            rows[due.number] = event.rounds.get(number=due.number)
    Bye.objects.bulk_create(Bye(round=rows[due.number], entry=entries[place]) for due in plan for place in due.byes)
    versions = [entry.version_id for entry in entries]
    drawing = Drawing(event.ladder, among(versions),
                      meet_once=event.cycles == 1 and event.format not in ROUND_BY_ROUND)
    # Read before the rows are written: while they are, PostgreSQL's connection answers no query.
    played = {due.number: rows[due.number].matches.count() for due in plan if due.extra}
    matches = (match for due in plan
               for match in _matches(event, versions, rows[due.number], due, played.get(due.number, 0)))
    insert_matches(event, matches, drawing if event.openings else None, now)


def _matches(event: Event, versions: Sequence[int], row: Round, due: Due, played: int) -> Iterator[MatchRow]:
    """The matches of a round, which has so many so far. What is paired round by round plays all its cycles in it."""
    cycles = 1 if due.extra or event.format not in ROUND_BY_ROUND else event.cycles
    dice = Random(f"{event.seed}/{due.number}/{played}")  # noqa: S311 - a draw that can be repeated, not a secret
    pairs = (pair if cycle % 2 == 0 else pair[::-1] for cycle in range(cycles) for pair in due.pairs)
    for number, (first, second) in enumerate(pairs, start=played + 1):
        yield MatchRow(row.pk, number, versions[first], versions[second], dice.getrandbits(_SEEDS))
