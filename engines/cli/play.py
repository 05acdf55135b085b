"""`python -m engines play`: the same as `squarefield play`, for a checkout in which nothing is installed."""

from collections.abc import Sequence

from engines.kit import play


def main(argv: Sequence[str]) -> int:
    """Play. Returns 0 when everything was played to some result, 2 when it could not be."""
    return play.main(argv, prog="python -m engines play")
