"""Evaluation of a trial's matches, one by one in the order of their numbers. Pure: the result does not depend on time.

Pairs against the current version are tested as they come (`ratings.sprt`). A pair that repeats an earlier one turn for
turn is left out (`repeats`).

The neighbourhood is checked only once, when the test is passed, because repeated checks would fail more versions by
chance. The prediction from the current version's rating has three sources of error: chance in the games, the error of
its own rating, which is the same in all games, and the error of each neighbour's rating. The variance is the sum of the
three. Draws reduce the first, which is computed as a binomial variance, so the interval may be too wide, but never too
narrow.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from ratings import Z95
from ratings.elo import LOGISTIC_SLOPE, expected_score
from ratings.sprt import Bounds, log_likelihood_ratio
from tournaments.scoring.repeats import Repeats
from tournaments.scoring.scores import GAMES_PER_MATCH

# Fewer games are too few to judge a neighbourhood.
LEAST_GAMES: Final = 10
# Standard deviations in Elo: of a bot without games, and the minimum for one with many, as in matchmaking.
_PRIOR_DEVIATION: Final = 350.0
_LEAST_DEVIATION: Final = 30.0

# Every match with this number, or a multiple of it, is against a neighbour.
MATCHES_PER_VISIT: Final = 3

State = Literal["running", "passed", "failed", "inconclusive"]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two games against the current version: the candidate's half points, 0 to 4, and a hash of all their turns.

    `llr` is the log-likelihood ratio after the pair, if it has already been computed.
    """

    half_points: int
    turns: str
    llr: float | None = None


@dataclass(frozen=True, slots=True)
class Prediction:
    """The predicted score of a game, 0 to 1, and its change for one standard deviation of either rating."""

    score: float
    own: float
    theirs: float


@dataclass(frozen=True, slots=True)
class Visit:
    """A match against a neighbour (a bot's ID): the candidate's half points, 0 to 4, and the prediction per game."""

    half_points: int
    neighbour: int
    predicted: Prediction


@dataclass(slots=True)
class Neighbourhood:
    """The candidate's games against neighbours, compared with the predictions from the current version's rating."""

    games: int = 0
    points: float = 0.0
    predicted: float = 0.0
    _chance: float = 0.0
    _own: float = 0.0
    _theirs: defaultdict[int, float] = field(default_factory=lambda: defaultdict(float))

    def add(self, visit: Visit) -> None:
        """Add a match."""
        predicted = visit.predicted
        self.games += GAMES_PER_MATCH
        self.points += visit.half_points / 2
        self.predicted += GAMES_PER_MATCH * predicted.score
        self._chance += GAMES_PER_MATCH * predicted.score * (1.0 - predicted.score)
        self._own += GAMES_PER_MATCH * predicted.own
        self._theirs[visit.neighbour] += GAMES_PER_MATCH * predicted.theirs

    @property
    def margin(self) -> float:
        """Half the width of the 95 % interval around the prediction, in points."""
        variance = self._chance + self._own**2 + sum(error**2 for error in self._theirs.values())
        return Z95 * math.sqrt(variance)

    @property
    def is_too_strong(self) -> bool:
        """Whether the candidate scored significantly less than predicted."""
        return self.games >= LEAST_GAMES and self.points < self.predicted - self.margin


@dataclass(slots=True)
class PairRun:
    """A version's pairs against the current version, with the log-likelihood ratio after each pair that counts."""

    bounds: Bounds
    pentanomial: list[int] = field(default_factory=lambda: [0] * 5)
    pairs: int = 0
    ratios: list[float] = field(default_factory=list)
    _repeats: Repeats = field(default_factory=Repeats)

    @property
    def llr(self) -> float:
        """Current log-likelihood ratio; 0 before the first pair."""
        return self.ratios[-1] if self.ratios else 0.0

    @property
    def repeats(self) -> int:
        """Number of pairs that repeated earlier ones."""
        return self.pairs - len(self.ratios)

    @property
    def repeats_itself(self) -> bool:
        """Whether there have been so many consecutive repeats that no new pair is expected."""
        return self._repeats.exhausted

    def take_pair(self, pair: Pair) -> Pair:
        """Add a pair, and return it with its ratio, or with None if it repeats an earlier pair."""
        self.pairs += 1
        if not self._repeats.is_new(pair.turns):
            return replace(pair, llr=None)
        self.pentanomial[pair.half_points] += 1
        ratio = pair.llr
        if ratio is None:
            ratio = round(log_likelihood_ratio(self.pentanomial, self.bounds), 6)
        self.ratios.append(ratio)
        return replace(pair, llr=ratio)


@dataclass(slots=True)
class TrialRun(PairRun):
    """The test of a trial as judged so far. Matches after its end are ignored."""

    most_pairs: int = field(kw_only=True)
    state: State = "running"
    # Pairs have their ratio, or None if they repeat an earlier pair.
    taken: list[Pair | Visit] = field(default_factory=list)
    neighbourhood: Neighbourhood = field(default_factory=Neighbourhood)

    def take(self, matches: Iterable[Pair | Visit]) -> None:
        """Judge these matches too, which are next in the order of their numbers."""
        for match in matches:
            if self.state != "running":
                return
            if isinstance(match, Visit):
                self.neighbourhood.add(match)
                self.taken.append(match)
            else:
                self.taken.append(self.take_pair(match))
                self.state = self._judge()

    def _judge(self) -> State:
        if self.llr >= self.bounds.upper:
            return "failed" if self.neighbourhood.is_too_strong else "passed"
        if self.llr <= self.bounds.lower:
            return "failed"
        return "inconclusive" if self.pairs >= self.most_pairs or self.repeats_itself else "running"


def predict(difference: float, own_error: float, their_error: float) -> Prediction:
    """Return the predicted score of a bot rated `difference` Elo above the other, given both standard errors in Elo."""
    score = expected_score(difference)
    slope = score * (1.0 - score) * LOGISTIC_SLOPE
    return Prediction(score, slope * _deviation(own_error), slope * _deviation(their_error))


def schedule(number: int) -> Literal["current", "neighbour"]:
    """Return the opponent of a trial's match with this number, from 1: the current version twice, then a neighbour."""
    return "current" if number % MATCHES_PER_VISIT else "neighbour"


def nearest(own: float, others: Sequence[tuple[float, int]], played: dict[int, int]) -> list[int]:
    """Return the IDs of these others (rating, ID) in order of choice: least often met first, then nearest.

    `played` has how often each has been met.
    """
    return [other for _, _, other in sorted(
        (played.get(other, 0), abs(rating - own), other) for rating, other in others)]


def _deviation(error: float) -> float:
    return min(max(error, _LEAST_DEVIATION), _PRIOR_DEVIATION)
