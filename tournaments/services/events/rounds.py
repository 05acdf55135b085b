"""Making an event's rounds: all of them at the start, or one when the last is over; and matches more for level ties.

Nothing is remembered between rounds: what is next follows from the draw and from the matches that have ended. A
Swiss round of many is long in the making, so it is made before the locks are taken, and under them found again.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from random import Random
from typing import Final

from django.db import transaction
from django.db.models import F

from tournaments.formats.history import Due
from tournaments.formats.registry import ROUND_BY_ROUND, find
from tournaments.models import Bye, Entry, Event, Match, Round
from tournaments.models.lifecycle import EventStatus, MatchStatus
from tournaments.selectors.events.history import history_of
from tournaments.services.matches.match_rows import MatchRow, insert_matches
from tournaments.services.matches.openings import Drawing, among
from tournaments.services.shared.locks import Lock, hold

_SEEDS: Final = 63


def pair_start(event: Event, entries: Sequence[Entry], now: datetime) -> None:
    """Insert the rounds with which the event begins: all, or the first. In the transaction that starts it.

    Hold Lock.OPENINGS. Where the format takes a number of rounds, the event is given it here: it depends on how many
    entered.
    """
    format_ = find(event.format)
    if format_.takes_rounds:
        event.swiss_rounds = format_.rounds(len(entries), event.swiss_rounds)
        Event.objects.filter(pk=event.pk).update(swiss_rounds=event.swiss_rounds)
    _insert(event, entries, format_.first_rounds(history_of(event)), now)


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
        due = find(locked.format).next(history_of(locked))
        if due is None:
            return False
        _insert(locked, list(locked.entries.filter(place__isnull=False).order_by("place")), [due], now)
        Event.objects.filter(pk=event.pk).update(revision=F("revision") + 1)
    return True


def prepare(event: Event) -> None:
    """Make the next round of a Swiss as the event is now, outside of any transaction; under the locks it is known then.

    Should the event change in between, it is made again there, of what the event has become.
    """
    format_ = find(event.format)
    if format_.is_slow_to_pair and not _goes_on(event):
        format_.next(history_of(event))


def is_complete(event: Event) -> bool:
    """Whether an event whose matches have all ended has no match left to make."""
    format_ = find(event.format)
    return not format_.is_round_by_round or format_.next(history_of(event)) is None


def is_settled(match: Match) -> bool:
    """Whether later rounds were paired, or a knockout won, by how the match ended: it cannot be played again."""
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
    new = [Round(event=event, number=due.number, label=due.label[:60]) for due in plan if not due.extra]
    rows = {row.number: row for row in Round.objects.bulk_create(new, batch_size=1000)}
    for due in plan:
        if due.extra:
            rows[due.number] = event.rounds.get(number=due.number)
    Bye.objects.bulk_create(Bye(round=rows[due.number], entry=entries[place]) for due in plan for place in due.byes)
    versions = [entry.version_id for entry in entries]
    drawing = Drawing(event.ladder, among(versions),
                      meet_once=event.cycles == 1 and not find(event.format).is_round_by_round)
    # Read before the rows are written: while they are, PostgreSQL's connection answers no query.
    played = {due.number: rows[due.number].matches.count() for due in plan if due.extra}
    matches = (match for due in plan
               for match in _matches(event, versions, rows[due.number], due, played.get(due.number, 0)))
    insert_matches(event, matches, drawing if event.openings else None, now)


def _matches(event: Event, versions: Sequence[int], row: Round, due: Due, played: int) -> Iterator[MatchRow]:
    """The matches of a round, which has so many so far. What is paired round by round plays all its cycles in it."""
    cycles = 1 if due.extra or not find(event.format).is_round_by_round else event.cycles
    dice = Random(f"{event.seed}/{due.number}/{played}")  # noqa: S311 - a draw that can be repeated, not a secret
    pairs = (pair if cycle % 2 == 0 else pair[::-1] for cycle in range(cycles) for pair in due.pairs)
    for number, (first, second) in enumerate(pairs, start=played + 1):
        yield MatchRow(row.pk, number, versions[first], versions[second], dice.getrandbits(_SEEDS))
