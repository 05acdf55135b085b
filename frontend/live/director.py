"""Data for the director, which shows one game at a time: the tensest running one, or else the latest finished ones."""

from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.urls import reverse
from django.utils.translation import gettext

from frontend.drawing.board import Document
from frontend.live.replays import live_document, name_of, viewer
from frontend.live.tension import reason_in_words, tensions_of
from frontend.templatetags.squarefield import visible
from frontend.text.endings import ending_words
from frontend.text.spoilers import are_hidden
from frontend.text.wording import percent
from tournaments.models import Game, Match, Version
from tournaments.scoring.tension import Direction, direct
from tournaments.selectors.events.tables import crosstable, has_crosstable, standings
from tournaments.selectors.matches import stakes
from tournaments.selectors.matches.games import games
from tournaments.selectors.matches.live import LiveGame, being_played

# Running games among which the director chooses, finished ones that it replays, and lines of the lists.
GAMES: Final = 12
REPLAYS: Final = 6
LISTED: Final = 3
LINES: Final = 8
# Rows and columns of the crosstable.
CROSSED: Final = 6
# The director joins a running game at the turns that were played during this time.
JOINS_SECONDS: Final = 12.0
_KEY: Final = "director"
# The choice is forgotten if no one watches.
_KEPT_SECONDS: Final = 60


def news(now: float) -> dict[str, Any]:
    """The game to show, all games by their tension, upsets, and the next matches.

    The choice is the same for all viewers, so it is in the cache that all processes share.
    """
    running = [live for live in being_played(AnonymousUser(), GAMES) if not live.over]
    rated = dict(zip(map(_key, running), tensions_of(running), strict=True))
    before = cache.get(_KEY)
    choice = direct(Direction(*before) if before else None, {key: each.score for key, (each, _) in rated.items()}, now)
    if choice is not None:
        cache.set(_KEY, tuple(choice), _KEPT_SECONDS)
    listed = sorted(running, key=lambda live: -rated[_key(live)][0].score)
    shown = [{"key": _key(live), "stage": reverse("director-match", args=[live.match.pk, live.number]),
              "reason": reason_in_words(facts, each.reason, live.match.ladder.ruleset)}
             for live in listed for each, facts in [rated[_key(live)]]]
    return {"choice": choice.game if choice else "",
            "games": shown or [{"key": f"game-{game.pk}", "stage": reverse("director-game", args=[game.pk]),
                                "reason": gettext("no game is running: a replay")} for game in games()[:REPLAYS]],
            "upsets": [] if are_hidden() else [_upset(each) for each in stakes.upsets(LISTED)],
            "next": [_next(match) for match in stakes.next_matches(LISTED)]}


def stage_of_live(live: LiveGame) -> dict[str, Any]:
    """The template context of a running game, at the turn where the director joins it."""
    document = live_document(live)
    start, seconds = len(document["turns"]), 0.0
    for turn in reversed(live.turns):
        seconds += turn.seconds
        if seconds > JOINS_SECONDS or start == 0:
            break
        start -= 1
    return _stage(live.match, live.seats, document, start) | {
        "key": _key(live), "feed": reverse("match-turns", args=[live.match.pk, live.number])}


def stage_of_game(game: Game, document: Document) -> dict[str, Any]:
    """The template context of a finished game, at its start."""
    return _stage(game.match, (game.seat0, game.seat1), document, 0) | {
        "game": game, "key": f"game-{game.pk}", "ending": visible(ending_words(game, document))}


def _stage(match: Match, seats: tuple[Version, Version], document: Document, turn: int) -> dict[str, Any]:
    context = viewer(seats, document, turn, hides=True)
    ratings = stakes.ratings_of([match])
    return {**context,
            # The script shows the result with the last turn.
            "document": {**context["document"], "result": document["result"]},
            "match": match, "ladder": match.ladder, "event": match.event, "controls": False,
            "sides": [{"seat": seat, "bot": version.bot, "rating": ratings.get((match.ladder_id, version.bot_id))}
                      for seat, version in enumerate(seats)],
            "seats": seats, **_table(match)}


def _table(match: Match) -> dict[str, Any]:
    """The first lines of the event's crosstable; of its standings if it has none; or else of the ladder."""
    if match.event is None:
        return {"leaders": [{"place": rating.rank, "bot": rating.bot, "points": f"{rating.value:.0f}"}
                            for rating in stakes.leaders_of_ladder(match.ladder, LINES)]}
    if has_crosstable(match.event):
        return {"crosstable": crosstable(match.event, CROSSED)}
    return {"leaders": [{"place": line.row.places, "bot": line.entry.bot, "points": f"{line.row.points:g}"}
                        for line in standings(match.event)[:LINES]]}


def _upset(upset: stakes.Upset) -> dict[str, Any]:
    game = upset.game
    winner, loser = ((game.seat0, game.seat1) if game.winner == 0 else (game.seat1, game.seat0))
    high, low = upset.before if game.winner == 0 else upset.before[::-1]
    return {"match": game.match_id, "address": reverse("game", args=[game.pk]),
            "text": gettext("%(winner)s (%(rating)s) beat %(loser)s (%(other)s), chance %(chance)s") % {
                "winner": name_of(winner), "rating": f"{high:.0f}", "loser": name_of(loser), "other": f"{low:.0f}",
                "chance": percent(upset.chance)}}


def _next(match: Match) -> str:
    return gettext("%(first)s against %(second)s, %(ladder)s") % {
        "first": name_of(match.first), "second": name_of(match.second), "ladder": match.ladder.name}


def _key(live: LiveGame) -> str:
    return f"{live.match.pk}-{live.number}"
