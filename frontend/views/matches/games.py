"""Games: the list, the replay, and the downloads."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.clickjacking import xframe_options_exempt

from engines.records.older import shown_document
from engines.records.sgf import MEDIA_TYPE, has_sgf
from engines.rules.registry import RULESETS
from frontend.drawing import board
from frontend.live.replays import viewer
from frontend.views.shared.numbers import text_in
from frontend.views.shared.paging import page_of
from frontend.views.shared.private import private
from frontend.views.site.pictures import asked_turn, cached
from frontend.web.csp import HEADER, header
from tournaments.models import Bot
from tournaments.selectors.bots.bots import slug_of
from tournaments.selectors.events.events import visible_to
from tournaments.selectors.ladders.ladders import ladder_names
from tournaments.selectors.matches import games as reads
from tournaments.selectors.shared.permissions import acts_for
from tournaments.services.events.exports import ExportRefused, game_sgf

PAGE = 30
# The form offers at most this many, the first by name.
LADDERS = 200
_ENDINGS = (("rule", gettext_lazy("the rules")), ("conduct", gettext_lazy("a fault")),
            ("policy", gettext_lazy("adjudication")))
# Labels with a bot chosen, and without one.
_RESULTS = {"won": (gettext_lazy("won by the bot"), gettext_lazy("won by the first player")),
            "drawn": (gettext_lazy("drawn"), gettext_lazy("drawn")),
            "lost": (gettext_lazy("lost by the bot"), gettext_lazy("won by the second player"))}


def index(request: HttpRequest) -> HttpResponse:
    """The list of games, newest first, paginated by ID."""
    chosen = _chosen(request)
    games = reads.filtered(
        user=request.user, bot=chosen["bot"], opponent=chosen["vs"],
        **{name: chosen[name] for name in ("ladder", "event", "ruleset", "ended_by", "result")})
    listed, links = page_of(request, games, PAGE, by="place")
    forms = {"ladders": ladder_names(LADDERS), "endings": _ENDINGS,
             "rulesets": [(slug, ruleset.name) for slug, ruleset in RULESETS.items()],
             "results": _results(named=bool(chosen["bot"] or chosen["vs"]))}
    named = _named(request.user, chosen)
    return render(request, "frontend/matches/games.html", {
        "section": "games", "games": listed, "chosen": chosen, "filtered": any(chosen.values()),
        "heading": _heading(chosen, named, forms), **forms, **named, **links,
    })


def _chosen(request: HttpRequest) -> dict[str, str]:
    """The filters in the query, with "" for missing or unknown values. Bots can be given by slug or name."""
    chosen = {name: text_in(request, name)
              for name in ("bot", "vs", "ladder", "event", "ruleset", "ended_by", "result")}
    for name, known in (("ended_by", dict(_ENDINGS)), ("result", _RESULTS), ("ruleset", RULESETS)):
        if chosen[name] not in known:
            chosen[name] = ""
    return {**chosen, "bot": slug_of(chosen["bot"]), "vs": slug_of(chosen["vs"])}


def _results(*, named: bool) -> list[tuple[str, str]]:
    return [(value, words[0 if named else 1]) for value, words in _RESULTS.items()]


def _named(user: Any, chosen: dict[str, str]) -> dict[str, Any]:
    """The chosen bots and event; None if they do not exist or are not visible to this user."""
    bots = {bot.slug: bot for bot in Bot.objects.filter(slug__in=filter(None, (chosen["bot"], chosen["vs"])))}
    event = visible_to(user).filter(slug=chosen["event"]).first() if chosen["event"] else None
    return {"bot": bots.get(chosen["bot"]), "opponent": bots.get(chosen["vs"]), "event": event}


def _heading(chosen: dict[str, str], named: dict[str, Any], forms: dict[str, Any]) -> str:
    """The page's title, which names the filters so that bookmarks and search results can be told apart."""
    parts = [
        named["bot"].name if named["bot"] else chosen["bot"],
        chosen["vs"] and gettext("against %(bot)s") % {
            "bot": named["opponent"].name if named["opponent"] else chosen["vs"]},
        dict(forms["ladders"]).get(chosen["ladder"], chosen["ladder"]),
        named["event"].name if named["event"] else chosen["event"],
        dict(forms["rulesets"]).get(chosen["ruleset"], ""),
        chosen["ended_by"] and gettext("ended by %(ending)s") % {"ending": dict(_ENDINGS)[chosen["ended_by"]]},
        str(dict(forms["results"]).get(chosen["result"], "")),
    ]
    said = ", ".join(filter(None, parts))
    return gettext("Games: %(filter)s") % {"filter": said} if said else gettext("Games")


