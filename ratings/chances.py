"""What Davidson's model says of one game, in pure Python: for pages, which ask about a few games and load no arrays.

Sources: R. R. Davidson, "On Extending the Bradley-Terry Model to Accommodate Ties in Paired Comparison Experiments",
JASA 65, 1970; R. R. Davidson & R. J. Beaver, "On Extending the Bradley-Terry Model to Incorporate Within-Pair Order
Effects", Biometrics 33, 1977.
"""

import math
from typing import NamedTuple


class Chances(NamedTuple):
    """Of one game, from the first seat's point of view; they add up to 1."""

    win: float
    draw: float
    loss: float

    @property
    def score(self) -> float:
        """The points to be expected of the first seat, 0 to 1."""
        return self.win + self.draw / 2.0


def chances(first: float, second: float, *, eta: float = 0.0, nu: float = 0.0) -> Chances:
    """Of a game between strengths in natural units, with the first move's advantage η and the draw parameter ν.

    With x = first − second + η: e^{x/2}, ν and e^{−x/2}, each over their sum.
    """
    x = first - second + eta
    # Divided by the largest of the two exponentials, which may be beyond any float.
    small = math.exp(-abs(x))
    draw = nu * math.exp(-abs(x) / 2.0)
    total = 1.0 + small + draw
    better, worse = 1.0 / total, small / total
    return Chances(better if x >= 0.0 else worse, draw / total, worse if x >= 0.0 else better)
