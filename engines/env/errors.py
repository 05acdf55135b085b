"""Refusals of environments: an action outside the mask, a wrong array, and a package that is not installed."""

from engines.public import Copyable
from engines.rules.errors import IllegalTurn


class IllegalAction(IllegalTurn):
    """An action outside the mask. Nothing has changed in any game.

    `game` is the number of the game in the batch, or 0. `cell` is the action's cell, or None if it is no stone. `rule`
    and `cells` are those of the refusal by the rules.
    """

    def __init__(self, game: int, action: int, cell: int | None, what: str, refusal: IllegalTurn) -> None:
        super().__init__(refusal.rule, f"game {game}: action {action} ({what}) is outside the mask: {refusal} "
                                       f"(rule: {refusal.rule})", *refusal.cells, count=refusal.count)
        self.game, self.action, self.cell = game, action, cell


class WrongArray(ValueError):
    """An argument is not the array that the environment needs."""


class ExtraMissing(Copyable, ModuleNotFoundError):
    """A package of the extra `env` is not installed."""

    def __init__(self, module: str, purpose: str = "squarefield.env") -> None:
        package = module.partition(".")[0]
        super().__init__(f"{purpose} needs {package}, which is not installed: pip install {package.replace('_', '-')}",
                         name=package)
