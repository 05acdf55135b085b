"""Ladders and events: open and schedule them, run them, read their tables."""

import secrets
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AdminSplitDateTime, FilteredSelectMultiple
from django.db.models import F, Max
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from engines.registry import RULESETS
from tournaments.admin.service import ServiceAdmin, Verb, VerbForm
from tournaments.lifecycle import EVENT_TRANSITIONS
from tournaments.models import Event, Ladder, Version
from tournaments.selectors import events as reads
from tournaments.services import events as verbs
from tournaments.services.ladders import create_ladder


class LadderForm(VerbForm):
    ruleset = forms.ChoiceField(choices=[(slug, f"{ruleset.name} ({ruleset.sizes[0]} to {ruleset.sizes[-1]})")
                                         for slug, ruleset in RULESETS.items()])
    per_turn_seconds = forms.FloatField(
        required=False, help_text="Instead of base and increment, which are then 0: a fixed time for each turn, of "
                                  "which none is kept.")
    name = forms.CharField(required=False, help_text="Made from the other fields when left empty.")

    class Meta:
        model = Ladder
        fields = ["ruleset", "size", "base_seconds", "increment_seconds", "per_turn_seconds", "pondering", "name"]

    def perform(self) -> Ladder:
        facts = self.cleaned_data
        return create_ladder(**{**facts, "per_turn_seconds": facts["per_turn_seconds"] or 0.0,
                                "name": facts["name"] or None})


@admin.register(Ladder)
class LadderAdmin(ServiceAdmin):
    add_form = LadderForm
    list_display = ["name", "ruleset", "size", "base_seconds", "increment_seconds", "per_turn_seconds", "pondering"]
    list_filter = ["ruleset"]
    search_fields = ["name", "slug"]

    def view_on_site(self, ladder: Ladder) -> str:
        return reverse("ladder", args=[ladder.slug])


class EntrantsWidget(FilteredSelectMultiple):
    """Two lists side by side, in the box from which the admin's script expects to build them."""

    def render(self, *args: Any, **kwargs: Any) -> str:
        return format_html('<div class="related-widget-wrapper">{}</div>', super().render(*args, **kwargs))


class EntrantsField(forms.ModelMultipleChoiceField):
    """The newest version of each bot, with what it plays unless that is everything."""

    def __init__(self) -> None:
        newest = Version.objects.annotate(newest=Max("bot__versions__number")).filter(number=F("newest"))
        super().__init__(newest.select_related("bot").order_by("bot__name"),
                         widget=EntrantsWidget("versions", is_stacked=False),
                         help_text="Who enters: the newest version of each bot.")

    def label_from_instance(self, version: Version) -> str:
        return str(version) if len(version.rulesets) == len(RULESETS) else f"{version} ({', '.join(version.rulesets)})"


class ScheduleForm(VerbForm):
    cycles = forms.IntegerField(initial=1, help_text="How often each pair meets, two games each time.")
    versions = EntrantsField()
    starts_at = forms.SplitDateTimeField(required=False, widget=AdminSplitDateTime,
                                         help_text="When it starts by itself (UTC); at once when left empty.")

    class Meta:
        model = Event
        fields = ["name", "ladder", "openings"]

    def perform(self) -> Event:
        facts = {**self.cleaned_data, "versions": list(self.cleaned_data["versions"])}
        return verbs.create_event(**facts, created_by=self.user, now=timezone.now(), seed=secrets.randbits(63))


@admin.register(Event)
class EventAdmin(ServiceAdmin):
    add_form = ScheduleForm
    verbs = {
        "start": Verb(verbs.start_event, "Start", "started", EVENT_TRANSITIONS["start"]),
        "pause": Verb(verbs.pause_event, "Pause", "paused", EVENT_TRANSITIONS["pause"]),
        "resume": Verb(verbs.resume_event, "Resume", "resumed", EVENT_TRANSITIONS["resume"]),
        "cancel": Verb(verbs.cancel_event, "Cancel", "cancelled", EVENT_TRANSITIONS["cancel"],
                       "This cannot be undone. Finished games stay, running ones are discarded."),
    }
    change_form_template = "admin/tournaments/event/change_form.html"
    list_display = ["name", "ladder", "status", "starts_at", "started_at", "ended_at"]
    list_select_related = ["ladder"]
    list_filter = ["status", "ladder"]
    search_fields = ["name", "slug"]

    def view_on_site(self, event: Event) -> str:
        return reverse("event", args=[event.slug])

    def tables(self, row: Event) -> dict[str, Any]:
        return {
            "progress": reads.progress(row, timezone.now()),
            "crosstable": reads.crosstable(row),
            "void_attempts": reads.void_attempts(row)[:20],
        }
