"""Opening a ladder: one ruleset, one board size, one time control."""

import math
from typing import Final

from django.db import transaction

from engines import registry
from engines.ruleset import SetupError
from tournaments.models import Ladder
from tournaments.services.errors import Refused
from tournaments.services.slugs import free_slug

BASE_SECONDS: Final = (0.05, 3600.0)
INCREMENT_SECONDS: Final = (0.0, 60.0)
LONGEST_NAME: Final = 80


class LadderRefused(Refused):
    """There can be no such ladder: its ruleset, size or time control does not exist or makes no sense."""


def create_ladder(
    *, ruleset: str, size: int, base_seconds: float, increment_seconds: float = 0.0, name: str | None = None
) -> Ladder:
    """The ladder with these four facts: the one that exists, or a new one called `name`. Raises LadderRefused."""
    try:
        rules = registry.find(ruleset)
        rules.check_size(size)
    except (registry.UnknownRuleset, SetupError) as error:
        raise LadderRefused(_sentence(str(error))) from None
    base = _seconds(base_seconds, "base time", BASE_SECONDS)
    increment = _seconds(increment_seconds, "increment", INCREMENT_SECONDS)
    title = f"{rules.name} {size}×{size}, {base:g} s + {increment:g} s" if name is None else name.strip()
    if not title or len(title) > LONGEST_NAME:
        raise LadderRefused(f"A ladder's name has 1 to {LONGEST_NAME} characters, not {len(title)}.")
    # Dots vanish from slugs, and 0.1 s must not look like 1 s.
    address = f"{ruleset}-{size}x{size}-{base:g}s-{increment:g}s".replace(".", "-")
    with transaction.atomic():
        slug = free_slug(Ladder, address, "ladder")
        ladder, _ = Ladder.objects.get_or_create(
            ruleset=ruleset, size=size, base_seconds=base, increment_seconds=increment,
            defaults={"name": title, "slug": slug})
    return ladder


def _seconds(value: float, name: str, bounds: tuple[float, float]) -> float:
    """A time in whole milliseconds, so that equal time controls are equal numbers."""
    low, high = bounds
    if not math.isfinite(value) or not low <= value <= high:
        raise LadderRefused(f"The {name} is {low:g} to {high:g} seconds, not {value:g}.")
    return round(float(value), 3)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
