"""Data for the page of a casual game: the board with the stones of an unfinished turn, and the possible next steps."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from engines.records.endings import GameEnd
from engines.records.replay import drawn_board, turns_from
from engines.rules.drawing import Geometry
from engines.rules.errors import TurnError
from engines.rules.explaining import Explanation, explain
from engines.rules.notation import cell_name, format_turn
from engines.rules.registry import find
from engines.rules.ruleset import Position
from engines.rules.turn_builder import PartialTurn, build
from frontend.drawing import board, unfinished
from frontend.drawing.board import Document, Frame
from frontend.live.replays import NO_RESULT, turns_in_words, viewer
from frontend.text import turn_words, wording
from frontend.text.core_words import said, translated
from frontend.text.measures import captions
from tournaments.models import CasualGame
from tournaments.models.lifecycle import CasualStatus
from tournaments.services.casual.turns import is_persons_turn


@dataclass(frozen=True, slots=True)
class Table:
    """A game and its position; while the person is to move, `building` is their turn so far, and `facts` explain it."""

    game: CasualGame
    position: Position
    document: Document
    building: PartialTurn | None
    facts: Explanation | None

    @property
    def your_turn(self) -> bool:
        """Whether the viewer is to move."""
        return self.building is not None


def table(game: CasualGame, *, mine: bool, stones: str = "") -> Table:
    """The game as the viewer sees it. If `stones` is not the start of a legal turn, it is ignored."""
    ruleset = find(game.ruleset)
    plies = [*((text, None) for text in game.opening), *((text, seconds) for text, seconds in game.turns)]
    turns, position = turns_from(ruleset.start(game.size), plies)
    building = None
    if mine and is_persons_turn(game):
        try:
            building = build(position, stones)
        except TurnError:
            building = build(position)
    document: Document = {"ruleset": {"slug": ruleset.slug, "name": ruleset.name}, "older": False, "fault": None,
                          "players": [{"colour": colour} for colour in ruleset.colours], "opening": len(game.opening),
                          "board": drawn_board(ruleset, game.size), "initial": [], "turns": turns,
                          "result": _result(game, position)}
    return Table(game, position, document, building, explain(position, building.stones) if building else None)


def _result(game: CasualGame, position: Position) -> dict[str, Any]:
    """The `result` of the document."""
    outcome = position.outcome
    cells, counts = (list(outcome.cells), outcome.counts) if outcome else ([], [])
    return {**NO_RESULT, "winner": game.winner, "ended_by": game.ended_by, "reason": game.reason, "cells": cells,
            "counts": counts}


def ended(shown: Table, turn: int, person: str) -> dict[str, Any]:
    """The template context of `_played.html`: the replay of a finished game, and the result. `person` is their name."""
    game = shown.game
    names = (person, game.version) if game.seat == 0 else (game.version, person)
    return {"game": game, "sentence": result_words(shown), **viewer(names, shown.document, turn), "controls": True}


def context(shown: Table, now: datetime) -> dict[str, Any]:
    """The template context of `_play.html`."""
    game, document, building = shown.game, shown.document, shown.building
    drawn = _with_unfinished(shown)
    frame = board.frame_at(drawn, len(drawn["turns"]))
    stones = _names(building.stones, game.size) if building else []
    return {
        "game": game,
        "document": document,
        "text": board.text(drawn, frame),
        "cells": "".join(str(frame.stones.get(cell, -1) + 1) for cell in range(game.size**2)),
        # The last, because it takes the unfinished turn's stones off the frame.
        "board": _board(shown, drawn, frame),
        "caption": captions(game.ruleset, document["turns"])[-1:],
        "colours": "/".join(map(translated, shown.position.colours)),
        "left": Geometry(game.size).left,
        "ply": len(document["turns"]),
        "turns": list(enumerate(turns_in_words(document), start=1))[::-1],
        "players": _players(shown, now),
        "your_turn": shown.your_turn,
        "building": building,
        "stones": stones,
        "before": ",".join(stones[:-1]),
        "turn": format_turn(building.stones, game.size) if building and building.may_end else "",
        "said": _said(shown, stones),
    }


def result_words(shown: Table) -> str:
    """The result, addressed to the person; "" while the game is in progress."""
    game, bot = shown.game, shown.game.version.bot.name
    if game.status == CasualStatus.PLAYING:
        return ""
    if game.status == CasualStatus.ABANDONED:
        return gettext("The game was abandoned: no turn was played for a long time.")
    if game.status == CasualStatus.VOID:
        return gettext("The game was cancelled: a service fault kept %(bot)s from playing. Neither side lost.") % {
            "bot": bot}
    how = said(GameEnd.of_document(shown.document).how(bot if game.winner == game.seat else ""))
    if game.winner is None:
        return gettext("Draw %(how)s.") % {"how": how}
    if game.winner == game.seat:
        return gettext("You won %(how)s.") % {"how": how}
    return gettext("%(bot)s won %(how)s.") % {"bot": bot, "how": how}


def _said(shown: Table, stones: list[str]) -> str:
    """Say whose turn it is and what they can do. Screen readers announce the sentence when it changes."""
    game, building, facts = shown.game, shown.building, shown.facts
    if building is None or facts is None:
        waits = (gettext("The person is to move.") if is_persons_turn(game) else
                 gettext("%(bot)s is to move.") % {"bot": game.version.bot.name})
        return f"{_last(shown)} {waits}"
    if not stones:
        words = (gettext(" or ").join([gettext("a stone"), *map(translated, building.words)]) if building.cells else
                 gettext("pass, the only legal turn"))
        choice = gettext("Your turn: %(words)s.") % {"words": words}
        return f"{_last(shown)} {choice}"
    return turn_words.so_far(facts, game.size)


def _last(shown: Table) -> str:
    turns = shown.document["turns"]
    if not turns:
        return gettext("Start of the game.")
    last = turns[-1]
    played = last["text"].replace(",", " ")
    if last.get("note", last["text"]) != last["text"]:
        played = f"{played} ({translated(last['note'])})"
    if turns[-1]["seat"] == shown.game.seat:
        return gettext("You played %(played)s.") % {"played": played}
    return gettext("%(bot)s played %(played)s.") % {"bot": shown.game.version.bot.name, "played": played}


def _players(shown: Table, now: datetime) -> list[dict[str, Any]]:
    game = shown.game
    running = is_persons_turn(game)
    left = game.left_seconds
    if left is not None and running:
        left = max(0.0, left - (now - game.turn_began_at).total_seconds())
    to_move = shown.position.seat_to_move if game.status == CasualStatus.PLAYING else None
    return [{"seat": seat, "person": seat == game.seat, "colour": colour, "to_move": seat == to_move,
             "words": wording.seat_words(shown.document, seat),
             "left": left if seat == game.seat else None, "clock": "" if left is None else clock(left),
             "running": running and seat == game.seat}
            for seat, colour in enumerate(shown.position.colours)]


def clock(left: float) -> str:
    """Format seconds as a clock: 9:05."""
    return f"{int(left) // 60}:{int(left) % 60:02}"


def _with_unfinished(shown: Table) -> Document:
    """The document, with the stones of the unfinished turn as its last turn."""
    document, building = shown.document, shown.building
    if building is None or not building.stones:
        return document
    ops = [list(op) for op in shown.position.ops(building.stones)]
    unfinished = {"text": "", "seat": shown.position.seat_to_move, "ops": ops}
    return {**document, "turns": [*document["turns"], unfinished]}


def _board(shown: Table, drawn: Document, frame: Frame) -> SafeString:
    """The board; while the person is to move, with hollow stones, links on open cells, and reasons on closed ones."""
    label = gettext("Board: %(said)s") % {"said": _last(shown)}
    building, facts, size = shown.building, shown.facts, shown.game.size
    if building is None or facts is None:
        return board.svg(drawn, frame, label)
    open_cells = {cell: turn_words.effect(done, size) for cell, done in facts.open.items()}
    closed = {cell: turn_words.closed(why, size, cell) for cell, why in facts.closed.items()}
    over = format_html('<g class="targets">{}{}{}</g>',
                       unfinished.hollow(frame, building.stones, size, shown.position.seat_to_move),
                       unfinished.links(building.stones, size, open_cells), unfinished.barriers(size, closed))
    return board.svg(drawn, frame, label, over)


def _names(cells: tuple[int, ...], size: int) -> list[str]:
    return [cell_name(cell, size) for cell in cells]