def page(request: HttpRequest, pk: int) -> HttpResponse:
    """The replay at `?turn=N`; by default at its last turn. The server can draw any turn, for use without scripts."""
    game = get_object_or_404(reads.whole_games(request.user), pk=pk)
    document = shown_document(game.record)
    turn = asked_turn(request, document)
    return render(request, "frontend/matches/game.html", {
        "section": "games",
        "game": game,
        **options(request),
        **viewer((game.seat0, game.seat1), document, turn),
        "card": "" if document["older"] or (game.event and game.event.private) else reverse("game-card", args=[pk]),
        "has_sgf": has_sgf(game.match.ruleset),
        "logs": [seat for seat, version in enumerate((game.seat0, game.seat1)) if acts_for(request.user, version.bot)],
        "address": request.build_absolute_uri(reverse("game-embed", args=[pk])),
    })


@xframe_options_exempt
def embed(request: HttpRequest, pk: int) -> HttpResponse:
    """The board and its controls, for embedding in other sites. No other page can be framed."""
    game = get_object_or_404(reads.whole_games(request.user), pk=pk)
    document = shown_document(game.record)
    response = render(request, "frontend/replays/embed.html", {
        "game": game, **options(request),
        **viewer((game.seat0, game.seat1), document, asked_turn(request, document))})
    response[HEADER] = header(request.csp_nonce, {"frame-ancestors": "*"})
    return response


def logs(request: HttpRequest, pk: int, seat: int) -> HttpResponse:
    """The stderr output of the seat's bot, for users who manage the bot; 404 for others."""
    game = get_object_or_404(reads.logged_games(request.user), pk=pk)
    version, log = ((game.seat0, game.stderr0), (game.seat1, game.stderr1))[seat]
    if not acts_for(request.user, version.bot):
        raise Http404
    return private(render(request, "frontend/matches/logs.html", {
        "section": "games", "game": game, "seat": seat, "version": version,
        "log": bytes(log).decode(errors="replace"), "size": len(log)}))


def options(request: HttpRequest) -> dict[str, Any]:
    """The viewer options in the query: `theme=dark`, `controls=0`, `autoplay=1`."""
    theme = text_in(request, "theme")
    return {"asked_theme": theme if theme in ("light", "dark") else "",
            "controls": text_in(request, "controls") != "0", "autoplay": text_in(request, "autoplay") == "1"}


def as_json(request: HttpRequest, pk: int) -> HttpResponse:
    """The record of the game, in the format of `engines.records.record`."""
    game = get_object_or_404(reads.whole_games(request.user), pk=pk)
    return JsonResponse(game.record, json_dumps_params={"indent": 1}, headers={
        "Content-Disposition": f'attachment; filename="game-{pk}.json"', "Cache-Control": cached(game)})


def as_sgf(request: HttpRequest, pk: int) -> HttpResponse:
    """The game as SGF; 404 if it cannot be exported, for example because SGF has no notation for the ruleset."""
    game = get_object_or_404(reads.whole_games(request.user), pk=pk)
    try:
        text = game_sgf(game)
    except ExportRefused as refusal:
        raise Http404(str(refusal)) from refusal
    return HttpResponse(text, content_type=f"{MEDIA_TYPE}; charset=utf-8", headers={
        "Content-Disposition": f'attachment; filename="game-{pk}.sgf"', "Cache-Control": cached(game)})


def as_text(request: HttpRequest, pk: int) -> HttpResponse:
    """The game as plain text: facts, turns and the final board."""
    game = get_object_or_404(reads.whole_games(request.user), pk=pk)
    document = shown_document(game.record)
    final = board.frame_at(document, len(document["turns"]))
    context = {"game": game, "document": document, "text": board.text(document, final)}
    return render(request, "frontend/matches/game.txt", context, content_type="text/plain; charset=utf-8")
