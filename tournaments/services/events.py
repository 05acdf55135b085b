"""An event's life: scheduled, started, paused, resumed, cancelled, finished."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any, Final

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import F

from tournaments.lifecycle import EVENT_TRANSITIONS, MATCH_ENDED, AttemptStatus, EventStatus, MatchKind, MatchStatus
from tournaments.models import Attempt, Entry, Event, Ladder, Match, Round, Version
from tournaments.pairing.round_robin import round_robin
from tournaments.services.errors import Refused
from tournaments.services.locks import Lock, hold
from tournaments.services.openings import draw_openings
from tournaments.services.slugs import free_slug

MOST_CYCLES: Final = 1000
MOST_MATCHES: Final = 200_000
LONGEST_NAME: Final = 80
# Organisers' clocks and forms lag: a start this long ago means "now".
PAST_TOLERANCE: Final = timedelta(seconds=60)


class EventRefused(Refused):
    """An event that cannot be scheduled: too few entrants, a start in the past, a bot that does not play."""


class TransitionRefused(Refused):
    """The event's status does not permit it."""


def create_event(
    *, name: str, ladder: Ladder, versions: Sequence[Version], cycles: int, starts_at: datetime | None,
    created_by: AbstractBaseUser, now: datetime, seed: int, openings: bool = True,
) -> Event:
    """Schedule a round-robin on a ladder; it starts by itself at `starts_at`, or at once for None.

    `seed` (0 to 2**63 - 1) draws the entrants' places and the matches' seeds, and these their openings, unless
    `openings` is false: then games begin with the empty board. Raises EventRefused.
    """
    title = name.strip()
    if not title or len(title) > LONGEST_NAME:
        raise EventRefused(f"An event's name has 1 to {LONGEST_NAME} characters, not {len(title)}.")
    _check_entrants(ladder, versions)
    _check_length(len(versions), cycles)
    start = _check_start(starts_at, now)
    drawn = sorted(versions, key=lambda version: version.pk)
    Random(seed).shuffle(drawn)  # noqa: S311 - a draw that can be repeated, not a secret
    with transaction.atomic():
        event = Event.objects.create(
            slug=free_slug(Event, title, "event"), name=title, ladder=ladder, cycles=cycles, seed=seed,
            openings=openings, starts_at=start, created_by=created_by, created_at=now)
        Entry.objects.bulk_create(Entry(event=event, bot_id=version.bot_id, version=version, place=place,
                                        entered_at=now)
                                  for place, version in enumerate(drawn))
    return event


def _check_entrants(ladder: Ladder, versions: Sequence[Version]) -> None:
    if len({version.bot_id for version in versions}) < 2:
        raise EventRefused(f"An event needs at least two bots, and {len(versions) or 'none'} entered."
                           if len(versions) < 2 else "An event needs at least two bots, and only one entered.")
    seen: set[int] = set()
    for version in versions:
        if version.bot_id in seen:
            raise EventRefused(f"{version.bot.name} is entered twice; a bot enters an event with one version.")
        seen.add(version.bot_id)
        if ladder.ruleset not in version.rulesets:
            raise EventRefused(f"{version} does not play {ladder.ruleset}; it plays {', '.join(version.rulesets)}.")


def _check_length(entrants: int, cycles: int) -> None:
    if not 1 <= cycles <= MOST_CYCLES:
        raise EventRefused(f"An event has 1 to {MOST_CYCLES:,} cycles, not {cycles:,}.")
    matches = entrants * (entrants - 1) // 2 * cycles
    if matches > MOST_MATCHES:
        raise EventRefused(
            f"{entrants} bots in {cycles} cycles make {matches:,} matches; {MOST_MATCHES:,} are allowed.")


def _check_start(starts_at: datetime | None, now: datetime) -> datetime:
    if starts_at is None:
        return now
    if starts_at.utcoffset() is None:
        raise EventRefused("The start needs a time zone, such as 2030-01-31T18:00Z.")
    if starts_at < now - PAST_TOLERANCE:
        raise EventRefused(f"The start, {starts_at:%Y-%m-%d %H:%M %Z}, is in the past; it is {now:%Y-%m-%d %H:%M %Z}.")
    return max(starts_at, now)


