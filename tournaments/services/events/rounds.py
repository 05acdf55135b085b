"""Creation of an event's rounds, all at the start or one after the other, and of extra matches for level ties.

Nothing is stored between rounds: the next one follows from the draw and from the matches that have ended. Pairing a
large Swiss round takes long, so it is paired before the locks are taken; under the locks, the result comes from a
cache.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from random import Random
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import F

from tournaments.formats.history import Due
from tournaments.formats.registry import ROUND_BY_ROUND, find
from tournaments.models import Bye, Entry, Event, Match, Round
from tournaments.models.lifecycle import EventStatus, MatchStatus
from tournaments.selectors.events.history.reading import history_of
from tournaments.services.matches.match_rows import MatchRow, insert_matches
from tournaments.services.matches.openings import Drawing, among, between
from tournaments.services.shared.locks import Lock, hold
from tournaments.services.shared.wakeups import Step, wake

_SEEDS: Final = 63


def pair_start(event: Event, entries: Sequence[Entry], now: datetime) -> None:
    """Insert the first rounds of an event: all, or one. Call it in the transaction that starts the event.

    Hold Lock.OPENINGS. If the format takes a number of rounds, the event is given it here, because it depends on the
    number of entrants.
    """
    format_ = find(event.format)
    if format_.takes_rounds:
        event.swiss_rounds = format_.rounds(len(entries), event.swiss_rounds)
        Event.objects.filter(pk=event.pk).update(swiss_rounds=event.swiss_rounds)
    _insert(event, entries, format_.first_rounds(history_of(event, now=now)), now)


def pair_next(*, event: Event, now: datetime) -> bool:
    """Insert what is due in a running event whose matches have all ended; return False if nothing is due.

    Of several callers, only one succeeds: the event is locked, and each round has its own number.
    """
    prepare(event)
    with transaction.atomic():
        hold(Lock.OPENINGS)
        locked = (Event.objects.select_for_update(of=("self",), no_key=True).select_related("ladder")
                  .filter(pk=event.pk, status=EventStatus.RUNNING, format__in=ROUND_BY_ROUND).first())
        if locked is None or _goes_on(locked):
            return False
        due = find(locked.format).next(history_of(locked))
        if due is None:
            return False
        _insert(locked, list(locked.entries.filter(place__isnull=False).order_by("place")), [due], now)
        Event.objects.filter(pk=event.pk).update(revision=F("revision") + 1)
        wake(Step.PUBLISH)
    return True


def pair_wave(*, event: Event, now: datetime) -> bool:
    """Pair free entrants of a running continuous event; return False if there is nothing to pair.

    The wave is paired before the event is locked, from what is known then, which is stored with it. Under the lock, it
    is inserted unless a paired entrant has left, or another process has paired a wave.
    """
    due = find(event.format).next(history_of(event, now=now))
    if due is None:
        return False
    paired = {place for pair in due.pairs for place in pair}
    try:
        with transaction.atomic():
            hold(Lock.OPENINGS)
            locked = (Event.objects.select_for_update(of=("self",), no_key=True).select_related("ladder", "book")
                      .filter(pk=event.pk, status=EventStatus.RUNNING).first())
            if locked is None or locked.entries.filter(place__in=paired, left_at__isnull=False).exists():
                return False
            _insert(locked, list(locked.entries.filter(place__isnull=False).order_by("place")), [due], now)
            Event.objects.filter(pk=event.pk).update(revision=F("revision") + 1)
            wake(Step.PUBLISH)
    except IntegrityError:
        if not event.rounds.filter(number=due.number).exists():
            raise
        # Another coordinator has inserted a wave with this number.
        return False
    return True


def prepare(event: Event) -> None:
    """Pair the next round of a slow format outside any transaction, so that the result is cached under the locks.

    If the event changes in between, the round is paired again under the locks.
    """
    format_ = find(event.format)
    if format_.is_slow_to_pair and not _goes_on(event):
        format_.next(history_of(event))


def is_complete(event: Event, now: datetime) -> bool:
    """Return whether an event whose matches have all ended needs no more matches."""
    format_ = find(event.format)
    return not format_.is_round_by_round or format_.is_complete(history_of(event, now=now))


def is_settled(match: Match) -> bool:
    """Return whether later rounds or a knockout's winner follow from the match, so that it cannot be replayed."""
    event = match.event
    if event is None or not find(event.format).is_round_by_round or match.round is None:
        return False
    if find(event.format).is_bracket and event.status == EventStatus.FINISHED:
        return True
    return event.rounds.filter(number__gt=match.round.number).exists()


def _goes_on(event: Event) -> bool:
    return Match.objects.filter(event=event, status__in=[MatchStatus.QUEUED, MatchStatus.RUNNING]).exists()


def _insert(event: Event, entries: Sequence[Entry], rounds: Iterable[Due], now: datetime) -> None:
    """Insert rounds with their matches and byes."""
    plan = list(rounds)
    new = [Round(event=event, number=due.number, label=due.label[:60], apart_relaxed=due.apart_relaxed,
                 known=due.known and due.known._asdict())
           for due in plan if not due.extra]
    rows = {row.number: row for row in Round.objects.bulk_create(new, batch_size=1000)}
    for due in plan:
        if due.extra:
            rows[due.number] = event.rounds.get(number=due.number)
    Bye.objects.bulk_create(Bye(round=rows[due.number], entry=entries[place]) for due in plan for place in due.byes)
    versions = [entry.version_id for entry in entries]
    # A wave reads the earlier matches of its own pairs only: an arena has many waves.
    earlier = (between({frozenset((versions[one], versions[other])) for due in plan for one, other in due.pairs})
               if find(event.format).is_continuous else among(versions))
    drawing = Drawing(event.ladder, earlier,
                      meet_once=event.cycles == 1 and not find(event.format).is_round_by_round, book=event.book)
    # Read before the rows are written: during that, PostgreSQL's connection answers no queries.
    played = {due.number: rows[due.number].matches.count() for due in plan if due.extra}
    matches = (match for due in plan
               for match in _matches(event, versions, rows[due.number], due, played.get(due.number, 0)))
    insert_matches(event, matches, drawing if event.openings else None, now)


def _matches(event: Event, versions: Sequence[int], row: Round, due: Due, played: int) -> Iterator[MatchRow]:
    """Yield the matches of a round, of which `played` exist already.

    In formats paired round by round, all cycles are played within the round.
    """
    cycles = 1 if due.extra or not find(event.format).is_round_by_round else event.cycles
    dice = Random(f"{event.seed}/{due.number}/{played}")  # noqa: S311 - reproducible draw, not a secret
    pairs = (pair if cycle % 2 == 0 else pair[::-1] for cycle in range(cycles) for pair in due.pairs)
    for number, (first, second) in enumerate(pairs, start=played + 1):
        yield MatchRow(row.pk, number, versions[first], versions[second], dice.getrandbits(_SEEDS))
