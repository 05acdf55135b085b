"""One sentence about the end of a game: "searcher won 7–5: the larger square (a1–g7)".

`engines.records.endings` has the facts and the English words. Lists know less about a game than its own pages, which
pass its replay document.
"""

from collections.abc import Callable, Sequence

from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from engines.records.endings import GameEnd
from engines.rules.outcome import SPOKEN
from frontend.drawing.board import Document
from frontend.text.core_words import said, translated
from tournaments.models import Game


def end_of(game: Game, document: Document | None = None) -> GameEnd:
    """The end of the game, with the details of its replay document if that is given and the rules can replay it."""
    if document is not None and not document["older"]:
        return GameEnd.of_document(document)
    return GameEnd(ruleset=game.match.ruleset, winner=game.winner, ended_by=game.ended_by, reason=game.reason,
                   plies=game.plies)


def sentence(end: GameEnd, names: Sequence[str], quote: Callable[[object], str] = str) -> str:
    """The winner and the kind of win, as plain text unless `quote` escapes the values. The names are the seats'."""
    if end.winner is None:
        return gettext("Draw %(how)s") % {"how": said(end.how(), quote)}
    how = said(end.how(names[1 - end.winner]), quote)
    return gettext("%(bot)s won %(how)s") % {"bot": quote(names[end.winner]), "how": how}


def ending_words(game: Game, document: Document | None = None) -> str:
    """The sentence as plain, unescaped text for other media than pages."""
    return sentence(end_of(game, document), [version.bot.name for version in (game.seat0, game.seat1)])


def ending(game: Game, document: Document | None = None) -> SafeString:
    """The sentence as HTML."""
    names = [format_html('<bdi class="name">{}</bdi>', version.bot.name) for version in (game.seat0, game.seat1)]
    # The translation is trusted, and all values are escaped.
    return mark_safe(sentence(end_of(game, document), names, conditional_escape))  # noqa: S308


def how(end: GameEnd) -> str:
    """The kind of win, in words that follow "won" or "Draw", without the loser's name."""
    return said(end.how())


def fault(kind: str) -> str:
    """The words for a kind of fault."""
    return translated(SPOKEN.get(kind, kind))
