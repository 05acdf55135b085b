"""Models of ratings: live ratings, the counts behind the official table, the table itself, and reported chances."""

from ratings.models.calibration import ReportedChances
from ratings.models.live import Period, Rating, RatingChange
from ratings.models.official import Anchor, OfficialLine, OfficialTable
from ratings.models.openings import OpeningCount, OpeningTurn
from ratings.models.rated_games import RatedGame
from ratings.models.statistics import COUNTS, ClusterCounts, PairCounts, Statistics
