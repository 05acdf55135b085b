"""Wizard that schedules an event in three steps and a preview. The answers are resubmitted with each page, not stored.

docs/reference/events.md promises it to staff, because here they can enter any user's bots.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.widgets import AdminSplitDateTime, FilteredSelectMultiple
from django.core.exceptions import PermissionDenied
from django.db.models import F, Max, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from engines.rules.books import MOST_BYTES
from engines.rules.registry import RULESETS
from tournaments.admin.events.rulings import RegulationsForm
from tournaments.formats import registry
from tournaments.models import Event, Ladder, Version
from tournaments.models.events import TARGETS
from tournaments.models.lifecycle import Seeding, VersionStatus
from tournaments.platform.refusals import Refused
from tournaments.scoring.standings import TIE_BREAKS
from tournaments.services.events.previewing import preview_event
from tournaments.services.events.scheduling import create_event


class FormatForm(forms.Form):
    """Game and format."""

    heading = "Game and format"
    name = forms.CharField(max_length=80, widget=forms.TextInput(attrs={"class": "vTextField"}))
    description = forms.CharField(required=False, max_length=4000,
                                  widget=forms.Textarea(attrs={"rows": 3, "class": "vLargeTextField"}))
    ladder = forms.ModelChoiceField(Ladder.objects.all(), help_text="Ruleset, size and time control.")
    format = forms.ChoiceField(choices=registry.choices(), help_text="Pairing system.")
    cycles = forms.IntegerField(initial=1, help_text="Matches per pairing, of two games each.")
    swiss_rounds = forms.IntegerField(required=False,
                                      help_text="Number of rounds of a Swiss; empty for as many as the number of "
                                                "entries requires.")
    target = forms.ChoiceField(required=False, choices=[("", "none"), *TARGETS], help_text="Precision events only.")
    target_value = forms.IntegerField(required=False, help_text="For ratings, the half width of every 95 % interval in "
                                                                "Elo; for first places, their number.")
    max_matches = forms.IntegerField(required=False, help_text="Maximum number of matches of a precision event.")
    max_hours = forms.IntegerField(required=False, help_text="Maximum number of hours of a precision event; empty for "
                                                             "no limit.")

    def __init__(self, *args: Any, earlier: dict[str, Any], **options: Any) -> None:
        super().__init__(*args, **options)


class EntrantsWidget(FilteredSelectMultiple):
    """Two lists side by side, in the wrapper that the admin's script expects."""

    def render(self, *args: Any, **kwargs: Any) -> str:
        return format_html('<div class="related-widget-wrapper">{}</div>', super().render(*args, **kwargs))


class EntrantsField(forms.ModelMultipleChoiceField):
    """Choice among the newest versions of all bots, each labelled with its rulesets unless it plays all of them."""

    def __init__(self, verbose_name: str, **options: Any) -> None:
        super().__init__(newest_versions(), required=False, widget=EntrantsWidget(verbose_name, is_stacked=False),
                         **options)

    def label_from_instance(self, version: Version) -> str:
        return str(version) if len(version.rulesets) == len(RULESETS) else f"{version} ({', '.join(version.rulesets)})"


def newest_versions() -> QuerySet[Version]:
    """Return the newest active version of each bot, in order of the bots' names."""
    newest = Max("bot__versions__number", filter=Q(bot__versions__status=VersionStatus.ACTIVE))
    return (Version.objects.filter(status=VersionStatus.ACTIVE).annotate(newest=newest).filter(number=F("newest"))
            .select_related("bot").order_by("bot__name"))


class EntrantsForm(forms.Form):
    """Entrants: chosen by the organiser, entered by their authors, or both."""

    heading = "Entrants"
    versions = EntrantsField("versions", help_text="Versions to enter now: the newest of each bot.")
    runners = EntrantsField("runners", help_text="Runners of a gauntlet, which play all the other entrants.")
    registration_opens_at = forms.SplitDateTimeField(
        required=False, widget=AdminSplitDateTime,
        help_text="Time from which authors may enter their bots (UTC); if empty, only you can enter bots.")
    registration_closes_at = forms.SplitDateTimeField(
        required=False, widget=AdminSplitDateTime,
        help_text="Registration deadline (UTC); empty for the start of the event.")
    max_entries = forms.IntegerField(required=False, help_text="Maximum number of entries; empty for no limit.")
    private = forms.BooleanField(required=False, help_text="Only invited users can see the event and enter it.")

    def __init__(self, *args: Any, earlier: dict[str, Any], **options: Any) -> None:
        super().__init__(*args, **options)
        if not registry.find(earlier.get("format", registry.DEFAULT)).has_runners:
            del self.fields["runners"]
        self.fields["max_entries"].widget.attrs["class"] = "vIntegerField"


