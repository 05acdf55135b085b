"""Davidson's model for single games, in pure Python: for pages, which need a few games and do not load numpy.

Sources: R. R. Davidson, "On Extending the Bradley-Terry Model to Accommodate Ties in Paired Comparison Experiments",
JASA 65, 1970; R. R. Davidson & R. J. Beaver, "On Extending the Bradley-Terry Model to Incorporate Within-Pair Order
Effects", Biometrics 33, 1977.
"""

import math
from typing import Final, NamedTuple

from ratings import Z95

_ELO: Final = 400.0 / math.log(10.0)


class Chances(NamedTuple):
    """The probabilities of the results of a game, for the first seat; they add up to 1."""

    win: float
    draw: float
    loss: float

    @property
    def score(self) -> float:
        """The expected score of the first seat, 0 to 1."""
        return self.win + self.draw / 2.0


def decided(lead: float, *, eta: float = 0.0, nu: float = 0.0) -> float:
    """The probability that the first seat wins a game that one of the two wins, with its lead in Elo: 0 to 1."""
    x = lead / (_ELO * 2.0 / (2.0 + nu)) + eta
    small = math.exp(-abs(x))
    return (1.0 if x >= 0.0 else small) / (1.0 + small)


def chances(first: float, second: float, *, eta: float = 0.0, nu: float = 0.0) -> Chances:
    """The probabilities for strengths in natural units, with the first-move advantage η and the draw parameter ν.

    With x = first − second + η: e^{x/2}, ν and e^{−x/2}, each divided by their sum.
    """
    x = first - second + eta
    # Divided by the larger of the two exponentials, which may overflow a float.
    small = math.exp(-abs(x))
    draw = nu * math.exp(-abs(x) / 2.0)
    total = 1.0 + small + draw
    better, worse = 1.0 / total, small / total
    return Chances(better if x >= 0.0 else worse, draw / total, worse if x >= 0.0 else better)


def games_still_needed(error: float, nu: float, half_width: float, own: float = 1.0) -> int:
    """The number of games against equals of known strength after which the 95 % interval is ±`half_width` Elo.

    `error` is the present standard error in Elo. A game between equals has the information 1/(2(2 + ν)) about θ:
    without draws, a newcomer needs about 740 games for ±25. `own` is by how much the rating moves with the player
    alone: in a table of n players with the mean as zero, (n − 1) / n.
    """
    if Z95 * error <= half_width:
        return 0
    per_game = 0.5 / (2.0 + nu) / (_ELO * 2.0 / (2.0 + nu)) ** 2
    return math.ceil(own**2 * ((Z95 / half_width) ** 2 - 1.0 / error**2) / per_game)