def start_event(*, event: Event, now: datetime) -> Event:
    """Insert every round and match of the event, once, whoever else tries. Raises TransitionRefused."""
    with transaction.atomic():
        hold(Lock.OPENINGS)
        _move(event, "start", EventStatus.RUNNING, started_at=now)
        entries = list(event.entries.order_by("place"))
        schedule = round_robin(len(entries), event.cycles)
        rounds = Round.objects.bulk_create(Round(event=event, number=number)
                                           for number in range(1, len(schedule) + 1))
        dice = Random(event.seed)  # noqa: S311 - likewise
        matches = [Match(kind=MatchKind.EVENT, event=event, ladder=event.ladder, rated=event.rated, created_at=now,
                         round=round_, number=number, first_id=entries[first].version_id,
                         second_id=entries[second].version_id, seed=dice.getrandbits(63), ruleset=event.ladder.ruleset)
                   for round_, pairs in zip(rounds, schedule, strict=True)
                   for number, (first, second) in enumerate(pairs, start=1)]
        if event.openings:
            draw_openings(event.ladder, matches)
        Match.objects.bulk_create(matches, batch_size=1000)
    return event


def pause_event(*, event: Event, now: datetime) -> Event:  # noqa: ARG001 - every verb is told the time
    """Hold the matches that have not begun; running ones are played to their end. Raises TransitionRefused."""
    with transaction.atomic():
        _move(event, "pause", EventStatus.PAUSED)
        _open_matches(event).update(held=True)
    return event


def resume_event(*, event: Event, now: datetime) -> Event:  # noqa: ARG001 - likewise
    """Let go of the matches that the pause held. Raises TransitionRefused."""
    with transaction.atomic():
        _move(event, "resume", EventStatus.RUNNING)
        _open_matches(event).update(held=False, published_at=None)
    return event


def cancel_event(*, event: Event, now: datetime) -> Event:
    """End the event: finished games stay and are rated, running ones are discarded. Raises TransitionRefused."""
    with transaction.atomic():
        _move(event, "cancel", EventStatus.CANCELLED, ended_at=now)
        # The workers find out when they renew their leases, and kill the bots.
        _open_matches(event).update(status=MatchStatus.CANCELLED, ended_at=now, lease_until=None)
        Attempt.objects.filter(match__event=event, status=AttemptStatus.RUNNING).update(
            status=AttemptStatus.VOID, reason="the event was cancelled", ended_at=now)
    return event


def finish_event(*, event: Event, now: datetime) -> bool:
    """Close a running event whose matches have all ended and are rated; False when there is none such."""
    with transaction.atomic():
        # The lock first: a void match may be queued again at this moment.
        if not Event.objects.select_for_update().filter(pk=event.pk, status__in=EVENT_TRANSITIONS["finish"]).exists():
            return False
        matches = Match.objects.filter(event=event)
        if (matches.exclude(status__in=MATCH_ENDED).exists()
                or matches.filter(status=MatchStatus.FINISHED, rated=True, rating_period=None).exists()):
            return False
        _move(event, "finish", EventStatus.FINISHED, ended_at=now)
    return True


def reopen_event(*, event: Event) -> Event:
    """Let a finished event run again, for a void match that is played once more. Raises TransitionRefused."""
    with transaction.atomic():
        _move(event, "reopen", EventStatus.RUNNING, ended_at=None)
    return event


def _move(event: Event, verb: str, status: EventStatus, **facts: Any) -> None:
    """Change the status by one conditional UPDATE, which also locks the event until the transaction ends."""
    moved = Event.objects.filter(pk=event.pk, status__in=EVENT_TRANSITIONS[verb]).update(
        status=status, revision=F("revision") + 1, **facts)
    event.refresh_from_db()
    if not moved:
        raise TransitionRefused(f"{event.name} is {event.get_status_display().lower()}: it cannot {verb} now.")


def _open_matches(event: Event) -> Any:
    return Match.objects.filter(event=event, status__in=[MatchStatus.QUEUED, MatchStatus.RUNNING])
