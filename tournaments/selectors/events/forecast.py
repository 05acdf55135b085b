"""Forecast of an event's size and duration, before it is created."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from tournaments.formats.registry import find
from tournaments.models import Attempt, Event, Ladder, Version
from tournaments.models.lifecycle import AttemptStatus
from tournaments.operations import workers

_ATTEMPTS: Final = 200
GAMES_PER_MATCH: Final = 2


@dataclass(frozen=True, slots=True)
class Forecast:
    """Matches and games; `seconds` is None if unknown, `slots` the number of matches with all entrants at a time."""

    matches: int
    games: int
    slots: int
    match_seconds: float | None
    measured: bool
    seconds: float | None


def of_event(event: Event, entrants: Sequence[Version], runners: int, now: datetime) -> Forecast:
    """Return the forecast for an event that these entrants play to the end, with nothing else on the present workers.

    A match is assumed to take as long as the ladder's newest ones; on a ladder without any, the most that its clocks
    allow.
    """
    form = find(event.format)
    matches = event.cycles * form.pairings(len(entrants), rounds=event.swiss_rounds, runners=runners,
                                           most=event.max_matches)
    trusted = all(version.trusted for version in entrants)
    slots = workers.fleet(now).slots(event.ladder.ruleset, trusted=trusted)
    measured = _measured(event.ladder)
    each = measured or _allowed(event.ladder)
    if form.is_continuous and each:
        matches = min(matches, round(event.minutes * 60 / each * min(slots, len(entrants) // 2)))
    return Forecast(matches=matches, games=matches * GAMES_PER_MATCH, slots=slots, match_seconds=each,
                    measured=measured is not None, seconds=each * matches / slots if each and slots else None)


def _measured(ladder: Ladder) -> float | None:
    """Return how many seconds the ladder's newest matches took on average."""
    newest = (Attempt.objects.filter(match__ladder=ladder, status=AttemptStatus.COUNTED, ended_at__isnull=False)
              .order_by("-match_id").values_list("started_at", "ended_at")[:_ATTEMPTS])
    spans = [ended - started for started, ended in newest]
    return sum(spans, timedelta()).total_seconds() / len(spans) if spans else None


def _allowed(ladder: Ladder) -> float | None:
    """Return the time of two games in which both sides use up their base time; None for a time per turn."""
    return ladder.base_seconds * 2 * GAMES_PER_MATCH or None
