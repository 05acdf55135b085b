"""Times that a user enters in a time zone of their choice."""

import re
from datetime import UTC, datetime, tzinfo
from typing import Any, Final
from zoneinfo import ZoneInfo, available_timezones

from django import forms
from django.utils.translation import gettext_lazy as _

_HAS_ZONE: Final = re.compile(r"([Zz]|[+-]\d\d:?\d\d)\s*$")


class ZoneField(forms.CharField):
    """The IANA name of a time zone; empty for UTC. The page's script fills in the browser's."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{
            "required": False, "max_length": 60, "initial": "UTC", "label": _("Time zone"),
            "help_text": _("The times of this form are in this time zone: a name such as Europe/Berlin, or UTC."),
            "widget": forms.TextInput(attrs={"data-zone": "", "autocomplete": "off", "spellcheck": "false"}),
            **options})

    def clean(self, value: Any) -> str:
        """Return the name. Raises ValidationError for an unknown one."""
        name = super().clean(value)
        if name and name not in available_timezones():
            raise forms.ValidationError(_("Unknown time zone %(name)r: use a name such as Europe/Berlin or UTC."),
                                        params={"name": name})
        return str(name or "UTC")


class MomentField(forms.DateTimeField):
    """A time in `zone`, which the form sets before it is filled in; a time with an offset of its own keeps it."""

    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
    zone: tzinfo = UTC

    def prepare_value(self, value: Any) -> Any:
        """Return the time as the field shows it."""
        aware = isinstance(value, datetime) and value.tzinfo is not None
        return value.astimezone(self.zone).replace(tzinfo=None) if aware else value

    def to_python(self, value: Any) -> datetime | None:
        """Return the time with its zone. Raises ValidationError for one that does not exist or occurs twice."""
        found = super().to_python(value)
        if found is None or isinstance(value, datetime) or _HAS_ZONE.search(str(value)):
            return found
        return in_zone(found.replace(tzinfo=None), self.zone)


def in_zone(wall: datetime, zone: tzinfo) -> datetime:
    """Return the time at which clocks in `zone` show `wall`, in UTC. Raises ValidationError without exactly one."""
    first, second = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    params = {"time": f"{wall:%Y-%m-%d %H:%M}", "zone": zone}
    if first == second:
        return first
    if first.astimezone(zone).replace(tzinfo=None) == wall:
        raise forms.ValidationError(
            _("%(time)s occurs twice in %(zone)s, because the clocks go back that night: choose another time, or enter "
              "it in UTC."), params=params)
    raise forms.ValidationError(
        _("%(time)s does not exist in %(zone)s, because the clocks go forward that night: choose a time an hour "
          "earlier or later."), params=params)


def zone_named(name: Any) -> tzinfo:
    """Return the zone; UTC for an unknown name."""
    return ZoneInfo(name) if name in available_timezones() else UTC
