"""Casual games of a person against a bot: the terms and the game. They need neither scripts nor an account."""

import secrets
from hashlib import sha256
from typing import Any, Final
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from engines.rules.errors import IllegalTurn
from engines.rules.registry import RULESETS
from frontend.forms.play import PlayForm
from frontend.live.playing import context, ended, table
from frontend.text import turn_words
from frontend.text.languages import in_language
from frontend.views.shared.acting import asked, attempt, status_of
from frontend.views.shared.conditional import render_unless_known
from frontend.views.shared.numbers import text_in, whole_number
from frontend.views.shared.private import private
from frontend.views.site.pictures import asked_turn
from tournaments.models import Bot, CasualGame
from tournaments.models.lifecycle import CasualStatus
from tournaments.operations.security_log import sentence_of
from tournaments.platform.refusals import Refused
from tournaments.selectors.casual import questions as reads
from tournaments.services.casual import games as verbs
from tournaments.web.visitors import asker_of, remember

# Maximum number of characters of a turn, on the largest board.
LONGEST_TURN: Final = 2000
_DIGITS: Final = 6
# Header by which the script requests only the part of the page that changes.
PART: Final = "X-Part"


def new(request: HttpRequest, slug: str) -> HttpResponse:
    """The form, filled in from `?ruleset=` and `?size=`; a POST starts the game."""
    bot = get_object_or_404(Bot.objects.select_related("owner"), slug=slug)
    version = reads.newest_askable(bot)
    if version is None:
        return render(request, "frontend/casual/play_new.html", {"section": "bots", "bot": bot, "form": None})
    known = {name: text for name in ("ruleset", "size") if (text := text_in(request, name))}
    form = PlayForm(request.POST if request.method == "POST" else None, initial=known, version=version)
    if form.is_valid():
        asker = asker_of(request)
        game = attempt(form, verbs.begin, asker=asker, version=version, terms=form.terms(), seed=secrets.randbits(63))
        if game is not None:
            return remember(redirect("casual-game", game.token), asker)
    return render(request, "frontend/casual/play_new.html", {
        "section": "bots", "bot": bot, "version": version, "form": form}, status=status_of(form))


def choose(request: HttpRequest, slug: str) -> HttpResponse:
    """Redirect to the form for this ruleset, with a bot that plays it; to the list of bots if there is none."""
    if slug not in RULESETS:
        raise Http404(gettext("There is no ruleset with that name."))
    version = reads.opponent_for(slug)
    if version is None:
        messages.error(request, gettext("No active bot plays %(game)s.") % {"game": RULESETS[slug].name})
        return redirect("bots")
    return redirect(f"{reverse('play', args=[version.bot.slug])}?{urlencode({'ruleset': slug})}")


def page(request: HttpRequest, token: str) -> HttpResponse:
    """The page of the game; `?stones=c3,d4` are the stones of an unfinished turn."""
    game = get_object_or_404(reads.casual_games(), token=token)
    return private(render(request, "frontend/casual/play.html", _context(request, game)))


def part(request: HttpRequest, token: str) -> HttpResponse:
    """The part of the page that changes, for its script; 304 if it is unchanged."""
    game = get_object_or_404(reads.casual_games(), token=token)
    mine = asker_of(request).made(game)
    stones = sha256(request.GET.get("stones", "").encode("utf-8", "replace")).hexdigest()[:16]
    etag = in_language(f"{game.pk}-{len(game.turns)}-{game.status}-{mine:d}-{stones}")
    return private(render_unless_known(request, _part_of(game), etag, lambda: _context(request, game)))


@require_POST
def turn(request: HttpRequest, token: str) -> HttpResponse:
    """Play the turn in the field `turn`, after `ply` plies."""
    game = get_object_or_404(reads.casual_games(), token=token)
    ply = whole_number(request.POST.get("ply", ""), _DIGITS)
    return _done(request, game, verbs.play, text=request.POST.get("turn", "")[:LONGEST_TURN],
                 ply=-1 if ply is None else ply)


@require_POST
def resign(request: HttpRequest, token: str) -> HttpResponse:
    """Resign the game."""
    return _done(request, get_object_or_404(reads.casual_games(), token=token), verbs.resign)


@require_POST
def rematch(request: HttpRequest, token: str) -> HttpResponse:
    """Start the next game on the same terms, with the seats swapped."""
    game, asker = get_object_or_404(reads.casual_games(), token=token), asker_of(request)
    began = asked(request, verbs.rematch, asker=asker, game=game, version=reads.newest_askable(game.version.bot),
                  seed=secrets.randbits(63))
    return remember(redirect("casual-game", (began or game).token), asker)


def _done(request: HttpRequest, game: CasualGame, verb: Any, **facts: Any) -> HttpResponse:
    """Call the verb and show the game again, with any refusal: the changed part for the script, else the whole page.

    After a refusal, the stones of the turn stay on the board.
    """
    refused, stones = "", ""
    try:
        verb(asker=asker_of(request), game=game, now=timezone.now(), **facts)
    except Refused as refusal:
        cause = refusal.__cause__
        refused = turn_words.closed(cause, game.size) if isinstance(cause, IllegalTurn) else sentence_of(refusal)
        stones = facts.get("text", "")
    if PART in request.headers:
        game.refresh_from_db()
        return private(render(request, _part_of(game), {**_context(request, game, stones), "refused": refused},
                               status=409 if refused else 200))
    if refused:
        messages.error(request, refused)
    address = reverse("casual-game", args=[game.token])
    return redirect(f"{address}?{urlencode({'stones': stones})}" if stones else address)


def _part_of(game: CasualGame) -> str:
    """The template of the part of the page that changes."""
    return "frontend/casual/_play.html" if game.status == CasualStatus.PLAYING else "frontend/casual/_played.html"


def _context(request: HttpRequest, game: CasualGame, stones: str = "") -> dict[str, Any]:
    mine = asker_of(request).made(game)
    shown = table(game, mine=mine, stones=stones or request.GET.get("stones", "")[:LONGEST_TURN])
    facts = {"section": "bots", "mine": mine, "part": _part_of(game), "over": game.status != CasualStatus.PLAYING}
    if not facts["over"]:
        return {**facts, **context(shown, timezone.now())}
    person = gettext("You") if mine else gettext("Human player")
    address = request.build_absolute_uri(reverse("casual-game", args=[game.token]))
    return {**facts, "address": address, **ended(shown, asked_turn(request, shown.document), person)}
