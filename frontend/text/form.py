"""A bot's form: its last results, each with a letter and in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from frontend.templatetags.squarefield import visible
from tournaments.models import Bot, Game

_LETTERS: Final = {"won": pgettext_lazy("result", "W"), "drawn": pgettext_lazy("result", "D"),
                   "lost": pgettext_lazy("result", "L")}
_WORDS: Final = {"won": gettext_lazy("won against %(bot)s"), "drawn": gettext_lazy("drew against %(bot)s"),
                 "lost": gettext_lazy("lost against %(bot)s")}


@dataclass(frozen=True, slots=True)
class Mark:
    """A result: "won", "drawn" or "lost", its letter, the sentence about it, as text and as HTML, and the game's ID."""

    result: str
    letter: str
    words: str
    html: SafeString
    game: int


@dataclass(frozen=True, slots=True)
class Form:
    """The last results, the newest first, and their sum in words."""

    marks: list[Mark]
    summary: str


def form_of(bot: Bot, games: Sequence[Game]) -> Form:
    """Return the form in these games. If two versions of the bot played each other, the first seat's result counts."""
    marks = [_mark(bot, game) for game in games]
    won, drawn, lost = (sum(mark.result == result for mark in marks) for result in _LETTERS)
    said = ngettext("Last %(count)s game: %(won)s won, %(drawn)s drawn, %(lost)s lost",
                    "Last %(count)s games, newest first: %(won)s won, %(drawn)s drawn, %(lost)s lost", len(marks))
    return Form(marks, said % {"count": len(marks), "won": won, "drawn": drawn, "lost": lost})


def _mark(bot: Bot, game: Game) -> Mark:
    seat = 0 if game.seat0.bot_id == bot.pk else 1
    result = "drawn" if game.winner is None else "won" if game.winner == seat else "lost"
    opponent, said = visible((game.seat1 if seat == 0 else game.seat0).bot.name), str(_WORDS[result])
    # The translation is trusted, and the name is escaped.
    isolated = mark_safe(said % {"bot": format_html("<bdi>{}</bdi>", opponent)})  # noqa: S308
    return Mark(result, str(_LETTERS[result]), said % {"bot": opponent}, isolated, game.pk)
