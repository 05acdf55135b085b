"""Create an event by form and preview, and edit it until it starts."""

import secrets

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext

from frontend.forms.events import EventEditForm, EventForm
from frontend.forms.presets import PRESETS, preset_named
from frontend.forms.series import SeriesEditForm
from frontend.views.shared.acting import attempt, status_of
from frontend.views.shared.numbers import text_in
from tournaments.models.lifecycle import EventStatus
from tournaments.selectors.events import events as reads
from tournaments.selectors.events.permissions import organises
from tournaments.services.events.editing import edit_event, edit_series
from tournaments.services.events.previewing import preview_event, preview_series
from tournaments.services.events.scheduling import create_event
from tournaments.services.events.series import create_series


@login_required
def new(request: HttpRequest) -> HttpResponse:
    """The form, with the values of `?preset=` and the ladder from `?ladder=`; a POST shows the preview.

    A POST from the preview creates the event, or the weekly series.
    """
    if request.method != "POST":
        preset = preset_named(text_in(request, "preset"))
        known = preset.initial(timezone.now()) if preset else {}
        if ladder := text_in(request, "ladder"):
            known["ladder"] = ladder
        return _page(request, EventForm(initial=known, user=request.user))
    form = EventForm(request.POST, user=request.user)
    if not form.is_valid():
        return _page(request, form)
    if "back" in request.POST:
        return _page(request, form)
    facts = {**form.facts(), "created_by": request.user}
    weekly = form.cleaned_data["weekly"]
    if "create" not in request.POST:
        seen = attempt(form, preview_series if weekly else preview_event, **facts)
        return _page(request, form, **({"seen": seen} if seen is not None else {}))
    made = (attempt(form, create_series, **facts) if weekly else
            attempt(form, create_event, **facts, seed=secrets.randbits(63)))
    if made is None:
        return _page(request, form)
    messages.success(request, gettext("%(event)s is scheduled.") % {"event": made})
    return redirect("series" if weekly else "event", made.slug)


@login_required
def edit_a_series(request: HttpRequest, slug: str) -> HttpResponse:
    """The form with the series' current values, for its organiser; a POST changes the series."""
    series = get_object_or_404(reads.series(request.user), slug=slug)
    if series.next_run_at is None or not organises(request.user, series):
        messages.error(request, gettext("Only its organiser can change %(series)s, and only before it ends.") % {
            "series": series})
        return redirect("series", slug)
    form = SeriesEditForm(request.POST if request.method == "POST" else None, series=series)
    if form.is_valid() and attempt(form, edit_series, series=series, actor=request.user, **form.changes()) is not None:
        messages.success(request, gettext("%(event)s is updated.") % {"event": series})
        return redirect("series", slug)
    return render(request, "frontend/events/series_edit.html", {"section": "events", "series": series, "form": form},
                  status=status_of(form))


@login_required
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    """The form with the event's current values, for its organiser; a POST changes the event."""
    event = get_object_or_404(reads.visible_to(request.user), slug=slug)
    if event.status != EventStatus.SCHEDULED or not organises(request.user, event):
        messages.error(request, gettext("Only its organiser can change %(event)s, and only before it starts.") % {
            "event": event})
        return redirect("event", slug)
    form = EventEditForm(request.POST if request.method == "POST" else None, event=event)
    if form.is_valid() and attempt(form, edit_event, event=event, actor=request.user, **form.changes()) is not None:
        messages.success(request, gettext("%(event)s is updated.") % {"event": event})
        return redirect("event", slug)
    return render(request, "frontend/events/event_edit.html", {"section": "events", "event": event, "form": form},
                  status=status_of(form))


def _page(request: HttpRequest, form: EventForm, **context: object) -> HttpResponse:
    """The form, or with `seen` the preview, which carries the form's values in hidden fields."""
    hidden = [field.as_hidden() for field in form] if "seen" in context else []
    return render(request, "frontend/events/event_new.html", {
        "section": "events", "form": form, "hidden": hidden, "presets": PRESETS, **context}, status=status_of(form))
