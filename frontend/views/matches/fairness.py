"""The fairness pages of ladders and events: figures that show whether all bots were treated equally.

The figures need not be current to the second: they are counted at most once per `_KEPT` times SHARED_PAGE_SECONDS, so
the reads are functions, which the template calls only when it renders them.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone

from frontend.views.shared.numbers import number_in
from tournaments.models import Ladder
from tournaments.selectors.events import events as event_reads
from tournaments.selectors.matches import fairness as reads

PAGE = 25
_KEPT: Final = 30


def ladder(request: HttpRequest, slug: str) -> HttpResponse:
    found, after, now = get_object_or_404(Ladder, slug=slug), number_in(request, "after"), timezone.now()
    longest = cache(lambda: reads.waits_longest(found))
    return _page(request, partial(reads.of_ladder, found, after, PAGE + 1, now), {
        "section": "ladders", "ladder": found, "after": after, "newest": reads.NEWEST,
        "void_days": reads.VOID_SINCE.days, "longest": longest, "waited": lambda: now - longest().waiting_since})


def event(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(event_reads.visible_to(request.user), slug=slug)
    after = number_in(request, "after")
    return _page(request, partial(reads.of_event, found, after, PAGE + 1), {
        "section": "events", "event": found, "ladder": found.ladder, "after": after})


def _page(request: HttpRequest, counted: Callable[[], list[reads.Share]], context: dict[str, Any]) -> HttpResponse:
    shares = cache(counted)

    def more() -> int | None:
        last = shares()[PAGE - 1].entry if len(shares()) > PAGE else None
        return last and (last.place if "event" in context else last.bot_id)

    return render(request, "frontend/matches/fairness.html", {
        **context, "kept_seconds": settings.SHARED_PAGE_SECONDS * _KEPT,
        "shares": lambda: shares()[:PAGE], "more": more})
