"""Bots: the list, and a bot's ratings, versions, record, faults and games."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from frontend.plots import rating_plot
from frontend.wording import fault
from tournaments.selectors import bots as reads
from tournaments.selectors import games as game_reads
from tournaments.selectors.submissions import submissions_for

RECENT_GAMES = 10
RECENT_UPLOADS = 5


def index(request: HttpRequest) -> HttpResponse:
    return render(request, "frontend/bots.html", {"section": "bots", "bots": reads.bots()})


def page(request: HttpRequest, slug: str) -> HttpResponse:
    bot = get_object_or_404(reads.bots(), slug=slug)
    history = reads.rating_history(bot)
    return render(request, "frontend/bot.html", {
        "section": "bots",
        "bot": bot,
        "ratings": [(rating, rating_plot(history.get(rating.ladder_id, []))) for rating in reads.ratings(bot)],
        "versions": reads.versions(bot),
        "record": reads.record(bot),
        "faults": [(fault(kind), count) for kind, count in reads.faults(bot).items()],
        "games": game_reads.games_of(bot)[:RECENT_GAMES],
        # For its owner and staff; nobody else sees any.
        "uploads": submissions_for(request.user).filter(slug=bot.slug, uploader=bot.owner)[:RECENT_UPLOADS],
    })
