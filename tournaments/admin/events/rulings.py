"""Rulings on entrants: disqualifications and requested byes; and the fields of an event's regulations."""

from typing import Any

from django import forms
from django.contrib import admin
from django.utils import timezone

from tournaments.admin.shared.service import ServiceAdmin, VerbForm
from tournaments.models import Bot, ByeRequest, ChangedPairing, Disqualification, Entry, Event
from tournaments.models.rulings import WITHDRAWALS
from tournaments.services.events.rulings.byes import request_bye
from tournaments.services.events.rulings.disqualifying import LONGEST_REASON, disqualify
from tournaments.services.events.rulings.pairings import pair_by_hand

_LARGEST_ID = 2**63 - 1


class RegulationsForm(forms.Form):
    """The regulations of an event; empty fields mean the defaults."""

    withdrawals = forms.ChoiceField(choices=WITHDRAWALS, required=False,
                                    help_text="Results of an entrant that leaves a round-robin or gauntlet.")
    late_rounds = forms.IntegerField(min_value=0, required=False,
                                     help_text="Rounds that a late entrant of a Swiss can miss; empty for no late "
                                               "entries.")
    byes_allowed = forms.IntegerField(min_value=0, required=False,
                                      help_text="Byes that an entrant of a Swiss can request; empty for none.")
    bye_points = forms.TypedChoiceField(choices=[("0.0", "0"), ("0.5", "½")], coerce=float, empty_value=0.0,
                                        required=False, help_text="Points for a requested bye, and for a round that a "
                                                                  "late entrant missed.")
    apart_rounds = forms.IntegerField(min_value=0, required=False,
                                      help_text="First rounds of a Swiss in which bots of one owner or team do not "
                                                "meet, if that can be avoided.")
    confirm_rounds = forms.BooleanField(required=False, help_text="Each round of a Swiss waits until you have "
                                                                  "confirmed its pairings.")
    minutes = forms.IntegerField(min_value=1, required=False,
                                 help_text="Minutes for which an arena pairs its entrants; empty for 60.")
    streaks = forms.BooleanField(required=False, help_text="Double the points of an arena after two wins in a row.")


class _OnEntryForm(VerbForm):
    entry = forms.IntegerField(min_value=1, max_value=_LARGEST_ID, help_text="ID of the entry, from the event's API.")

    def clean_entry(self) -> Entry:
        """Return the entry."""
        pk = self.cleaned_data["entry"]
        entry = Entry.objects.select_related("event__created_by", "bot__team", "version__bot").filter(pk=pk).first()
        if entry is None:
            raise forms.ValidationError(f"There is no entry {pk}. Enter the ID of an existing entry.")
        return entry


class DisqualificationForm(_OnEntryForm):
    reason = forms.CharField(max_length=LONGEST_REASON, help_text="Public reason.")
    annulled = forms.BooleanField(required=False, help_text="The games no longer count in the standings. They stay "
                                                            "rated.")

    class Meta:
        model = Disqualification
        fields: list[str] = []

    def perform(self) -> Disqualification:
        return disqualify(actor=self.user, now=timezone.now(), **self.cleaned_data)


class ByeRequestForm(_OnEntryForm):
    number = forms.IntegerField(min_value=1, max_value=1000, help_text="Number of the round.")

    class Meta:
        model = ByeRequest
        fields: list[str] = []

    def perform(self) -> ByeRequest:
        return request_bye(actor=self.user, now=timezone.now(), **self.cleaned_data)


class ChangedPairingForm(VerbForm):
    event = forms.ModelChoiceField(Event.objects.select_related("created_by"), to_field_name="slug",
                                   widget=forms.TextInput, help_text="Slug of the event.")
    first = forms.ModelChoiceField(Bot.objects.all(), to_field_name="slug", widget=forms.TextInput,
                                   help_text="Slug of a bot in the last round.")
    second = forms.ModelChoiceField(Bot.objects.all(), to_field_name="slug", widget=forms.TextInput, required=False,
                                    help_text="Slug of its new opponent; empty for the bye.")
    reason = forms.CharField(max_length=LONGEST_REASON, help_text="Public reason.")

    class Meta:
        model = ChangedPairing
        fields: list[str] = []

    def perform(self) -> ChangedPairing:
        pair_by_hand(actor=self.user, now=timezone.now(), **self.cleaned_data)
        return ChangedPairing.objects.filter(round__event=self.cleaned_data["event"]).order_by("pk").last()


@admin.register(ChangedPairing)
class ChangedPairingAdmin(ServiceAdmin):
    add_form = ChangedPairingForm
    list_display = ["round", "first", "second", "reason", "ruled_by", "ruled_at"]
    list_select_related = ["round__event", "first__version__bot", "first__event", "second__version__bot",
                           "second__event", "ruled_by"]
    search_fields = ["round__event__slug", "first__bot__slug", "second__bot__slug", "reason"]

    def state(self, row: Any) -> str:
        return ""


@admin.register(Disqualification)
class DisqualificationAdmin(ServiceAdmin):
    add_form = DisqualificationForm
    list_display = ["entry", "reason", "annulled", "ruled_by", "ruled_at"]
    list_select_related = ["entry__event", "entry__version__bot", "ruled_by"]
    search_fields = ["entry__event__slug", "entry__bot__slug", "reason"]

    def state(self, row: Any) -> str:
        return ""


@admin.register(ByeRequest)
class ByeRequestAdmin(ServiceAdmin):
    add_form = ByeRequestForm
    list_display = ["entry", "number", "requested_by", "requested_at"]
    list_select_related = ["entry__event", "entry__version__bot", "requested_by"]
    search_fields = ["entry__event__slug", "entry__bot__slug"]

    def state(self, row: Any) -> str:
        return ""
