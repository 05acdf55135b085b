"""What authors and organisers do with an event, from its page, and with a series."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_POST

from frontend.views.shared.acting import run_action
from tournaments.models import Event, Version
from tournaments.selectors.events import events as reads
from tournaments.services.events import entries
from tournaments.services.events import events as verbs
from tournaments.services.events import series as series_verbs

_DIGITS = 18
RUN = {
    "start": (verbs.start_event, gettext_lazy("%(what)s has started.")),
    "pause": (verbs.pause_event, gettext_lazy("%(what)s is paused.")),
    "resume": (verbs.resume_event, gettext_lazy("%(what)s goes on.")),
    "cancel": (verbs.cancel_event, gettext_lazy("%(what)s is cancelled.")),
}
SERIES = {
    "pause": (series_verbs.pause_series, gettext_lazy("%(what)s is paused.")),
    "resume": (series_verbs.resume_series, gettext_lazy("%(what)s goes on.")),
    "end": (series_verbs.end_series, gettext_lazy("%(what)s has ended.")),
}


@login_required
@require_POST
def enter(request: HttpRequest, slug: str) -> HttpResponse:
    """Enter a version."""
    event = _event(request, slug)
    version = get_object_or_404(Version.objects.select_related("bot__team", "bot__owner"), pk=_id(request, "version"))
    run_action(request, entries.enter_event, gettext("%(version)s is entered in %(event)s.") % {
        "version": version, "event": event}, event=event, version=version,
        actor=request.user, now=timezone.now())
    return redirect("event", slug)


@login_required
@require_POST
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    """Take an entry out."""
    event = _event(request, slug)
    entry = get_object_or_404(event.entries.select_related("event", "bot__team", "version__bot"),
                              pk=_id(request, "entry"))
    run_action(request, entries.leave_event, gettext("%(bot)s has left %(event)s.") % {
        "bot": entry.bot, "event": event}, entry=entry, actor=request.user,
        now=timezone.now())
    return redirect("event", slug)


@login_required
@require_POST
def run(request: HttpRequest, slug: str, verb: str) -> HttpResponse:
    """Start, pause, resume or cancel an event."""
    event = _event(request, slug)
    act_on, done = RUN[verb]
    run_action(request, act_on, done % {"what": event}, event=event, actor=request.user, now=timezone.now())
    return redirect("event", slug)


@login_required
@require_POST
def invite(request: HttpRequest, slug: str, *, back: bool = False) -> HttpResponse:
    """Invite somebody by name, or take the invitation back."""
    event, username = _event(request, slug), request.POST.get("username", "")
    user = User.objects.filter(username=username).first() if "\x00" not in username else None
    if user is None:
        messages.error(request, gettext("There is no account %(name)r.") % {"name": username})
        return redirect("event", slug)
    verb, done = ((entries.uninvite, gettext("%(user)s is not invited any more.")) if back else
                  (entries.invite, gettext("%(user)s is invited.")))
    run_action(request, verb, done % {"user": user}, event=event, user=user, actor=request.user, now=timezone.now())
    return redirect("event", slug)


@login_required
@require_POST
def run_series(request: HttpRequest, slug: str, verb: str) -> HttpResponse:
    """Pause, resume or end a series."""
    series: Any = get_object_or_404(reads.series(request.user), slug=slug)
    act_on, done = SERIES[verb]
    run_action(request, act_on, done % {"what": series}, series=series, actor=request.user, now=timezone.now())
    return redirect("series", slug)


def _event(request: HttpRequest, slug: str) -> Event:
    return get_object_or_404(reads.visible_to(request.user), slug=slug)


def _id(request: HttpRequest, name: str) -> int:
    """The id under this name; 0, which is no row's, where there is none."""
    text = request.POST.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else 0
