"""Reads about attempts that are void because a host was starved."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, QuerySet

from tournaments.models import Bot, StarvedVoid


@dataclass(frozen=True, slots=True)
class Starvation:
    """A version's voids of the last 24 hours, and whether the next of its losses on time counts all the same."""

    version: int
    version_id: int
    voids: int
    ceiling: int

    @property
    def exhausted(self) -> bool:
        """Whether a starved host excuses it no longer."""
        return self.voids >= self.ceiling


def of_last_day(now: datetime) -> QuerySet[StarvedVoid]:
    """Those of the last 24 hours."""
    return StarvedVoid.objects.filter(at__gt=now - timedelta(days=1))


def starvation(bot: Bot, now: datetime) -> list[Starvation]:
    """The bot's versions that a host has starved in the last 24 hours, newest first."""
    counted = (of_last_day(now).filter(version__bot=bot).order_by().values_list("version__number", "version")
               .annotate(count=Count("*")).order_by("-version__number"))
    return [Starvation(*row, settings.STARVED_VOIDS_PER_DAY) for row in counted]
