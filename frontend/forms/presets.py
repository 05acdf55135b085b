"""Named starting values of the form for an event."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

_FRIDAY, _SATURDAY, _SUNDAY = 4, 5, 6


@dataclass(frozen=True, slots=True)
class Preset:
    """Values for the form: an event on a day of the week (0 is Monday) at a full hour, once or weekly."""

    slug: str
    name: str | Promise
    format: str
    weekday: int
    hour: int
    values: Mapping[str, Any]

    def initial(self, now: datetime) -> dict[str, Any]:
        """Return initial values. The start, without a zone, is at least a day after `now`."""
        first = (now + timedelta(days=1)).replace(tzinfo=None, minute=0, second=0, microsecond=0)
        start = first.replace(hour=self.hour) + timedelta(days=(self.weekday - first.weekday()) % 7)
        if start < first:
            start += timedelta(days=7)
        return {"name": str(self.name), "format": self.format, "starts_at": start, **self.values}


PRESETS: Final[Sequence[Preset]] = (
    Preset("friday-swiss", _("Friday evening Swiss"), "swiss", _FRIDAY, 18, {"swiss_rounds": 7, "weekly": True}),
    Preset("sunday-round-robin", _("Sunday round-robin"), "round-robin", _SUNDAY, 14,
           {"max_entries": 16, "weekly": True}),
    Preset("sunday-arena", _("Sunday arena"), "arena", _SUNDAY, 16, {"minutes": 60, "weekly": True}),
    Preset("cup", _("Cup"), "knockout", _SATURDAY, 15, {"cycles": 3}),
    Preset("first-three", _("Until the first three are certain"), "precision", _SATURDAY, 10,
           {"target": "first", "target_value": 3, "max_matches": 2000, "max_hours": 24}),
)


def preset_named(slug: str | None) -> Preset | None:
    """Return the preset with this slug, or None."""
    return next((preset for preset in PRESETS if preset.slug == slug), None)
