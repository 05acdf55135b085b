"""What can be wrong with a turn. Two different things: it cannot be read, or the rules forbid it."""


class TurnError(ValueError):
    """A turn that was refused. `str()` is a sentence for the person who wrote the bot."""

    kind: str


class NotationError(TurnError):
    """The text is no turn: an unknown word, a cell off the board, a stray character."""

    kind = "notation"


class IllegalTurn(TurnError):
    """The text is a turn that the rules forbid.

    `rule` is a short slug of the rule that forbids it ("occupied", "superko", …), stable enough to
    be counted; the message says the same in words and names the cells.
    """

    kind = "illegal"

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule
