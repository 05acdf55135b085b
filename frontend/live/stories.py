"""Data for the stories on the front page: the game of the day with its board, and the list."""

from typing import Any, Final

from django.core.cache import cache
from django.urls import reverse

from engines.records.older import shown_document
from frontend.drawing import board
from frontend.drawing.board import Document
from frontend.live.replays import in_words, name_of, said
from frontend.text.stories import label, reason, sentence
from tournaments.models import Game
from tournaments.selectors.ladders.stories import told

_CACHE_SECONDS: Final = 3600
# The board plays without a list of turns.
_UNUSED: Final = ("seconds", "view", "note", "measure")


def stories() -> dict[str, Any]:
    """The context of `_stories.html`: `document` is None without a game of the day."""
    found = told()
    if found is None:
        return {"told": None, "document": None}
    listed = [{"label": label(story), "words": sentence(story, game), "game": game, "turn": story["turn"],
               "address": f"{reverse('game', args=[game.pk])}?turn={story['turn']}"} for story, game in found.listed]
    return {"told": found.row, "listed": listed, **_of_the_day(found.of_the_day, found.row.of_the_day)}


def _of_the_day(game: Game | None, chosen: dict[str, Any]) -> dict[str, Any]:
    document = game and _document(game)
    if game is None or document is None or document["older"]:
        return {"document": None}
    spoken = in_words(document)
    frame = board.frame_at(spoken, chosen["turn"])
    words = said([name_of(seat) for seat in (game.seat0, game.seat1)], spoken, frame.turn)
    return {
        "of_the_day": game, "reason": reason(chosen), "measured": document, "turn": frame.turn,
        "last": len(document["turns"]), "board": board.svg(spoken, frame, words), "said": words,
        "caption": board.caption(spoken, frame),
        "document": {**spoken, "turns": [{name: value for name, value in turn.items() if name not in _UNUSED}
                                         for turn in spoken["turns"]]}}


def _document(game: Game) -> Document:
    """The game's replay document. Replaying it takes longer than the rest of the page, and it never changes."""
    return cache.get_or_set(f"shown-{game.pk}", lambda: shown_document(game.record), _CACHE_SECONDS)