class TimesForm(RegulationsForm):
    """Start time and options."""

    heading = "Time and options"
    starts_at = forms.SplitDateTimeField(required=False, widget=AdminSplitDateTime,
                                         help_text="Time at which the event starts automatically (UTC); empty for "
                                                   "immediately.")
    seeding = forms.ChoiceField(choices=Seeding.choices, help_text="Order of the entrants in the draw.")
    tie_breaks = forms.MultipleChoiceField(required=False, choices=[(name, name) for name in TIE_BREAKS],
                                           widget=forms.CheckboxSelectMultiple,
                                           help_text="If none is chosen, the format's own tie-breaks apply.")
    openings = forms.BooleanField(required=False, initial=True,
                                  help_text="Games start from random openings; otherwise from the empty board.")
    book = forms.CharField(required=False, strip=False, max_length=MOST_BYTES,
                           widget=forms.Textarea(attrs={"rows": 3, "class": "vLargeTextField"}),
                           help_text="Openings of your own, one per line, turns separated by spaces; empty for the "
                                     "ruleset's.")
    rated = forms.BooleanField(required=False, initial=True, help_text="The games count for the ladder.")

    def __init__(self, *args: Any, earlier: dict[str, Any], **options: Any) -> None:
        super().__init__(*args, **options)


STEPS: Final = (FormatForm, EntrantsForm, TimesForm)
PREVIEW: Final = len(STEPS)


@dataclass(frozen=True, slots=True)
class Answers:
    """The forms of the completed steps, the number of the first invalid one, and the cleaned data."""

    forms: list[forms.Form]
    faulty: int | None
    facts: dict[str, Any]


def view(request: HttpRequest, model_admin: Any) -> HttpResponse:
    """Show a step or the preview, or create the event. Raises PermissionDenied without permission to add events."""
    if not model_admin.has_add_permission(request):
        raise PermissionDenied
    if request.method != "POST":
        return _show(request, [], 0)
    at = _number(request.POST.get("at"))
    reached = max(at, _number(request.POST.get("reached")))
    answers = _read(request, reached)
    if "back" in request.POST:
        return _show(request, answers.forms, max(0, at - 1))
    if answers.faulty is not None and answers.faulty <= at:
        return _show(request, answers.forms, answers.faulty)
    if at + 1 < PREVIEW:
        return _show(request, answers.forms, at + 1)
    if answers.faulty is not None or len(answers.forms) < PREVIEW:
        return _show(request, answers.forms, answers.faulty if answers.faulty is not None else len(answers.forms))
    return _finish(request, model_admin, answers)


def _finish(request: HttpRequest, model_admin: Any, answers: Answers) -> HttpResponse:
    """Create the event, or check that it can be created and show its preview."""
    facts = {**answers.facts, "versions": list(answers.facts["versions"]),
             "runners": list(answers.facts.get("runners", [])), "created_by": request.user, "now": timezone.now()}
    try:
        if "create" not in request.POST:
            seen = preview_event(**facts)
            return _show(request, answers.forms, PREVIEW, event=seen.event, entrants=seen.entrants,
                         forecast=seen.forecast, openings=seen.openings, duration=_long(seen.forecast.seconds))
        event = create_event(**facts, seed=secrets.randbits(63))
    except Refused as refusal:
        return _show(request, answers.forms, PREVIEW, refusal=str(refusal))
    model_admin.log_addition(request, event, "Scheduled.")
    messages.success(request, f"The event “{event}” was added successfully.")
    return HttpResponseRedirect(reverse("admin:tournaments_event_change", args=[event.pk]))


def _long(seconds: float | None) -> str:
    """Format a duration: 40 s, 47 min, 3 h 20 min."""
    if seconds is None:
        return ""
    minutes = round(seconds / 60)
    if minutes < 2:
        return f"{max(1, round(seconds))} s"
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def _read(request: HttpRequest, reached: int) -> Answers:
    bound: list[forms.Form] = []
    facts: dict[str, Any] = {}
    faulty = None
    for number, step in enumerate(STEPS[:reached + 1]):
        form = step(request.POST, earlier=facts)
        bound.append(form)
        if form.is_valid():
            facts |= form.cleaned_data
        elif faulty is None:
            faulty = number
    return Answers(bound, faulty, facts)


def _show(request: HttpRequest, bound: Sequence[forms.Form], at: int, **context: Any) -> HttpResponse:
    """Render the page of that step. The answers of all other steps are included as hidden fields."""
    earlier = bound[0].cleaned_data if bound and bound[0].is_valid() else {}
    shown = None if at == PREVIEW else bound[at] if at < len(bound) else STEPS[at](earlier=earlier)
    return render(request, "admin/tournaments/event/wizard.html", {
        **admin.site.each_context(request), "title": "Add event", "opts": Event._meta,  # noqa: SLF001 - the admin's way
        "form": shown, "at": at, "reached": max(at, len(bound) - 1), "last": at == PREVIEW - 1,
        "headings": [step.heading for step in STEPS] + ["Preview"], "media": shown.media if shown else "",
        "hidden": [field.as_hidden() for form in bound if form is not shown for field in form], **context})


def _number(text: str | None) -> int:
    """Return the step number given by the page, within bounds."""
    return min(int(text), PREVIEW) if text is not None and text.isascii() and text.isdigit() and len(text) < 3 else 0
