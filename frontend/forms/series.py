"""The form for editing a series."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from frontend.forms.events import NEEDS, EventForm, features
from frontend.forms.moments import ZoneField
from frontend.forms.regulations import RegulationsForm
from tournaments.formats.registry import find
from tournaments.models import Series
from tournaments.services.events.editing import SERIES_EDITABLE
from tournaments.services.events.series import LONGEST_NAME


class SeriesEditForm(RegulationsForm):
    """The fields of a series that can change until it ends. `changes` has the arguments of `edit_series`."""

    name = forms.CharField(max_length=LONGEST_NAME, label=_("Name"))
    (description, cycles, swiss_rounds, target, target_value, max_matches, max_hours, max_entries) = (
        EventForm.base_fields[name] for name in (
            "description", "cycles", "swiss_rounds", "target", "target_value", "max_matches", "max_hours",
            "max_entries"))
    cron = forms.CharField(max_length=100, label=_("Times"), help_text=_(
        "Minute, hour, day of month, month, day of week: 0 18 * * FRI is every Friday at 18:00."))
    time_zone = ZoneField(widget=forms.TextInput(attrs={"spellcheck": "false"}),
                          help_text=_("The events start at these times in this time zone."))

    field_order = ("name", "description", "cron", "time_zone")

    def __init__(self, *args: Any, series: Series, **options: Any) -> None:
        super().__init__(*args, initial={name: getattr(series, name) for name in SERIES_EDITABLE}, **options)
        for name in NEEDS.keys() & self.fields.keys():
            if NEEDS[name] not in features(find(series.format)):
                del self.fields[name]

    def changes(self) -> dict[str, Any]:
        """The changed fields, from a valid form."""
        changes = {name: self.cleaned_data[name] for name in self.changed_data}
        return {name: 0 if value is None and name == "apart_rounds" else value
                for name, value in changes.items()}
