"""What a number of games says of a player's score, game by game: each is taken to be independent of the others."""

from dataclasses import dataclass
from math import sqrt

from ratings import Z95


@dataclass(frozen=True, slots=True)
class Tally:
    """How many games were won, drawn and lost."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """How many there were."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points per game, 0 to 1; one half before the first game."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5


def interval(tally: Tally) -> tuple[float, float]:
    """A 95 % interval for the score: Wilson's (1927, JASA 22, 209–212), with the points for the successes.

    It is a binomial's. Draws only lessen the variance of a game, so with draws it is wider than it need be.
    """
    games, score = tally.games, tally.score
    if not games:
        return 0.0, 1.0
    z2 = Z95 * Z95
    centre = (score + z2 / (2 * games)) / (1 + z2 / games)
    half = Z95 * sqrt(score * (1 - score) / games + z2 / (4 * games * games)) / (1 + z2 / games)
    # At the ends rounding would leave a crumb.
    return (0.0 if score == 0 else centre - half), (1.0 if score == 1 else centre + half)
