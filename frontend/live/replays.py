"""Data for the pages of games: the replay document of a game in progress, and the text and numbers around a board."""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Any, Final

from django.urls import reverse
from django.utils.translation import gettext, gettext_noop, ngettext, pgettext

from engines.records.endings import GameEnd
from engines.records.replay import drawn_board, turns_from
from engines.rules.errors import TurnError
from engines.rules.registry import find
from engines.rules.ruleset import Position
from frontend.drawing import board
from frontend.drawing.board import Document
from frontend.drawing.lead import graph
from frontend.drawing.views_plot import views_plot, widest_gap
from frontend.templatetags.squarefield import visible
from frontend.text import wording
from frontend.text.core_words import translated
from frontend.text.endings import sentence
from frontend.text.measures import captions
from tournaments.models import Version
from tournaments.selectors.matches.live import LiveGame
from tournaments.selectors.matches.live_turns import LiveTurn

# A version, or a name where there is no version: an upload that is being checked, and its opponent.
Seat = Version | str
Seats = tuple[Seat, Seat]
# The description of a turn, used here and in the browser.
START: Final = gettext_noop("Start of the game")
TURN: Final = gettext_noop("Turn %(turn)s of %(last)s: %(name)s %(played)s")
# If the number of turns is not to be known yet.
TURN_ALONE: Final = gettext_noop("Turn %(turn)s: %(name)s %(played)s")
# The result of a game in progress.
NO_RESULT: Final[Document] = {"winner": None, "ended_by": "", "reason": "", "text": "", "cells": [], "counts": []}
# Number of games whose turns are cached, so that a new turn does not require a replay from the start.
_KEPT: Final = 64
_drawn: OrderedDict[tuple[int, int, int], tuple[tuple[str, ...], list[Document], Position]] = OrderedDict()
_lock = Lock()


def live_document(live: LiveGame) -> Document:
    """The replay document of a game in progress, with the turns played so far."""
    ladder = live.match.ladder
    ruleset = find(ladder.ruleset)
    return {
        "ruleset": {"slug": ruleset.slug, "name": ruleset.name, "version": ruleset.version},
        "older": False,
        "board": drawn_board(ruleset, ladder.size),
        "players": [{"name": str(seat), "colour": colour}
                    for seat, colour in zip(live.seats, ruleset.colours, strict=True)],
        "initial": [],
        "opening": len(live.match.opening) if live.begun else 0,
        "turns": _played(live)[0],
        "result": NO_RESULT,
        "fault": None,
    }


def live_ending(live: LiveGame) -> str:
    """The sentence about the end of a game in progress, once a turn has ended it by rule; otherwise ""."""
    document = {**live_document(live), "result": live_result(live)}
    if not document["result"]["ended_by"]:
        return ""
    return sentence(GameEnd.of_document(document), [seat.bot.name for seat in live.seats])


def live_result(live: LiveGame) -> Document:
    """The document's `result` of a game in progress, once a turn has ended it by rule; otherwise NO_RESULT."""
    outcome = _played(live)[1].outcome
    if outcome is None:
        return NO_RESULT
    return {**NO_RESULT, "winner": outcome.winner, "ended_by": "rule", "reason": outcome.reason.value,
            "cells": outcome.cells, "counts": outcome.counts}


def _played(live: LiveGame) -> tuple[list[Document], Position]:
    """The `turns` of the document, which end before the first turn that is not legal, and the last position."""
    match = live.match
    if not live.begun:
        return [], find(match.ladder.ruleset).start(match.ladder.size)
    plies = [*(LiveTurn(text, None) for text in match.opening), *live.turns]
    texts = tuple(turn.text for turn in plies)
    key = (match.pk, match.attempt, live.number)
    with _lock:
        known, turns, position = _drawn.get(key, ((), [], None))
    if position is None or known != texts[:len(known)]:
        known, turns, position = (), [], find(match.ladder.ruleset).start(match.ladder.size)
    turns = list(turns)
    for ply in plies[len(known):]:
        try:
            [turn], position = turns_from(position, [ply[:2]])
        except TurnError:
            break
        turns.append({**turn, **({"view": ply.view.to_dict()} if ply.view else {})})
    with _lock:
        _drawn[key] = (texts[:len(turns)], turns, position)
        _drawn.move_to_end(key)
        while len(_drawn) > _KEPT:
            _drawn.popitem(last=False)
    return turns, position


def in_words(document: Document, *, hides: bool = False) -> Document:
    """The document for the viewer's script, with translated sentence templates and notes on the turns.

    If it `hides` the end of the game, it has no result, and no sentence names the number of turns.
    """
    untold = {"result": NO_RESULT, "fault": None} if hides else {}
    return {**document, **untold, "turns": turns_in_words(document), "words": {
        "start": gettext(START), "turn": gettext(TURN_ALONE if hides else TURN), "leading": gettext(board.LEADING),
        "winning": gettext(board.WINNING),
        "play": pgettext("replay", "Play"), "pause": pgettext("replay", "Pause"),
        "copied": gettext("Copied"), "not_copied": gettext("See address bar")}}


