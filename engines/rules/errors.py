"""Errors in a turn: the text cannot be parsed, or the rules forbid the turn."""

from engines.public import Copyable, public


@public("squarefield")
class TurnError(Copyable, ValueError):
    """A turn was refused. `str()` is a sentence for the bot's author."""

    kind: str


@public("squarefield")
class NotationError(TurnError):
    """The text is not a turn: an unknown word, a cell off the board, or a stray character."""

    kind = "notation"


@public("squarefield")
class IllegalTurn(TurnError):
    """The rules forbid the turn.

    `rule` is the slug of the rule that forbids it ("occupied", "superko", …), stable enough for statistics. The message
    gives the reason in words and names the cells.

    `cells` are the cells of the reason in the same order, and `count` is the number of stones that are missing, if any.
    With them, a site says the reason in its own words.
    """

    kind = "illegal"

    def __init__(self, rule: str, message: str, *cells: int, count: int = 0) -> None:
        super().__init__(message)
        self.rule, self.cells, self.count = rule, cells, count
