"""The strongest reference bot: the native engine's tree search, within the clock's budget."""

from math import inf
from typing import Any, Final

from engines import native
from engines.rules.notation import PASS, SWAP, Turn
from engines.rules.ruleset import Position
from engines.sdk import Clock, View
from engines.search.budget import seconds_for
from engines.search.searcher import SearcherBot

# Leaves per stone if their number is not limited: more than any machine grows.
_ANY: Final = 2**63
_WORDS: Final = {1: PASS, 2: SWAP}


class ChampionBot(SearcherBot):
    """A bot that searches in the native engine; without it, it searches as `searcher` does.

    Each stone but the last may use half of the time that is left for the turn.
    """

    name = "champion"

    def __init__(self, seed: int | None = None, most_leaves: float = inf) -> None:
        super().__init__(seed, most_leaves)
        self._most = int(min(most_leaves, _ANY))
        self._tree_for: tuple[str, int] | None = None
        self._native: Any = None

    def choose(self, position: Position, clock: Clock) -> Turn:
        if not native.knows(position.slug):
            return super().choose(position, clock)
        seconds, leaves = seconds_for(clock), 0
        turn: Turn = ()
        board = native.native_position(position)
        if self._tree_for != (position.slug, position.size):
            self._tree_for = (position.slug, position.size)
            self._native = native.module().Search(board, self._rng.getrandbits(63))
        cells = position.size**2
        while not board.over and board.seat == position.seat_to_move:
            thought = self._native.think(board, seconds, self._most)
            seconds /= 2
            leaves += thought.leaves
            self.view = View(win=thought.chance, nodes=leaves)
            if thought.action < cells:
                turn = (*turn, thought.action)
            elif thought.action > cells:
                turn = (_WORDS[thought.action - cells],)
            board.add(thought.action)
        return turn
