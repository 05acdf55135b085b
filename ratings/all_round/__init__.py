"""One table over several ladders: the mean of each bot's ratings, with exact errors."""

from ratings.all_round.mean import AllRound, Part, all_round

__all__ = ["AllRound", "Part", "all_round"]
