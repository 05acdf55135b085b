"""Rulings on entrants: disqualifications; and the fields of an event's regulations."""

from typing import Any

from django import forms
from django.contrib import admin
from django.utils import timezone

from tournaments.admin.shared.service import ServiceAdmin, VerbForm
from tournaments.models import Disqualification, Entry
from tournaments.models.rulings import WITHDRAWALS
from tournaments.services.events.rulings.disqualifying import LONGEST_REASON, disqualify

_LARGEST_ID = 2**63 - 1


class RegulationsForm(forms.Form):
    """The regulations of an event; empty fields mean the defaults."""

    withdrawals = forms.ChoiceField(choices=WITHDRAWALS, required=False,
                                    help_text="Results of an entrant that leaves a round-robin or gauntlet.")
    apart_rounds = forms.IntegerField(min_value=0, required=False,
                                      help_text="First rounds of a Swiss in which bots of one owner or team do not "
                                                "meet, if that can be avoided.")
    minutes = forms.IntegerField(min_value=1, required=False,
                                 help_text="Minutes for which an arena pairs its entrants; empty for 60.")
    streaks = forms.BooleanField(required=False, help_text="Double the points of an arena after two wins in a row.")


class DisqualificationForm(VerbForm):
    entry = forms.IntegerField(min_value=1, max_value=_LARGEST_ID, help_text="ID of the entry, from the event's API.")
    reason = forms.CharField(max_length=LONGEST_REASON, help_text="Public reason.")
    annulled = forms.BooleanField(required=False, help_text="The games no longer count in the standings. They stay "
                                                            "rated.")

    class Meta:
        model = Disqualification
        fields: list[str] = []

    def clean_entry(self) -> Entry:
        """Return the entry."""
        pk = self.cleaned_data["entry"]
        entry = Entry.objects.select_related("event__created_by", "bot__team", "version__bot").filter(pk=pk).first()
        if entry is None:
            raise forms.ValidationError(f"There is no entry {pk}. Enter the ID of an existing entry.")
        return entry

    def perform(self) -> Disqualification:
        return disqualify(actor=self.user, now=timezone.now(), **self.cleaned_data)


@admin.register(Disqualification)
class DisqualificationAdmin(ServiceAdmin):
    add_form = DisqualificationForm
    list_display = ["entry", "reason", "annulled", "ruled_by", "ruled_at"]
    list_select_related = ["entry__event", "entry__version__bot", "ruled_by"]
    search_fields = ["entry__event__slug", "entry__bot__slug", "reason"]

    def state(self, row: Any) -> str:
        return ""
