"""Actions of authors and organisers on an event or a series, from its page."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext, gettext_lazy

from frontend.views.shared.acting import button, run_action
from frontend.views.shared.numbers import posted_id
from tournaments.models import Entry, Event, Version
from tournaments.selectors.events import events as reads
from tournaments.services.events import entries
from tournaments.services.events import events as verbs
from tournaments.services.events import series as series_verbs
from tournaments.services.events.rulings import disqualifying

RUN = {
    "start": (verbs.start_event, gettext_lazy("%(what)s has started.")),
    "pause": (verbs.pause_event, gettext_lazy("%(what)s is paused.")),
    "resume": (verbs.resume_event, gettext_lazy("%(what)s is resumed.")),
    "cancel": (verbs.cancel_event, gettext_lazy("%(what)s is cancelled.")),
}
SERIES = {
    "pause": (series_verbs.pause_series, gettext_lazy("%(what)s is paused.")),
    "resume": (series_verbs.resume_series, gettext_lazy("%(what)s is resumed.")),
    "end": (series_verbs.end_series, gettext_lazy("%(what)s has ended.")),
}


@button
def enter(request: HttpRequest, slug: str) -> HttpResponse:
    """Enter a version."""
    event = _event(request, slug)
    versions = Version.objects.select_related("bot__team", "bot__owner")
    version = get_object_or_404(versions, pk=posted_id(request, "version"))
    return run_action(request, entries.enter_event, gettext("%(version)s is entered in %(event)s."), ("event", slug),
                      event=event, version=version)


@button
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    """Withdraw an entry."""
    event = _event(request, slug)
    entry = _entry(request, event)
    return run_action(request, entries.leave_event, gettext("%(bot)s has left %(event)s."), ("event", slug),
                      entry=entry, names={"bot": entry.bot, "event": event})


@button
def bring_back(request: HttpRequest, slug: str) -> HttpResponse:
    """Let an entrant that has left an arena play on."""
    event = _event(request, slug)
    entry = _entry(request, event)
    return run_action(request, entries.return_to_event, gettext("%(bot)s is back in %(event)s."), ("event", slug),
                      entry=entry, names={"bot": entry.bot, "event": event})


@button
def disqualify(request: HttpRequest, slug: str) -> HttpResponse:
    """Disqualify an entrant, with a public reason."""
    event = _event(request, slug)
    entry = _entry(request, event)
    return run_action(request, disqualifying.disqualify, gettext("%(bot)s is disqualified from %(event)s."),
                      ("event", slug), entry=entry,
                      reason=request.POST.get("reason", ""), annulled="annulled" in request.POST,
                      names={"bot": entry.bot, "event": event})


@button
def run(request: HttpRequest, slug: str, verb: str) -> HttpResponse:
    """Start, pause, resume or cancel an event."""
    event = _event(request, slug)
    return run_action(request, *RUN[verb], ("event", slug), event=event, names={"what": event})


@button
def invite(request: HttpRequest, slug: str, *, back: bool = False) -> HttpResponse:
    """Invite a user by username, or withdraw the invitation."""
    event, username = _event(request, slug), request.POST.get("username", "")
    user = User.objects.filter(username=username).first() if "\x00" not in username else None
    if user is None:
        messages.error(request, gettext("There is no account %(name)r.") % {"name": username})
        return redirect("event", slug)
    verb, done = ((entries.uninvite, gettext("The invitation of %(user)s is withdrawn.")) if back else
                  (entries.invite, gettext("%(user)s is invited.")))
    return run_action(request, verb, done, ("event", slug), event=event, user=user)


@button
def run_series(request: HttpRequest, slug: str, verb: str) -> HttpResponse:
    """Pause, resume or end a series."""
    series: Any = get_object_or_404(reads.series(request.user), slug=slug)
    return run_action(request, *SERIES[verb], ("series", slug), series=series, names={"what": series})


def _entry(request: HttpRequest, event: Event) -> Entry:
    return get_object_or_404(event.entries.select_related("event__created_by", "bot__team", "version__bot"),
                             pk=posted_id(request, "entry"))


def _event(request: HttpRequest, slug: str) -> Event:
    return get_object_or_404(reads.visible_to(request.user), slug=slug)
