"""Bots: the list, and the page of a bot with its ratings, versions, record, faults and games."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import gettext

from frontend.drawing.calibration_plot import calibration_plot
from frontend.drawing.plots import rating_plot
from frontend.text.calibration import calibration_words
from frontend.text.endings import fault
from frontend.text.form import form_of
from frontend.views.shared.acting import button, run_action
from frontend.views.shared.numbers import text_in
from tournaments.models import Bot
from tournaments.selectors.accounts.people import memberships_of
from tournaments.selectors.bots import bots as reads
from tournaments.selectors.bots.calibration import calibration
from tournaments.selectors.bots.starvation import starvation
from tournaments.selectors.bots.submissions import submissions_for
from tournaments.selectors.ladders import official
from tournaments.selectors.ladders.candidacies import of_bot
from tournaments.selectors.ladders.comparisons import LEAST_GAMES, Opponent, extremes, opponents
from tournaments.selectors.ladders.ladders import places_of_bot
from tournaments.selectors.ladders.rating_history import rating_history
from tournaments.selectors.ladders.waiting import Waits
from tournaments.selectors.matches import games as game_reads
from tournaments.selectors.notices.follows import follow_of
from tournaments.selectors.shared.permissions import acts_for
from tournaments.services.casual.analyses import set_judging

PAGE = 50
RECENT_GAMES = 10
# Games that make up the form, and opponents among the best and among the worst.
FORM_GAMES = 20
EXTREMES = 3
RECENT_UPLOADS = 5
RECENT_TRIALS = 10
OPPONENTS = 20


def index(request: HttpRequest) -> HttpResponse:
    """The list of bots, paginated by slug; `?q=` searches their names."""
    named, after = text_in(request, "q"), text_in(request, "after")
    bots = list(reads.listed(named=named, after=after)[:PAGE + 1])
    more = urlencode({**({"q": named} if named else {}), "after": bots[PAGE - 1].slug}) if len(bots) > PAGE else ""
    return render(request, "frontend/bots/bots.html", {
        "section": "bots", "bots": bots[:PAGE], "named": named, "after": after, "more": more})


def page(request: HttpRequest, slug: str) -> HttpResponse:
    bot = get_object_or_404(reads.bots(), slug=slug)
    games = list(game_reads.brief(game_reads.filtered(bot=bot.slug))[:FORM_GAMES])
    return render(request, "frontend/bots/bot.html", {
        "section": "bots",
        "bot": bot,
        "ladders": _ladders(bot, text_in(request, "ladder")),
        "follow": follow_of(request.user, bot),
        "least_games": LEAST_GAMES,
        "form": form_of(bot, games),
        "calibrations": [(each, calibration_plot(each), calibration_words(each)) for each in calibration(bot)],
        "versions": reads.versions(bot),
        "trials": of_bot(bot)[:RECENT_TRIALS],
        "record": reads.record(bot),
        "faults": [(fault(kind), count) for kind, count in reads.faults(bot).items()],
        "starvation": starvation(bot, timezone.now()),
        "games": games[:RECENT_GAMES],
        # Only its owner and staff see uploads; for others the list is empty.
        "uploads": submissions_for(request.user).filter(slug=bot.slug)[:RECENT_UPLOADS],
        "acts_for": acts_for(request.user, bot),
        # Staff can also give the bot to one of its owner's teams.
        "may_give": request.user.is_authenticated and (request.user == bot.owner or request.user.is_staff),
        "memberships": memberships_of(bot.owner),
    })


@button
def judging(request: HttpRequest, slug: str) -> HttpResponse:
    """Say whether the bot's versions may judge positions in analyses of games."""
    bot = get_object_or_404(reads.bots(), slug=slug)
    judges = {"yes": True, "no": False}.get(request.POST.get("judges", ""))
    return run_action(request, set_judging, gettext("Saved."), ("bot", slug), bot=bot, judges=judges)


def _ladders(bot: Bot, chosen: str) -> list[dict[str, Any]]:
    """The ladders of the bot: its rating, its place, and the ratings of its versions.

    The rating history and the opponents are included for one ladder only, because they need many queries: the ladder
    with the slug `chosen`, or else the one with most of the bot's games.
    """
    ratings, lines = {rating.ladder: rating for rating in reads.ratings(bot)}, official.lines_of_bot(bot)
    places = {place.entry.ladder: place for place in places_of_bot(bot, Waits(timezone.now()))}
    most = max(ratings.values(), key=lambda rating: rating.games, default=None)
    open_ = next((rating for rating in ratings.values() if rating.ladder.slug == chosen), most)
    met = [] if open_ is None else opponents(open_.ladder, bot)
    return [{
        "ladder": ladder,
        "rating": (rating := ratings.get(ladder)),
        "place": places.get(ladder),
        "open": (here := rating is not None and rating is open_),
        "plot": rating_plot(rating_history(bot, ladder)) if here else "",
        "lines": [line for line in lines if line.table.ladder_id == ladder.pk],
        "opponents": met[:OPPONENTS] if here else [],
        "extremes": _extremes(met) if here else [],
    } for ladder in dict.fromkeys([*ratings, *places])]


def _extremes(met: list[Opponent]) -> list[tuple[str, list[Opponent]]]:
    """The best and the worst opponents with their headings; empty if no opponent has enough games."""
    found = extremes(met, EXTREMES)
    return [] if found is None else [(gettext("Scores better than expected"), found[0]),
                                     (gettext("Scores worse than expected"), found[1])]
