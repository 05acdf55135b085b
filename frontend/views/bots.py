"""Bots: the list, and a bot's ratings, versions, record, faults and games."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from frontend.plots import rating_plot
from frontend.views.numbers import text_in
from frontend.wording import fault
from tournaments.selectors import bots as reads
from tournaments.selectors import games as game_reads
from tournaments.selectors.people import memberships_of
from tournaments.selectors.submissions import submissions_for
from tournaments.services.rights import acts_for

PAGE = 50
RECENT_GAMES = 10
RECENT_UPLOADS = 5


def index(request: HttpRequest) -> HttpResponse:
    """Bots in pages that follow one another by slug; `?q=` looks in their names."""
    named, after = text_in(request, "q"), text_in(request, "after")
    bots = list(reads.listed(named=named, after=after)[:PAGE + 1])
    more = urlencode({**({"q": named} if named else {}), "after": bots[PAGE - 1].slug}) if len(bots) > PAGE else ""
    return render(request, "frontend/bots.html", {
        "section": "bots", "bots": bots[:PAGE], "named": named, "after": after, "more": more})


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
        "uploads": submissions_for(request.user).filter(slug=bot.slug)[:RECENT_UPLOADS],
        "acts_for": acts_for(request.user, bot),
        # Staff may as well, in the owner's teams.
        "may_give": request.user.is_authenticated and (request.user == bot.owner or request.user.is_staff),
        "memberships": memberships_of(bot.owner),
    })
