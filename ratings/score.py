"""Confidence intervals for a player's score per game, with games assumed to be independent."""

from math import sqrt
from typing import Final

from ratings import Z95

# A win is an upset if both ratings gave the winner at most this chance. It is a difference of 191 Elo.
UPSET_CHANCE: Final = 0.25


def interval(wins: int = 0, draws: int = 0, losses: int = 0) -> tuple[float, float]:
    """Wilson's 95 % interval (1927, JASA 22, 209–212) for the points per game, 0 to 1, with points as successes.

    It is for binomial results. Draws reduce the variance of a game, so with draws it is wider than necessary.
    """
    games = wins + draws + losses
    if not games:
        return 0.0, 1.0
    return wilson((wins + draws / 2) / games, games)


def wilson(share: float, games: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share that was observed in this number of games, which may be fractional."""
    z2 = Z95 * Z95
    centre = (share + z2 / (2 * games)) / (1 + z2 / games)
    half = Z95 * sqrt(share * (1 - share) / games + z2 / (4 * games * games)) / (1 + z2 / games)
    # Exact at the ends, where rounding would leave a small error.
    return (0.0 if share == 0 else centre - half), (1.0 if share == 1 else centre + half)