def turns_in_words(document: Document) -> list[Document]:
    """The turns with their notes in the reader's language, and a caption instead of the measure, where there is one.

    A note that only repeats the turn is left unchanged.
    """
    turns = document["turns"]
    said = captions(document["ruleset"]["slug"], turns)
    return [{**{name: value for name, value in turn.items() if name != "measure"},
             **({"caption": caption} if caption else {}),
             **({"note": translated(turn["note"])} if turn.get("note", turn["text"]) != turn["text"] else {})}
            for turn, caption in zip(turns, said, strict=True)]


def viewer(seats: Seats, document: Document, turn: int, *, hides: bool = False) -> dict[str, Any]:
    """The template context of `_viewer.html` and `_turns.html` at this turn; `hides` as in `in_words`."""
    measured, document = document, in_words(document, hides=hides)
    frame = board.frame_at(document, turn)
    sentence = said([name_of(seat) for seat in seats], document, frame.turn)
    return {
        "document": document,
        # The document without words in the reader's language, but with the measures.
        "measured": measured,
        "hides": hides,
        "seats": seats,
        "turn": frame.turn,
        "last": len(document["turns"]),
        "board": board.svg(document, frame, sentence),
        "text": board.text(document, frame),
        "caption": board.caption(document, frame),
        # Reserves space for the caption from the start, so that nothing moves when it appears.
        "captioned": not document["result"]["ended_by"]
                     or any("caption" in played or "marked" in played for played in document["turns"]),
        "said": sentence,
        "players": players(seats, document),
        "rows": rows(document, frame.turn),
        "bars": bars(document, frame.turn),
        "views": {} if hides else views_of(seats, document),
        "lead": graph(measured, frame.turn),
    }


def boards(playing: list[LiveGame]) -> list[dict[str, Any]]:
    """The address, seats and small board of each of these games."""
    found = []
    for live in playing:
        document = live_document(live)
        last = len(document["turns"])
        frame = board.frame_at(document, last)
        names = [seat.bot.name for seat in live.seats]
        label = ngettext("%(first)s against %(second)s, after %(count)s turn",
                         "%(first)s against %(second)s, after %(count)s turns", last) % {
            "first": names[0], "second": names[1], "count": last}
        found.append({"match": live.match, "seats": live.seats, "turns": last, "over": live.over,
                      "address": reverse("match-game", args=[live.match.pk, live.number]),
                      "picture": board.small(document, frame, label)})
    return found


def boards_etag(playing: list[LiveGame]) -> str:
    """An ETag that changes whenever the result of `boards` does."""
    return ".".join(f"{live.match.pk}-{live.match.attempt}-{live.number}-{live.plies}-{live.over:d}"
                    for live in playing)


def said(names: Sequence[str], document: Document, turn: int) -> str:
    """Describe the turn of a document `in_words` in a sentence, as the viewer's script does.

    `names` are the names of the seats.
    """
    if turn == 0:
        return gettext(START)
    played = document["turns"][turn - 1]
    return document["words"]["turn"] % {"turn": turn, "last": len(document["turns"]), "name": names[played["seat"]],
                            "played": played["text"]}


def players(seats: Seats, document: Document) -> list[dict[str, Any]]:
    """Each seat with its name, its version if there is one, its role, its total time in seconds, and its points."""
    return [{"seat": seat, "name": name_of(who), "version": None if isinstance(who, str) else who,
             "points": _points(document, seat),
             "words": wording.seat_words(document, seat),
             "seconds": sum(turn.get("seconds", 0) for turn in document["turns"] if turn["seat"] == seat)}
            for seat, who in enumerate(seats)]


def name_of(seat: Seat) -> str:
    """The name of the seat's bot, for sentences and attributes."""
    return visible(seat if isinstance(seat, str) else seat.bot.name)


def views_of(seats: Seats, document: Document) -> dict[str, Any]:
    """The context of `_views.html`: the plot of the bots' own views, and where they disagree most."""
    return {"plot": views_plot(document), "gap": _gap(seats, document)}


def _gap(seats: Seats, document: Document) -> list[dict[str, Any]]:
    """The two turns at which the bots disagree most: number, bot, and its own chance; empty if they do not."""
    turns = [(number, document["turns"][number - 1]) for number in widest_gap(document)]
    return [{"number": number, "name": name_of(seats[turn["seat"]]), "chance": wording.percent(turn["view"]["win"])}
            for number, turn in turns]


def _points(document: Document, seat: int) -> str:
    result = document["result"]
    if not result["ended_by"]:
        return ""
    return "½" if result["winner"] is None else str(int(result["winner"] == seat))


def rows(document: Document, turn: int) -> list[dict[str, Any]]:
    """The turns in two columns: `cells` has a turn or None per seat. A seat that moves twice starts a new row."""
    found: list[dict[str, Any]] = []
    for number, played in enumerate(document["turns"], start=1):
        seat = played["seat"]
        if not found or seat == 0 or found[-1]["cells"][1]:
            found.append({"number": len(found) + 1, "cells": [None, None]})
        found[-1]["cells"][seat] = {"seconds": None, **played, "number": number, "now": number == turn,
                                   "given": number <= document["opening"]}
    return found


def bars(document: Document, turn: int) -> list[dict[str, Any]]:
    """The bars of the time strip: `height` is a turn's share of the longest turn, from 0 to 1."""
    longest = max((played.get("seconds", 0) for played in document["turns"]), default=0)
    return [{"number": number, "seat": played["seat"], "now": number == turn,
             "height": round(played.get("seconds", 0) / longest, 3) if longest else 0}
            for number, played in enumerate(document["turns"], start=1)]
