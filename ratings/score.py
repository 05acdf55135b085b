"""What a number of games says of a player's score, game by game: each is taken to be independent of the others."""

from math import sqrt

from ratings import Z95


def interval(wins: int = 0, draws: int = 0, losses: int = 0) -> tuple[float, float]:
    """A 95 % interval for the points per game, 0 to 1: Wilson's (1927, JASA 22, 209–212), points being successes.

    It is a binomial's. Draws only lessen the variance of a game, so with draws it is wider than it need be.
    """
    games = wins + draws + losses
    if not games:
        return 0.0, 1.0
    score = (wins + draws / 2) / games
    z2 = Z95 * Z95
    centre = (score + z2 / (2 * games)) / (1 + z2 / games)
    half = Z95 * sqrt(score * (1 - score) / games + z2 / (4 * games * games)) / (1 + z2 / games)
    # At the ends rounding would leave a crumb.
    return (0.0 if score == 0 else centre - half), (1.0 if score == 1 else centre + half)
