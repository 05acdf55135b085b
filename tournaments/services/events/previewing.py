"""Preview of an event before it is created: the event is created in a transaction that is rolled back."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from tournaments.models import Event, Version
from tournaments.selectors.events import forecast
from tournaments.selectors.events.openings import Openings, of_event
from tournaments.services.events.scheduling import create_event
from tournaments.services.events.series import create_series


@dataclass(frozen=True, slots=True)
class Preview:
    """An event that was not stored, the versions that would be entered now, a forecast, and its openings."""

    event: Event
    entrants: list[Version]
    forecast: forecast.Forecast
    openings: Openings


def preview_event(*, created_by: Any, now: datetime, **facts: Any) -> Preview:
    """Check whether an event with these facts (those of `create_event`) can be scheduled; nothing is stored.

    Raises the same exceptions as `create_event`.
    """
    versions, runners = list(facts.get("versions", ())), list(facts.get("runners", ()))
    with transaction.atomic():
        event = create_event(**facts, created_by=created_by, now=now, seed=secrets.randbits(63))
        transaction.set_rollback(True)
    entrants = [*versions, *(runner for runner in runners if runner not in versions)]
    return Preview(event, entrants, forecast.of_event(event, entrants, len(runners), now), of_event(event))


def preview_series(*, created_by: Any, now: datetime, **facts: Any) -> Preview:
    """Check whether a series with these facts (those of `create_series`) can be created; return its first event.

    Nothing is stored. Raises the same exceptions as `create_series`.
    """
    entrants = list(facts.get("versions", ()))
    with transaction.atomic():
        event = create_series(**facts, created_by=created_by, now=now).events.select_related(
            "ladder", "series", "book").get()
        transaction.set_rollback(True)
    return Preview(event, entrants, forecast.of_event(event, entrants, 0, now), of_event(event))
