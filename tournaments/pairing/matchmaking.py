"""Matchmaking on a ladder: informative pairings of bots with similar ratings, with no bot waiting for ever.

The value of a pairing is the expected information from one game of it: the Fisher information of a logistic item (A.
Birnbaum in Lord & Novick, *Statistical Theories of Mental Test Scores*, 1968, ch. 20) times the variance of the rating
difference. That variance is the sum of both bots' own variances less twice their covariance, if the fit gives it. To
first order, this is D-optimal design (V. Fedorov, *Theory of Optimal Experiments*, 1972).

The order of pairing follows shares, as in stride scheduling (Waldspurger & Weihl, 1995): a claim grows in proportion to
the time waited, so that in the long run bots are given matches in proportion to their weights, and every claim
eventually exceeds every other.

Once the next game of a pair gives almost no information, the two meet rarely: only if one of them has waited for
SLOW_SECONDS.

With n candidates, it takes O(n log n): each bot is compared only with a few neighbours in the order of ratings.
"""

import heapq
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ratings.elo import game_information

# Number of recent opponents that a bot does not meet again before it has met others; fewer if there are fewer bots.
REMEMBERED: Final = 5
# A new version's claim is four times as strong at first, and normal after this many matches.
NEW_MATCHES: Final = 10
_NEW_WEIGHT: Final = 3.0
# Seconds after which a claim has doubled.
_PATIENCE: Final = 60.0
# Standard deviations in Elo: of a bot without games, and the minimum for one with many, since bots change (both as in
# M. Glickman's system: 350 for unrated players, and not below 30).
_PRIOR_DEVIATION: Final = 350.0
_LEAST_DEVIATION: Final = 30.0
# A game is too uninformative if it gives less information than a game between two equal bots whose difference is known
# to the minimum deviation. Against one opponent, this takes about 130 games, no matter how strong either is.
_LEAST_INFORMATION: Final = game_information(0.0) * _LEAST_DEVIATION ** 2
# Waiting time for a bot whose only possible games are that uninformative.
SLOW_SECONDS: Final = 300.0
# After this many bots in a row without an informative opponent, the bots with weaker claims are not considered.
_MOST_IN_VAIN: Final = 256
# Number of possible opponents to compare above, and the same number below.
_WINDOW: Final = 16


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bot on the ladder. `matches` and `firsts` are its version's.

    `variance` is that of its version's rating, in Elo², or None if it has none. `rank` is its rank among the rated
    versions, and `covariances` are the available ones with the ranks below, the nearest first.

    `recent` are IDs of its last opponents, newest first, each once. `room` is the number of matches that it may be
    given now, 0 if it is present but busy. `open` is the number of its matches that are not over.
    """

    id: int
    rating: float
    matches: int = 0
    firsts: int = 0
    waiting: float = 0.0
    recent: tuple[int, ...] = ()
    room: int = 1
    open: int = 0
    variance: float | None = None
    rank: int = 0
    covariances: Sequence[float] = ()


def make_pairs(candidates: Iterable[Candidate], limit: int) -> list[tuple[int, int]]:
    """Return up to `limit` pairs of IDs, the strongest claims first. The first of a pair has been first less often.

    Two bots between which a game gives almost no information meet only if one of them has waited for SLOW_SECONDS or is
    new.

    No bot meets one of its last `REMEMBERED` opponents (or of its last n − 2 with n candidates), unless it has no match
    to play and no other opponent is free.
    """
    field = _Field(candidates)
    pairs: list[tuple[int, int]] = []
    left_over: list[_Player] = []
    in_vain = 0
    while len(pairs) < limit and in_vain < _MOST_IN_VAIN and (seeker := field.next_seeker()) is not None:
        near = field.neighbours(seeker)
        opponent = field.best_opponent(seeker, near)
        if opponent is not None:
            pairs.append(field.pair(seeker, opponent))
            in_vain = 0
        elif near:
            in_vain += 1
        else:
            left_over.append(seeker)
    for seeker in left_over:
        if len(pairs) < limit and not seeker.open and seeker.room and (opponent := field.longest_not_met(seeker)):
            pairs.append(field.pair(seeker, opponent))
    return pairs


def remember(recent: Sequence[int], opponent: int) -> tuple[int, ...]:
    """Return the recent opponents after a match against this one."""
    return (opponent, *(other for other in recent if other != opponent))[:REMEMBERED]


class _Player:
    """A candidate during pairing, with its free neighbours in the order of ratings."""

    __slots__ = ("above", "below", "claim", "covariances", "firsts", "id", "known", "matches", "need", "open", "rank",
                 "rating", "recent", "room", "variance", "waiting")

    def __init__(self, candidate: Candidate) -> None:
        self.id, self.rating = candidate.id, candidate.rating
        self.matches, self.firsts = candidate.matches, candidate.firsts
        self.recent, self.room, self.open = candidate.recent, candidate.room, candidate.open
        self.rank, self.covariances = candidate.rank, candidate.covariances
        known = min(math.inf if candidate.variance is None else candidate.variance, _PRIOR_DEVIATION ** 2)
        self.known, self.variance = known, max(known, _LEAST_DEVIATION ** 2)
        self.above: _Player | None = None
        self.below: _Player | None = None
        self._weigh(candidate.waiting)

    @property
    def is_patient(self) -> bool:
        """Whether it can wait for an informative game: it is not new, and was given a match recently."""
        return self.waiting < SLOW_SECONDS and self.matches >= NEW_MATCHES

    def _weigh(self, waiting: float) -> None:
        self.waiting = waiting
        newness = 1.0 + _NEW_WEIGHT * max(0.0, 1.0 - self.matches / NEW_MATCHES)
        # A bot with open matches is less urgent.
        self.claim = newness * math.sqrt(self.variance) * (1.0 + waiting / _PATIENCE) / (1 + self.open)
        # Its weight as an opponent also grows without bound, but more slowly than the cost of a rating difference.
        self.need = newness * (1.0 + math.log1p(waiting / _PATIENCE))

    def take(self, opponent: "_Player", *, first: bool) -> None:
        """Record a match against this opponent."""
        self.recent = remember(self.recent, opponent.id)
        self.matches += 1
        self.firsts += first
        self.room -= 1
        self.open += 1
        self._weigh(0.0)


class _Field:
    """All free players, in the order of ratings and in the order of claims."""

    def __init__(self, candidates: Iterable[Candidate]) -> None:
        there = [_Player(candidate) for candidate in candidates]
        self._memory = min(len(there) - 2, REMEMBERED)
        free = sorted((player for player in there if player.room > 0), key=lambda player: (player.rating, player.id))
        for below, above in pairwise(free):
            below.above, above.below = above, below
        self._claims = [(-player.claim, player.id, player) for player in free]
        heapq.heapify(self._claims)

    def next_seeker(self) -> _Player | None:
        """Return the free player with the strongest claim among those not yet considered."""
        while self._claims:
            claim, _, player = heapq.heappop(self._claims)
            # Outdated claims, from before a match was given, stay in the heap and are ignored.
            if player.room > 0 and -claim == player.claim:
                return player
        return None

    def neighbours(self, seeker: _Player) -> list[_Player]:
        """Return the nearest free players, without recent opponents of either side."""
        return [*self._fresh(seeker, self._upwards(seeker)), *self._fresh(seeker, self._downwards(seeker))]

    def best_opponent(self, seeker: _Player, near: Sequence[_Player]) -> _Player | None:
        """Return the one of these with the most valuable game; None if no game is worthwhile."""
        def worth(other: _Player) -> tuple[float, int]:
            return self._value(seeker, other), -other.id

        best = max(near, key=worth, default=None)
        if best is None or _is_worth_it(seeker, best):
            return best
        return max((other for other in near if _is_worth_it(seeker, other)), key=worth, default=None)

    def longest_not_met(self, seeker: _Player) -> _Player | None:
        """Return the free player that the seeker met longest ago."""
        others = [other for other in (*self._upwards(seeker), *self._downwards(seeker)) if _is_worth_it(seeker, other)]
        return max(others, key=lambda other: (_ago(seeker, other), self._value(seeker, other), -other.id), default=None)

    def pair(self, one: _Player, other: _Player) -> tuple[int, int]:
        """Give the two a match. Return their IDs, first and second."""
        first, second = (one, other) if _seat_key(one) <= _seat_key(other) else (other, one)
        first.take(second, first=True)
        second.take(first, first=False)
        for player in (one, other):
            if player.room > 0:
                heapq.heappush(self._claims, (-player.claim, player.id, player))
            else:
                self._unlink(player)
        return first.id, second.id

    def _fresh(self, seeker: _Player, others: Iterator[_Player]) -> list[_Player]:
        """Return the nearest of these that the seeker may meet. A memory excludes at most five, so this is O(n)."""
        found: list[_Player] = []
        for other in others:
            if not self._met_lately(seeker, other):
                found.append(other)
                if len(found) == _WINDOW:
                    break
        return found

    def _met_lately(self, one: _Player, other: _Player) -> bool:
        if self._memory <= 0:
            return False
        return other.id in one.recent[:self._memory] or one.id in other.recent[:self._memory]

    @staticmethod
    def _value(seeker: _Player, other: _Player) -> float:
        variance = seeker.variance + other.variance - 2.0 * _covariance(seeker, other)
        return game_information(seeker.rating - other.rating) * max(variance, _LEAST_DEVIATION ** 2) * other.need

    @staticmethod
    def _upwards(player: _Player) -> Iterator[_Player]:
        other = player.above
        while other is not None:
            yield other
            other = other.above

    @staticmethod
    def _downwards(player: _Player) -> Iterator[_Player]:
        other = player.below
        while other is not None:
            yield other
            other = other.below

    @staticmethod
    def _unlink(player: _Player) -> None:
        if player.above is not None:
            player.above.below = player.below
        if player.below is not None:
            player.below.above = player.above


def _is_worth_it(seeker: _Player, other: _Player) -> bool:
    """Whether a game between the two is informative enough, or one of them cannot wait."""
    if not (seeker.is_patient and other.is_patient):
        return True
    variance = seeker.known + other.known - 2.0 * _covariance(seeker, other)
    return game_information(seeker.rating - other.rating) * variance > _LEAST_INFORMATION


def _covariance(one: _Player, other: _Player) -> float:
    """Return the covariance of two ratings if the table has it, as for neighbours; others are small."""
    if not one.rank or not other.rank:
        return 0.0
    above, below = (one, other) if one.rank < other.rank else (other, one)
    lines = below.rank - above.rank
    return above.covariances[lines - 1] if lines <= len(above.covariances) else 0.0


def _ago(seeker: _Player, other: _Player) -> int:
    """Return how many opponents the seeker has met since; the length of the memory if it is not remembered."""
    return seeker.recent.index(other.id) if other.id in seeker.recent else REMEMBERED


def _seat_key(player: _Player) -> tuple[float, int]:
    """Sort key: how much more often it has been first than second, then the ID."""
    return player.firsts - player.matches / 2, player.id
