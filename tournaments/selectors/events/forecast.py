"""How large an event will be and how long it will take, before it is made."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from tournaments import formats
from tournaments.models import Attempt, Event, Ladder
from tournaments.models.lifecycle import AttemptStatus
from tournaments.operations import workers

_ATTEMPTS: Final = 200
GAMES_PER_MATCH: Final = 2


@dataclass(frozen=True, slots=True)
class Forecast:
    """Matches and games; `seconds` is None when nothing can be said, `slots` how many matches are played at a time."""

    matches: int
    games: int
    slots: int
    match_seconds: float | None
    measured: bool
    seconds: float | None


def of_event(event: Event, entrants: int, runners: int, now: datetime) -> Forecast:
    """What the event will take if these play it to the end on the workers that there are now, and nothing else runs.

    A match takes as long as the ladder's newest ones did; on a ladder without any, at most what its clocks allow.
    """
    matches = event.cycles * formats.pairings_of(event.format, entrants, swiss_rounds=event.swiss_rounds,
                                                 runners=runners)
    slots = workers.slots(now).get(event.ladder.ruleset, 0)
    measured = _measured(event.ladder)
    each = measured or _allowed(event.ladder)
    return Forecast(matches=matches, games=matches * GAMES_PER_MATCH, slots=slots, match_seconds=each,
                    measured=measured is not None, seconds=each * matches / slots if each and slots else None)


def _measured(ladder: Ladder) -> float | None:
    """Seconds that the ladder's newest matches took on average."""
    newest = (Attempt.objects.filter(match__ladder=ladder, status=AttemptStatus.COUNTED, ended_at__isnull=False)
              .order_by("-match_id").values_list("started_at", "ended_at")[:_ATTEMPTS])
    spans = [ended - started for started, ended in newest]
    return sum(spans, timedelta()).total_seconds() / len(spans) if spans else None


def _allowed(ladder: Ladder) -> float | None:
    """Two games in which both sides use up their base time; a time for each turn sets no such bound."""
    return ladder.base_seconds * 2 * GAMES_PER_MATCH or None
