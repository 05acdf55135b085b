"""Reads about attempts that are void because a host was starved."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, QuerySet

from tournaments.models import Bot, StarvedVoid


@dataclass(frozen=True, slots=True)
class Starvation:
    """A version's voids of the last 24 hours, and whether its next loss on time counts regardless of the host."""

    version: int
    version_id: int
    voids: int
    ceiling: int

    @property
    def exhausted(self) -> bool:
        """Whether a starved host no longer excuses the version."""
        return self.voids >= self.ceiling


def of_last_day(now: datetime) -> QuerySet[StarvedVoid]:
    """Return the voids by starvation of the last 24 hours."""
    return StarvedVoid.objects.filter(at__gt=now - timedelta(days=1))


def starvation(bot: Bot, now: datetime) -> list[Starvation]:
    """Return the bot's versions that a host has starved in the last 24 hours, newest first."""
    counted = (of_last_day(now).filter(version__bot=bot).order_by().values_list("version__number", "version")
               .annotate(count=Count("*")).order_by("-version__number"))
    return [Starvation(*row, settings.STARVED_VOIDS_PER_DAY) for row in counted]
