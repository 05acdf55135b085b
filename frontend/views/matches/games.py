"""Games: the list, the replay, and the downloads."""

from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.clickjacking import xframe_options_exempt

from engines.records.older import shown_document
from engines.records.sgf import MEDIA_TYPE, has_sgf
from engines.rules.registry import RULESETS
from frontend.drawing import board
from frontend.live.analyses import card_of
from frontend.live.replays import viewer
from frontend.pictures.film import MOST_FRAMES
from frontend.text.spoilers import are_hidden, hidden
from frontend.views.shared.numbers import number_in, text_in
from frontend.views.shared.paging import numbered_page, page_of
from frontend.views.shared.private import private
from frontend.views.site.pictures import asked_turn, cached, is_private
from frontend.web.csp import HEADER, header
from tournaments.models import Bot, Game
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
# Names in the query, in the order of the page's title, and the labels of their chips.
_FILTERS = {"bot": gettext_lazy("Bot"), "vs": gettext_lazy("Against"), "ladder": gettext_lazy("Ladder"),
            "event": gettext_lazy("Event"), "ruleset": gettext_lazy("Ruleset"), "ended_by": gettext_lazy("Ended by"),
            "result": gettext_lazy("Result")}
_SORTS = {"": gettext_lazy("Newest"), "upset": gettext_lazy("Greatest upsets"), "rating": gettext_lazy("Highest rated"),
          "longest": gettext_lazy("Longest"), "shortest": gettext_lazy("Shortest")}


def index(request: HttpRequest) -> HttpResponse:
    """The list of games, newest first and paginated by ID, or in the order `?sort=`."""
    chosen, sort = _chosen(request), text_in(request, "sort")
    sort = sort if sort in reads.SORTS else ""
    games = reads.brief(reads.filtered(
        user=request.user, bot=chosen["bot"], opponent=chosen["vs"], sort=sort,
        **{name: chosen[name] for name in _FILTERS if name not in ("bot", "vs")}))
    listed, links = (numbered_page(request, games, PAGE, reads.MOST_SORTED) if sort
                     else page_of(request, games, PAGE, by="place"))
    forms = {"ladders": ladder_names(LADDERS), "endings": _ENDINGS,
             "rulesets": [(slug, ruleset.name) for slug, ruleset in RULESETS.items()],
             "results": _results(named=bool(chosen["bot"] or chosen["vs"]))}
    shown = _shown(request.user, chosen, forms)
    return render(request, "frontend/matches/games.html", {
        "section": "games", "games": listed, "chosen": chosen, "sort": sort, "most": reads.MOST_SORTED,
        "examined": reads.MOST_EXAMINED if chosen["bot"] or chosen["vs"] else None,
        "chips": [(_FILTERS[name], text, _query(chosen, sort, without=name)) for name, text in shown.items()],
        "sorts": [(label, _query(chosen, value), value == sort) for value, label in _SORTS.items()],
        "heading": _heading(shown, sort), **forms, **links,
    })


def _chosen(request: HttpRequest) -> dict[str, str]:
    """The filters in the query, with "" for missing or unknown values. Bots can be given by slug or name."""
    chosen = {name: text_in(request, name) for name in _FILTERS}
    for name, known in (("ended_by", dict(_ENDINGS)), ("result", _RESULTS), ("ruleset", RULESETS)):
        if chosen[name] not in known:
            chosen[name] = ""
    return {**chosen, "bot": slug_of(chosen["bot"]), "vs": slug_of(chosen["vs"])}


def _query(chosen: dict[str, str], sort: str, *, without: str = "") -> str:
    """The query of the list with these filters except `without`, from the first page."""
    return urlencode({name: value for name, value in {**chosen, "sort": sort}.items() if value and name != without})


def _results(*, named: bool) -> list[tuple[str, str]]:
    return [(value, words[0 if named else 1]) for value, words in _RESULTS.items()]


def _shown(user: Any, chosen: dict[str, str], forms: dict[str, Any]) -> dict[str, str]:
    """The filters in use, each with the name of its value: of the bot, of the event if the user may see it."""
    bots = dict(Bot.objects.filter(slug__in=filter(None, (chosen["bot"], chosen["vs"]))).values_list("slug", "name"))
    events = visible_to(user).filter(slug=chosen["event"]).values_list("slug", "name") if chosen["event"] else ()
    names = {"bot": bots, "vs": bots, "ruleset": dict(forms["rulesets"]), "ladder": dict(forms["ladders"]),
             "event": dict(events), "ended_by": dict(_ENDINGS), "result": dict(forms["results"])}
    return {name: str(names[name].get(value, value)) for name, value in chosen.items() if value}


def _heading(shown: dict[str, str], sort: str) -> str:
    """The page's title, which names the filters so that bookmarks and search results can be told apart."""
    phrases = {"vs": gettext("against %(bot)s") % {"bot": shown.get("vs")},
               "ended_by": gettext("ended by %(ending)s") % {"ending": shown.get("ended_by")}}
    said = ", ".join([phrases.get(name, text) for name, text in shown.items()] + [str(_SORTS[sort])] * bool(sort))
    return gettext("Games: %(filter)s") % {"filter": said} if said else gettext("Games")


def page(request: HttpRequest, pk: int) -> HttpResponse:
    """The replay at `?turn=N`; by default at its last turn. The server can draw any turn, for use without scripts.

    For readers who hide results, it begins at the start, and the result comes with the last turn or `?result=1`.
    """
    game = get_object_or_404(reads.whole_games(request.user), pk=pk)
    document = shown_document(game.record)
    return _replay(request, "frontend/matches/game.html", game, document, {
        "section": "games",
        "card": _card(game, document),
        **card_of(game),
        "has_sgf": has_sgf(game.match.ruleset),
        "logs": [seat for seat, version in enumerate((game.seat0, game.seat1)) if acts_for(request.user, version.bot)],
        "address": request.build_absolute_uri(reverse("game-embed", args=[pk])),
        "frames": MOST_FRAMES,
    })


def _replay(request: HttpRequest, template: str, game: Game, document: board.Document,
            context: dict[str, Any]) -> HttpResponse:
    begun = number_in(request, "turn") or 0
    hides = are_hidden() and text_in(request, "result") != "1" and begun < len(document["turns"])
    turn = begun if hides else asked_turn(request, document)
    with hidden(hides):
        return render(request, template, {
            "game": game, **options(request), **viewer((game.seat0, game.seat1), document, turn, hides=hides),
            **context})


@xframe_options_exempt
def embed(request: HttpRequest, pk: int) -> HttpResponse:
    """The board and its controls, for embedding in other sites. No other page can be framed."""
    game = get_object_or_404(reads.whole_games(request.user), pk=pk)
    document = shown_document(game.record)
    response = _replay(request, "frontend/replays/embed.html", game, document, {
        "card": _card(game, document) or reverse("site-card")})
    response[HEADER] = header(request.csp_nonce, {"frame-ancestors": "*"})
    return response


def _card(game: Game, document: board.Document) -> str:
    """The path of the game's preview card, or "" if the game is private or older."""
    return "" if document["older"] or is_private(game) else reverse("game-card", args=[game.pk])


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
