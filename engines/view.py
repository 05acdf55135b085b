"""A bot's own view of the game: an optional line of its answer to `genmove` (docs/reference/bot-protocol.md).

The line is untrusted input. Everything that it can contain is a number or a turn in the alphabet of turns.
"""

import re
from typing import Any, Final, NamedTuple, Self

from engines.public import public

WORD: Final = "view"
_DECIMALS: Final = 4
_MOST_TURNS: Final = 32
_TURN: Final = "[a-z0-9,]{1,64}"
_LINE: Final = re.compile(
    rf"{WORD}(?: win (0(?:\.[0-9]{{1,9}})?|1(?:\.0{{1,9}})?))?(?: depth ([0-9]{{1,4}}))?(?: nodes ([0-9]{{1,15}}))?"
    rf"(?: pv ({_TURN}(?: {_TURN}){{0,{_MOST_TURNS - 1}}}))?")


@public("squarefield.sdk")
class View(NamedTuple):
    """The thoughts of a bot after choosing a turn; it may leave out any part.

    `win` is its chance to win, 0 to 1, where a draw counts as half. `depth` is the number of turns that it looked
    ahead, `nodes` the number of positions that it examined. `pv` is the principal variation: the turns that it
    expects, beginning with its own.
    """

    win: float | None = None
    depth: int | None = None
    nodes: int | None = None
    pv: tuple[str, ...] = ()

    @classmethod
    def parse(cls, line: str) -> Self | None:
        """Return the view in a line; None if the line is malformed or says nothing."""
        match = _LINE.fullmatch(line)
        if match is None or line == WORD:
            return None
        win, depth, nodes, pv = match.groups()
        return cls(None if win is None else float(win), None if depth is None else int(depth),
                   None if nodes is None else int(nodes), tuple(pv.split()) if pv else ()).rounded()

    def rounded(self) -> Self:
        """Return the view with as many decimals as its line."""
        return self if self.win is None else self._replace(win=round(self.win, _DECIMALS))

    def line(self) -> str:
        """Return the line that states this view."""
        words = [WORD]
        words += [f"win {self.win:.{_DECIMALS}f}"] if self.win is not None else []
        words += [f"depth {self.depth}"] if self.depth is not None else []
        words += [f"nodes {self.nodes}"] if self.nodes is not None else []
        words += ["pv", *self.pv] if self.pv else []
        return " ".join(words)

    def to_dict(self) -> dict[str, Any]:
        """Return the parts that are stated, as JSON data."""
        numbers = {"win": self.win, "depth": self.depth, "nodes": self.nodes}
        return {**{name: value for name, value in numbers.items() if value is not None},
                **({"pv": list(self.pv)} if self.pv else {})}
