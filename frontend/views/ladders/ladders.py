"""Ladders: the list, a ladder's standings with the state of each bot, and joining and leaving."""

from functools import cache

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import gettext

from frontend.drawing.intervals import Interval, on_one_scale
from frontend.views.ladders.trials import offers, posted_bot
from frontend.views.shared.acting import button, run_action
from frontend.views.shared.numbers import number_in, posted_id
from ratings.models import Rating
from tournaments.models import Ladder, Version
from tournaments.selectors.events import events as event_reads
from tournaments.selectors.ladders import ladders as reads
from tournaments.selectors.ladders import official
from tournaments.selectors.ladders.waiting import Waits
from tournaments.services.ladders import ladder_play

# Lines per page. Rendering takes longer than the queries: at this length, about half of 20 ms.
PAGE = 25
NEWCOMERS = 20
RECENT_GAMES = 6
RECENT_EVENTS = 5


def index(request: HttpRequest) -> HttpResponse:
    return render(request, "frontend/ladders/ladders.html", {"section": "ladders", "ladders": reads.ladders()})


def page(request: HttpRequest, slug: str) -> HttpResponse:
    """The standings, paginated by rank, `?after=`.

    The shared part is rendered at most once per SHARED_PAGE_SECONDS (`{% cache %}` in the template), so its data are
    functions, which the template calls only when it renders the part.
    """
    ladder, now, after = get_object_or_404(Ladder, slug=slug), timezone.now(), number_in(request, "after") or 0
    waits = Waits(now)

    @cache
    def found() -> list[Rating]:
        return reads.standings_after(ladder, after, PAGE + 1)

    def lines() -> list[tuple[reads.Line, Interval]]:
        listed = found()[:PAGE]
        bars = on_one_scale([(rating.value, rating.low, rating.high) for rating in listed])
        return list(zip(reads.with_places(ladder, listed, waits), bars, strict=True))

    mine = reads.places_of(ladder, request.user, waits) if request.user.is_authenticated else []
    return render(request, "frontend/ladders/ladder.html", {
        "section": "ladders",
        "ladder": ladder,
        "shared_seconds": settings.SHARED_PAGE_SECONDS,
        "rated_bots": lambda: reads.ladders().get(pk=ladder.pk).bots,
        "play": lambda: reads.play(ladder, now),
        "waits": lambda: waits.of_ladders([ladder])[ladder.pk],
        "table": lambda: official.table_of(ladder),
        "lines": lines,
        "after": after,
        "more": lambda: found()[PAGE - 1].rank if len(found()) > PAGE else None,
        "newcomers": lambda: reads.newcomers(ladder, NEWCOMERS, waits),
        "mine": mine,
        "offers": offers(ladder, mine) if mine else [],
        "joinable": reads.joinable(ladder, request.user),
        "games": lambda: reads.recent_games(ladder, RECENT_GAMES),
        # Public events only, because this part is shared by all users.
        "events": lambda: event_reads.visible_to(AnonymousUser()).filter(ladder=ladder)[:RECENT_EVENTS],
    })


@button
def join(request: HttpRequest, slug: str) -> HttpResponse:
    """Join the ladder with a version."""
    ladder = get_object_or_404(Ladder, slug=slug)
    version = get_object_or_404(Version.objects.select_related("bot__team"), pk=posted_id(request, "version"))
    return run_action(request, ladder_play.join, gettext("%(version)s now plays on %(ladder)s."), ("ladder", slug),
                      ladder=ladder, version=version)


@button
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    """Take a bot off the ladder."""
    ladder, bot = get_object_or_404(Ladder, slug=slug), posted_bot(request)
    return run_action(request, ladder_play.leave, gettext("%(bot)s has left %(ladder)s and keeps its rating."),
                      ("ladder", slug), ladder=ladder, bot=bot)


@button
def bring_back(request: HttpRequest, slug: str) -> HttpResponse:
    """End a bot's suspension after faults."""
    ladder, bot = get_object_or_404(Ladder, slug=slug), posted_bot(request)
    return run_action(request, ladder_play.bring_back, gettext("%(bot)s is reinstated on %(ladder)s."),
                      ("ladder", slug), ladder=ladder, bot=bot)
