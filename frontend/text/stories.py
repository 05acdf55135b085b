"""The words of stories (tournaments.stories): one or two sentences, with the names of a game's bots."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from django.utils.formats import date_format
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, gettext_lazy, ngettext, pgettext

from frontend.templatetags.squarefield import visible
from frontend.text.measures import measured
from frontend.text.wording import percent
from tournaments.models import Game

JSON = Mapping[str, Any]
_LABELS: Final = {
    "comeback": gettext_lazy("Comeback"), "upset": gettext_lazy("Upset"), "longest": gettext_lazy("Longest win"),
    "shortest": gettext_lazy("Shortest win"), "rivalry": gettext_lazy("Rivalry")}
_RUNS: Final = {True: gettext_lazy("Run of wins"), False: gettext_lazy("Run of losses")}


def label(story: JSON) -> str:
    """The kind of the story."""
    return str(_RUNS[story["won"]] if story["kind"] == "run" else _LABELS[story["kind"]])


def sentence(story: JSON, game: Game) -> SafeString:
    """The story as HTML."""
    names = [format_html('<bdi class="name">{}</bdi>', visible(version.bot.name))
             for version in (game.seat0, game.seat1)]
    text, values = _SENTENCES[story["kind"]](story, game)
    if game.winner is not None:
        values = {"winner": names[game.winner], "loser": names[1 - game.winner], **values}
    values = {"first": names[0], "second": names[1], **values}
    # The translation is trusted, and all values are escaped.
    return mark_safe(text % {name: conditional_escape(value) for name, value in values.items()})  # noqa: S308


def reason(chosen: JSON) -> str:
    """Why this is the game of the day."""
    day = date_format(date.fromisoformat(chosen["day"]), pgettext("date format", "j M Y"))
    if chosen["changes"] and chosen["candidates"] > 1:
        return ngettext(
            "A clear lead changed sides %(count)s time. None of the %(candidates)s candidates of %(day)s had more.",
            "A clear lead changed sides %(count)s times. None of the %(candidates)s candidates of %(day)s had more.",
            chosen["changes"]) % {"candidates": chosen["candidates"], "day": day, "count": chosen["changes"]}
    return gettext("Of the candidates of %(day)s, this game has the highest mean rating: %(level)s.") % {
        "day": day, "level": round(chosen["level"])}


def _comeback(story: JSON, game: Game) -> tuple[str, dict[str, Any]]:
    if "chance" in story:
        return (gettext("%(winner)s won against %(loser)s, although both bots gave it a chance of at most %(chance)s "
                        "at turn %(turn)s."), {"chance": percent(story["chance"]), "turn": story["behind_at"]})
    return (gettext("%(winner)s won against %(loser)s, although it was clearly behind at turn %(turn)s. %(measured)s."),
            {"turn": story["behind_at"], "measured": measured(game.match.ruleset, story["counts"])})


def _upset(story: JSON, _: Game) -> tuple[str, dict[str, Any]]:
    return (gettext("%(winner)s (%(low)s) won against %(loser)s (%(high)s). The ratings gave it a chance of "
                    "%(chance)s, draws left out."),
            {"low": round(story["winner"]), "high": round(story["loser"]), "chance": percent(story["chance"])})


def _longest(story: JSON, _: Game) -> tuple[str, dict[str, Any]]:
    return (gettext("%(winner)s won against %(loser)s in %(turns)s turns. Half of the %(games)s recent wins on this "
                    "ladder took at most %(usual)s."), _length(story))


def _shortest(story: JSON, _: Game) -> tuple[str, dict[str, Any]]:
    return (gettext("%(winner)s won against %(loser)s in only %(turns)s turns. Half of the %(games)s recent wins on "
                    "this ladder took at least %(usual)s."), _length(story))


def _length(story: JSON) -> dict[str, Any]:
    return {name: story[name] for name in ("turns", "games", "usual")}


def _run(story: JSON, _: Game) -> tuple[str, dict[str, Any]]:
    games = gettext("at least %(number)s") % {"number": story["games"]} if story["at_least"] else story["games"]
    text = {
        (True, True): gettext("%(winner)s won against %(loser)s and ended its run of %(games)s wins."),
        (False, True): gettext("%(winner)s won against %(loser)s after %(games)s losses in a row."),
        (True, False): gettext("%(winner)s has won %(games)s games in a row. The last one was against %(loser)s."),
        (False, False): gettext("%(loser)s has lost %(games)s games in a row. The last one was against %(winner)s."),
    }[story["won"], story["over"]]
    return text, {"games": games}


def _rivalry(story: JSON, _: Game) -> tuple[str, dict[str, Any]]:
    return (gettext("%(first)s and %(second)s: %(score)s in the last %(games)s games that one of them won on the "
                    "board."),
            {"score": "–".join(map(str, story["score"])), "games": story["games"]})


_SENTENCES: Final = {"comeback": _comeback, "upset": _upset, "longest": _longest, "shortest": _shortest, "run": _run,
                     "rivalry": _rivalry}
