"""Words of the rules, pairings and scoring. That code does not depend on Django, so gettext finds its words here."""

import re
from collections.abc import Callable
from typing import Final

from django.utils.translation import gettext, gettext_noop, ngettext

from engines.rules.outcome import Said
from engines.rules.registry import RULESETS

WORDS: Final = frozenset((
    # The rulesets' own words; `manage.py messages` adds them to the catalogue.
    *(word for ruleset in RULESETS.values() for word in ruleset.words()),
    # Notes on turns, and turns without stones.
    gettext_noop("pass"), gettext_noop("swap"), gettext_noop("resign"), gettext_noop("resigns"),
    # Ends of games.
    gettext_noop("by connection"), gettext_noop("by reaching the goal"), gettext_noop("by impasse"),
    gettext_noop("with the larger square"), gettext_noop("on a full board"), gettext_noop("on the rings"),
    gettext_noop("with all rings tied"), gettext_noop("by resignation"), gettext_noop("by ply cap"),
    gettext_noop("illegal turn"), gettext_noop("crash"), gettext_noop("out of time"), gettext_noop("protocol error"),
    gettext_noop("too much output"), gettext_noop("out of memory"),
    gettext_noop("by connecting north and south"), gettext_noop("by connecting west and east"),
    gettext_noop("by resignation at turn %(turn)s"), gettext_noop("by forfeit: %(fault)s"),
    gettext_noop("by forfeit: %(loser)s played an illegal turn at turn %(turn)s"),
    gettext_noop("by forfeit: %(loser)s crashed at turn %(turn)s"),
    gettext_noop("by forfeit: %(loser)s ran out of time at turn %(turn)s"),
    gettext_noop("by forfeit: %(loser)s broke the protocol at turn %(turn)s"),
    gettext_noop("by forfeit: %(loser)s wrote too much output at turn %(turn)s"),
    gettext_noop("by forfeit: %(loser)s ran out of memory at turn %(turn)s"), gettext_noop("by %(reason)s"),
    # Tie-breaks.
    gettext_noop("Buchholz"),
    gettext_noop("Sum of the opponents' points. Rounds without play count by FIDE's rules: as an opponent with the "
                 "entrant's own points, up to half of all possible points."),
    gettext_noop("Buchholz cut 1"), gettext_noop("Buchholz by FIDE's rules without the lowest part."),
    gettext_noop("Buchholz of played rounds"),
    gettext_noop("Sum of the points of the opponents played. Byes and other rounds without play count nothing."),
    gettext_noop("Sonneborn-Berger"),
    gettext_noop("Sum of the points of each opponent beaten and half the points of each opponent drawn with, game by "
    "game."),
    gettext_noop("Head to head"),
    gettext_noop("Points in games between the tied entrants, if all of them have met."),
    gettext_noop("Wins"), gettext_noop("Games won."),
    # Rounds of knockouts.
    gettext_noop("Final"), gettext_noop("Semi-finals"), gettext_noop("Quarter-finals"), gettext_noop("Third place"),
    gettext_noop("Grand final"), gettext_noop("Second grand final"), gettext_noop("Winners' final"),
    gettext_noop("Losers' final"),
    gettext_noop("Round of %(number)s"), gettext_noop("Winners' round %(number)s"),
    gettext_noop("Losers' round %(number)s"),
))
_NUMBER: Final = re.compile(r"\d+")
_CAPTURED: Final = re.compile(r"captured (\d+)")


def translated(text: str) -> str:
    """The word or sentence in the reader's language. Unlisted text, such as a cell's name, is returned unchanged."""
    if (number := _NUMBER.search(text)) and (said := _NUMBER.sub("%(number)s", text, count=1)) in WORDS:
        return gettext(said) % {"number": number[0]}
    if match := _CAPTURED.fullmatch(text):
        return ngettext("captured %(count)s", "captured %(count)s", int(match[1])) % {"count": match[1]}
    return gettext(text) if text in WORDS else text


def said(words: Said, quote: Callable[[object], str] = str) -> str:
    """The engine's words about an ending in the reader's language; `quote` escapes the values for HTML."""
    values = {name: quote(translated(str(value)) if name == "fault" else value) for name, value in words.values.items()}
    return (gettext(words.text) if words.text in WORDS else words.text) % values


def round_label(label: str) -> str:
    """The label of a knockout round, which may combine several kinds of ties: "Final and third place"."""
    return gettext(" and ").join(translated(part[:1].upper() + part[1:]) for part in label.split(" and "))
