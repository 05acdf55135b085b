"""Ladders and events: open and schedule them, run them, read their tables."""

import secrets
from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone

from engines.registry import RULESETS
from tournaments.admin.forms import VerbForm, performed_by
from tournaments.admin.readonly import CreatedByVerbAdmin
from tournaments.lifecycle import EVENT_TRANSITIONS
from tournaments.models import Event, Ladder, Version
from tournaments.selectors import events as reads
from tournaments.services import events as verbs
from tournaments.services.errors import Refused
from tournaments.services.ladders import create_ladder

VERBS: dict[str, Callable[..., Any]] = {
    "start": verbs.start_event,
    "pause": verbs.pause_event,
    "resume": verbs.resume_event,
    "cancel": verbs.cancel_event,
}


class LadderForm(VerbForm):
    ruleset = forms.ChoiceField(choices=[(slug, ruleset.name) for slug, ruleset in RULESETS.items()])
    name = forms.CharField(max_length=80, required=False, help_text="Made from the other fields when left empty.")

    class Meta:
        model = Ladder
        fields = ["ruleset", "size", "base_seconds", "increment_seconds", "name"]

    def perform(self) -> Ladder:
        facts = self.cleaned_data
        return create_ladder(**{**facts, "name": facts["name"] or None})


@admin.register(Ladder)
class LadderAdmin(CreatedByVerbAdmin):
    list_display = ["name", "ruleset", "size", "base_seconds", "increment_seconds"]
    list_filter = ["ruleset"]
    search_fields = ["name", "slug"]

    def get_form(self, request: HttpRequest, obj: object = None, change: bool = False, **kwargs: Any) -> Any:
        return LadderForm if obj is None else super().get_form(request, obj, change, **kwargs)

    def get_fields(self, request: HttpRequest, obj: object = None) -> Any:
        return LadderForm.Meta.fields if obj is None else super().get_fields(request, obj)


class ScheduleForm(VerbForm):
    versions = forms.ModelMultipleChoiceField(Version.objects.select_related("bot"),
                                              help_text="Who enters, one version a bot.")
    starts_at = forms.SplitDateTimeField(required=False, widget=admin.widgets.AdminSplitDateTime,
                                         help_text="When it starts by itself (UTC); at once when left empty.")
    user: Any = None

    class Meta:
        model = Event
        fields = ["name", "ladder", "cycles"]

    def perform(self) -> Event:
        now = timezone.now()
        facts = {**self.cleaned_data, "versions": list(self.cleaned_data["versions"])}
        facts["starts_at"] = facts["starts_at"] or now
        return verbs.create_event(**facts, created_by=self.user, now=now, seed=secrets.randbits(63))


@admin.register(Event)
class EventAdmin(CreatedByVerbAdmin):
    list_display = ["name", "ladder", "status", "starts_at", "started_at", "ended_at"]
    list_select_related = ["ladder"]
    list_filter = ["status", "ladder"]
    search_fields = ["name", "slug"]
    actions = ["start", "pause", "resume", "cancel"]
    change_form_template = "admin/tournaments/event/change_form.html"

    def get_form(self, request: HttpRequest, obj: object = None, change: bool = False, **kwargs: Any) -> Any:
        if obj is not None:
            return super().get_form(request, obj, change, **kwargs)
        return performed_by(ScheduleForm, request.user)

    def get_fields(self, request: HttpRequest, obj: object = None) -> Any:
        if obj is None:
            return ["name", "ladder", "versions", "cycles", "starts_at"]
        return super().get_fields(request, obj)

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "",
                    extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The event with its tables and the buttons that its status permits."""
        event = self.get_object(request, object_id)
        if event is None or not self.has_view_permission(request, event):
            return super().change_view(request, object_id, form_url, extra_context)
        if request.method == "POST":
            if admin.ModelAdmin.has_change_permission(self, request, event):
                self._do(request, request.POST.get("verb", ""), [event])
            return HttpResponseRedirect(request.path)
        tables = {
            "progress": reads.progress(event, timezone.now()),
            "crosstable": reads.crosstable(event),
            "void_attempts": reads.void_attempts(event)[:20],
            "verbs": [verb for verb in VERBS if event.status in EVENT_TRANSITIONS[verb]],
        }
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **tables})

    @admin.action(description="Start now", permissions=["organise"])
    def start(self, request: HttpRequest, events: QuerySet[Event]) -> None:
        self._do(request, "start", events)

    @admin.action(description="Pause", permissions=["organise"])
    def pause(self, request: HttpRequest, events: QuerySet[Event]) -> None:
        self._do(request, "pause", events)

    @admin.action(description="Resume", permissions=["organise"])
    def resume(self, request: HttpRequest, events: QuerySet[Event]) -> None:
        self._do(request, "resume", events)

    @admin.action(description="Cancel", permissions=["organise"])
    def cancel(self, request: HttpRequest, events: QuerySet[Event]) -> None:
        self._do(request, "cancel", events)

    def has_organise_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("tournaments.change_event")

    def _do(self, request: HttpRequest, verb: str, events: Any) -> None:
        if verb not in VERBS:
            messages.error(request, f"There is no action {verb!r}.")
            return
        for event in events:
            try:
                VERBS[verb](event=event, now=timezone.now())
            except Refused as refusal:
                messages.error(request, str(refusal))
            else:
                messages.success(request, f"{event.name}: {verb} done.")
