"""Ladders and events: create them, run events, and read their tables."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from engines.rules.registry import RULESETS
from ratings.admin import ReadOnlyAdmin
from tournaments.admin.events import wizard
from tournaments.admin.shared.service import ServiceAdmin, Verb, VerbForm
from tournaments.models import Event, Ladder, OpeningBook
from tournaments.models.lifecycle import EVENT_TRANSITIONS
from tournaments.selectors.events import events as reads
from tournaments.services.events import events as verbs
from tournaments.services.ladders.ladders import create_ladder


class LadderForm(VerbForm):
    ruleset = forms.ChoiceField(choices=[(slug, f"{ruleset.name} ({ruleset.sizes[0]} to {ruleset.sizes[-1]})")
                                         for slug, ruleset in RULESETS.items()])
    per_turn_seconds = forms.FloatField(
        required=False, help_text="Fixed time per turn in seconds, not carried over to later turns. Set base and "
                                  "increment to 0.")
    name = forms.CharField(required=False, help_text="Generated from the other fields if empty.")

    class Meta:
        model = Ladder
        fields = ["ruleset", "size", "base_seconds", "increment_seconds", "per_turn_seconds", "pondering", "name"]

    def perform(self) -> Ladder:
        facts = self.cleaned_data
        return create_ladder(**{**facts, "per_turn_seconds": facts["per_turn_seconds"] or 0.0,
                                "name": facts["name"] or None, "actor": self.user, "now": timezone.now()})


@admin.register(Ladder)
class LadderAdmin(ServiceAdmin):
    add_form = LadderForm
    page = ("ladder", "slug")
    list_display = ["name", "ruleset", "size", "base_seconds", "increment_seconds", "per_turn_seconds", "pondering"]
    list_filter = ["ruleset"]
    search_fields = ["name", "slug"]


@admin.register(OpeningBook)
class OpeningBookAdmin(ReadOnlyAdmin):
    list_display = ["digest", "ruleset", "size", "count", "uploaded_by", "created_at"]
    list_select_related = ["uploaded_by"]
    list_filter = ["ruleset"]
    search_fields = ["digest", "uploaded_by__username"]


@admin.register(Event)
class EventAdmin(ServiceAdmin):
    verbs = {
        "start": Verb(verbs.start_event, "Start", "started", EVENT_TRANSITIONS["start"]),
        "pause": Verb(verbs.pause_event, "Pause", "paused", EVENT_TRANSITIONS["pause"]),
        "resume": Verb(verbs.resume_event, "Resume", "resumed", EVENT_TRANSITIONS["resume"]),
        "cancel": Verb(verbs.cancel_event, "Cancel", "cancelled", EVENT_TRANSITIONS["cancel"],
                       "This cannot be undone. Finished games are kept; running games are discarded."),
    }
    change_form_template = "admin/tournaments/event/change_form.html"
    page = ("event", "slug")
    list_display = ["name", "ladder", "status", "starts_at", "started_at", "ended_at"]
    list_select_related = ["ladder"]
    list_filter = ["status", "ladder"]
    search_fields = ["name", "slug"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return Django's permission to add events, which the wizard does."""
        return admin.ModelAdmin.has_add_permission(self, request)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None,
                 ) -> HttpResponse:
        """Show the wizard in place of the form."""
        return wizard.view(request, self)

    def tables(self, row: Event) -> dict[str, Any]:
        return {
            "progress": reads.progress(row, timezone.now()),
            "crosstable": reads.crosstable(row),
            "void_attempts": reads.void_attempts(row)[:20],
        }
