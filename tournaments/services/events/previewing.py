"""What an event would be, before it is made: the verb that makes it tries, and takes it back."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from tournaments.models import Event, Version
from tournaments.selectors.events import forecast
from tournaments.services.events.scheduling import create_event


@dataclass(frozen=True, slots=True)
class Preview:
    """An event that was not kept, who would be entered in it now, and what it would take."""

    event: Event
    entrants: list[Version]
    forecast: forecast.Forecast


def preview_event(*, created_by: Any, now: datetime, **facts: Any) -> Preview:
    """Try whether an event of these facts (`create_event`'s) can be scheduled; nothing of it stays.

    Raises what `create_event` raises.
    """
    versions, runners = list(facts.get("versions", ())), list(facts.get("runners", ()))
    with transaction.atomic():
        event = create_event(**facts, created_by=created_by, now=now, seed=secrets.randbits(63))
        transaction.set_rollback(True)
    entrants = [*versions, *(runner for runner in runners if runner not in versions)]
    return Preview(event, entrants, forecast.of_event(event, len(entrants), len(runners), now))
