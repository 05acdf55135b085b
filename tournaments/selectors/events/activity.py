"""Activity of a bot and in an event, for users who follow them; nothing from private events."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count

from tournaments.models import AuditEntry, Bot, Candidacy, Entry, Event, Game, LadderEntry
from tournaments.models.lifecycle import EventStatus
from tournaments.scoring.scores import Score
from tournaments.selectors.events.events import visible_events, visible_to


@dataclass(frozen=True, slots=True)
class Activity:
    """An activity: its time, its kind, the row that it is about, and further facts."""

    at: datetime
    what: str
    subject: Any
    detail: dict[str, Any] = field(default_factory=dict)


def of_events(count: int) -> list[Activity]:
    """Return the newest activity in public events, newest first."""
    return _newest((each for event in visible_to(AnonymousUser())[:count] for each in of_event(event)), count)


def of_event(event: Event) -> list[Activity]:
    """Return the event's history, newest first: announced, started, then finished or cancelled."""
    happened = [Activity(event.created_at, "announced", event)]
    if event.started_at is not None:
        happened.append(Activity(event.started_at, "started", event))
    if event.ended_at is not None:
        happened.append(Activity(event.ended_at, event.status, event))
    return happened[::-1]


def of_bot(bot: Bot, count: int) -> list[Activity]:
    """Return the bot's newest activity, newest first, by a fixed number of queries."""
    return _newest([*_versions(bot, count), *_rests(bot, count), *_trials(bot, count), *_results(bot, count)], count)


def _newest(happened: Iterable[Activity], count: int) -> list[Activity]:
    return sorted(happened, key=lambda each: each.at, reverse=True)[:count]


def _versions(bot: Bot, count: int) -> list[Activity]:
    return [Activity(version.created_at, "version", version) for version in bot.versions.order_by("-number")[:count]]


def _rests(bot: Bot, count: int) -> list[Activity]:
    """Return when ladders suspended the bot for its faults, and when a probe showed that it was healthy."""
    entries = {str(entry.pk): entry for entry in LadderEntry.objects.filter(bot=bot).select_related("ladder")}
    told = AuditEntry.objects.filter(kind=LadderEntry._meta.verbose_name,  # noqa: SLF001 - documented Django API
                                     target__in=list(entries), actor=None, verb__in=["rest", "end rest"])
    return [Activity(each.at, each.verb, entries[each.target], each.detail) for each in told.order_by("-id")[:count]]


def _trials(bot: Bot, count: int) -> list[Activity]:
    over = Candidacy.objects.filter(bot=bot, ended_at__isnull=False).select_related("ladder", "candidate", "current")
    return [Activity(trial.ended_at, "trial", trial) for trial in over.order_by("-id")[:count]]


def _results(bot: Bot, count: int) -> list[Activity]:
    """Return the bot's scores in the public events that have finished."""
    entries = list(Entry.objects.filter(visible_events(AnonymousUser(), "event"), bot=bot, place__isnull=False,
                                        event__status=EventStatus.FINISHED)
                   .select_related("event", "version").order_by("-event__ended_at")[:count])
    scores = _scores(entries)
    return [Activity(entry.event.ended_at, "result", entry, {"score": scores[entry.event_id]}) for entry in entries]


def _scores(entries: Sequence[Entry]) -> dict[int, Score]:
    """Return the entries' scores over all games of their events, by event."""
    scores = {entry.event_id: Score() for entry in entries}
    games = Game.objects.filter(event__in=scores).order_by()
    versions = {entry.version_id for entry in entries}
    for seat in (0, 1):
        counted = (games.filter(**{f"seat{seat}__in": versions}).values_list("event", f"seat{seat}", "winner")
                   .annotate(Count("pk")))
        entered = {(entry.event_id, entry.version_id) for entry in entries}
        for event, version, winner, count in counted:
            if (event, version) in entered:
                scores[event].add(seat, winner, count)
    return scores
