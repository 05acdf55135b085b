"""Models of ratings: one per bot and ladder, the counts and the table behind them, and reported chances."""

from ratings.models.calibration import ReportedChances
from ratings.models.official import Anchor, OfficialLine, OfficialTable
from ratings.models.openings import OpeningCount, OpeningTurn
from ratings.models.rated_games import RatedGame
from ratings.models.rating import Rating, RatingPoint
from ratings.models.statistics import COUNTS, ClusterCounts, PairCounts, Statistics
