"""Ladders: one ruleset, board size, time control and rule on pondering each; creating, opening and closing them."""

import math
from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.db.models import Q

from engines.rules import registry
from engines.rules.ruleset import SetupError
from tournaments.models import Ladder
from tournaments.models.lifecycle import MatchKind
from tournaments.platform.refusals import Refused
from tournaments.platform.text import sentence
from tournaments.services.matches.calling_off import call_off_outside_events
from tournaments.services.shared import audit
from tournaments.services.shared.slugs import free_slug
from tournaments.services.shared.wakeups import Step, wake

BASE_SECONDS: Final = (0.05, 3600.0)
INCREMENT_SECONDS: Final = (0.0, 60.0)
PER_TURN_SECONDS: Final = (0.01, 600.0)
LONGEST_NAME: Final = 80


class LadderRefused(Refused):
    """The ladder is not possible: its ruleset, size or time control does not exist or makes no sense."""


def create_ladder(
    *, ruleset: str, size: int, base_seconds: float = 0.0, increment_seconds: float = 0.0,
    per_turn_seconds: float = 0.0, pondering: bool = False, name: str | None = None,
    actor: Any = None, now: datetime | None = None,
) -> Ladder:
    """Return the ladder with these facts, or create it with the name `name`. Raises LadderRefused.

    The time is either a base and an increment, or a fixed time per turn. If `now` is given, a new ladder is recorded in
    the audit log.
    """
    try:
        rules = registry.find(ruleset)
        rules.check_size(size)
    except (registry.UnknownRuleset, SetupError) as error:
        raise LadderRefused(sentence(str(error))) from None
    times = _times(base_seconds, increment_seconds, per_turn_seconds)
    words = _words(times)
    title = name.strip() if name is not None else f"{rules.name} {size}×{size}, {words}{', pondering' * pondering}"
    if not title or len(title) > LONGEST_NAME:
        raise LadderRefused(f"A ladder's name must have 1 to {LONGEST_NAME} characters, not {len(title)}.")
    # Dots vanish from slugs, and 0.1 s must not look like 1 s.
    address = f"{ruleset}-{size}x{size}-{words}{'-pondering' * pondering}".replace(" s", "s").replace(" + ", "-")
    with transaction.atomic():
        slug = free_slug(Ladder, address.replace(" ", "-").replace(".", "-"), "ladder")
        ladder, opened = Ladder.objects.get_or_create(
            ruleset=ruleset, size=size, pondering=pondering, **times, defaults={"name": title, "slug": slug})
        if opened and now is not None:
            audit.record(actor=actor, verb="open", target=ladder, now=now)
    return ladder


def set_open(*, ladder: Ladder, is_open: bool, actor: Any, now: datetime) -> Ladder:
    """Open the ladder, so that its bots are paired continuously, or close it, so that only events use it.

    Running matches are played to the end. Raises LadderRefused if the ladder is already open or closed.
    """
    with transaction.atomic():
        changed = Ladder.objects.filter(pk=ladder.pk).exclude(is_open=is_open).update(is_open=is_open)
        ladder.is_open = is_open
        if not changed:
            raise LadderRefused(f"{ladder.name} is already {'open' if is_open else 'closed'}.")
        if not is_open:
            call_off_outside_events(Q(kind__in=[MatchKind.LADDER, MatchKind.TRIAL], ladder=ladder), now)
        audit.record(actor=actor, verb="open" if is_open else "close", target=ladder, now=now)
        wake(Step.PAIR_LADDERS)
    return ladder


def _times(base: float, increment: float, per_turn: float) -> dict[str, float]:
    """Return the three times as the ladder stores them."""
    if not per_turn:
        return {"base_seconds": _seconds(base, "base time", BASE_SECONDS),
                "increment_seconds": _seconds(increment, "increment", INCREMENT_SECONDS), "per_turn_seconds": 0.0}
    if base or increment:
        raise LadderRefused("A fixed time per turn excludes a base time and an increment: give one or the other.")
    return {"base_seconds": 0.0, "increment_seconds": 0.0,
            "per_turn_seconds": _seconds(per_turn, "time per turn", PER_TURN_SECONDS)}


def _words(times: dict[str, float]) -> str:
    if per_turn := times["per_turn_seconds"]:
        return f"{per_turn:g} s per turn"
    return f"{times['base_seconds']:g} s + {times['increment_seconds']:g} s"


def _seconds(value: float, name: str, bounds: tuple[float, float]) -> float:
    """Return a time in whole milliseconds, so that equal time controls are equal numbers."""
    low, high = bounds
    if not math.isfinite(value) or not low <= value <= high:
        raise LadderRefused(f"The {name} must be {low:g} to {high:g} seconds, not {value:g}.")
    return round(float(value), 3)
