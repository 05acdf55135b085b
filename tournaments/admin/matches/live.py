"""Dashboard: current queues and workers, faults by bot and by machine, void attempts by reason."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils import timezone

from tournaments.operations import workers as worker_reads
from tournaments.selectors.operations import dashboard

REFRESH_SECONDS = 5
# Periods that the pages can cover, in hours, with their names.
SPANS = {1: "the last hour", 24: "the last day", 168: "the last week"}


def addresses() -> list[URLPattern]:
    """Return the URLs of the pages, which are below the admin's list of matches."""
    view = admin.site.admin_view
    return [path("live/", view(live), name="live"), path("faults/", view(faults), name="faults"),
            path("voids/", view(voids), name="voids")]


def live(request: HttpRequest) -> HttpResponse:
    """Show queued and running work, and the workers."""
    now = timezone.now()
    waiting, oldest = dashboard.submissions_waiting()
    return _page(request, "live", "Live", refresh=REFRESH_SECONDS, now=now, queue=dashboard.queue(), uploads=waiting,
                 oldest_upload=oldest, failures=dashboard.failures(), workers=dashboard.workers(now),
                 slots=dashboard.slots(now), standstills=dashboard.standstills(),
                 coordinators=worker_reads.coordinators(now),
                 may_drain=request.user.has_perm("tournaments.change_worker"))


def faults(request: HttpRequest) -> HttpResponse:
    """Show faults by bot and by machine."""
    hours = _hours(request)
    since = dashboard.since(timezone.now(), hours)
    bots, hosts = dashboard.faults_by_bot(since), dashboard.faults_by_host(since)
    kinds = dashboard.kinds_of([*(bot.faults for bot in bots), *(host.forfeits for host in hosts)])
    return _page(request, "faults", "Faults", hours=hours, newest=dashboard.NEWEST, kinds=kinds, bots=[
        (bot, [bot.faults[kind] for kind in kinds]) for bot in bots], hosts=[
        (host, [host.forfeits[kind] for kind in kinds]) for host in hosts])


def voids(request: HttpRequest) -> HttpResponse:
    """Show the reasons why attempts were void."""
    hours = _hours(request)
    return _page(request, "voids", "Void attempts", hours=hours, newest=dashboard.NEWEST,
                 reasons=dashboard.void_reasons(dashboard.since(timezone.now(), hours)))


def _hours(request: HttpRequest) -> int:
    asked = request.GET.get("hours", "")
    return next((hours for hours in SPANS if str(hours) == asked), 24)


def _page(request: HttpRequest, name: str, title: str, **context: Any) -> HttpResponse:
    if not request.user.has_perm("tournaments.view_match"):
        raise PermissionDenied
    response = render(request, f"admin/tournaments/{name}.html", {
        **admin.site.each_context(request), "title": title, "spans": SPANS, "here": name, **context})
    response["Cache-Control"] = "private, no-store"
    return response
