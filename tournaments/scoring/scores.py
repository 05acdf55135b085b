"""Counted results of an event's games, from which its tables are computed. Pure: no database, no clock.

A round-robin of a hundred bots has ten thousand tallies, so the loops over them create no objects.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

GAMES_PER_MATCH = 2


class Tally(NamedTuple):
    """`count` games in which `seat0` moved first against `seat1`; `winner` is a seat, or None for draws."""

    seat0: int
    seat1: int
    winner: int | None
    count: int


@dataclass(slots=True)
class Score:
    """Games won, drawn and lost, from one side's point of view."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2

    @property
    def share(self) -> float | None:
        """Points per game, 0 to 1; None without games."""
        return self.points / self.games if self.games else None

    def add(self, seat: int, winner: int | None, count: int) -> None:
        """Count games that this side played in `seat`."""
        if winner is None:
            self.draws += count
        elif winner == seat:
            self.wins += count
        else:
            self.losses += count


Crosstable = dict[tuple[int, int], Score]
# Games won, drawn and lost by one side against each opponent: {entrant: {opponent: [wins, draws, losses]}}.
Meetings = dict[int, dict[int, list[int]]]


@dataclass(slots=True)
class Counts:
    """Games as numbers: results of each pair, and each entrant's wins, draws and losses in seat 0, then in seat 1.

    More can be added at any time.
    """

    meetings: Meetings = field(default_factory=lambda: defaultdict(dict))
    seats: dict[int, list[int]] = field(default_factory=lambda: defaultdict(no_games))

    @classmethod
    def of(cls, tallies: Iterable[Tally]) -> "Counts":
        counts = cls()
        counts.add(tallies)
        return counts

    def add(self, tallies: Iterable[tuple[int, int, int | None, int]]) -> None:
        """Add these results: tallies, or any tuples like them."""
        met, seats = self.meetings, self.seats
        for seat0, seat1, winner, count in tallies:
            # Index in seat 0's [wins, draws, losses]; for seat 1 it is reversed.
            ending = 1 if winner is None else 2 * winner
            games = met[seat0].get(seat1)
            if games is None:
                games = met[seat0][seat1] = [0, 0, 0]
                met[seat1][seat0] = [0, 0, 0]
            games[ending] += count
            met[seat1][seat0][2 - ending] += count
            seats[seat0][ending] += count
            seats[seat1][5 - ending] += count

    def without(self, pairs: Collection[frozenset[int]]) -> Meetings:
        """Return the meetings, except those of these pairs."""
        if not pairs:
            return self.meetings
        return {entrant: {opponent: games for opponent, games in met.items()
                          if frozenset((entrant, opponent)) not in pairs} for entrant, met in self.meetings.items()}


def no_games() -> list[int]:
    """Return the wins, draws and losses in both seats of an entrant that has not played."""
    return [0] * 6


def crosstable(tallies: Iterable[Tally]) -> Crosstable:
    """Return the score of each entrant against each opponent that it met, keyed (entrant, opponent)."""
    return {(entrant, opponent): Score(*games)
            for entrant, met in Counts.of(tallies).meetings.items() for opponent, games in met.items()}


@dataclass(frozen=True, slots=True)
class Unplayed:
    """A round of one entrant that was decided without play. `result` is 1, ½ or 0, as a share of a won match.

    `opponent` is the planned opponent, if any. `voluntary` means that the entrant was not present, and `for_good` that
    it was not present in any later round either.
    """

    entrant: int
    result: float
    opponent: int | None = None
    voluntary: bool = False
    for_good: bool = False


def bye(entrant: int) -> Unplayed:
    """Return the round that an entrant sat out because the number was odd: a won match."""
    return Unplayed(entrant, 1.0)


def requested_bye(entrant: int, result: float, *, for_good: bool = False) -> Unplayed:
    """Return a round that an entrant asked to sit out, or that was over before it entered: ½ or 0."""
    return Unplayed(entrant, result, voluntary=True, for_good=for_good)


def absence(entrant: int) -> Unplayed:
    """Return a round for which an entrant was not paired because it had left."""
    return Unplayed(entrant, 0.0, voluntary=True, for_good=True)


def walkover(winner: int, loser: int) -> tuple[Unplayed, Unplayed]:
    """Return a match that the loser left before it was over."""
    return Unplayed(winner, 1.0, loser), Unplayed(loser, 0.0, winner, voluntary=True)


def void(one: int, other: int) -> tuple[Unplayed, Unplayed]:
    """Return a void match, which counts as drawn."""
    return Unplayed(one, 0.5, other), Unplayed(other, 0.5, one)


class Contribution(NamedTuple):
    """The contribution of `matches` against one opponent, or of a round without play, to a tie-break.

    `own` are the entrant's points in them, `opponent` the opponent's points in the event. `voluntary` means that the
    entrant was not present for the round.
    """

    own: float
    opponent: float
    matches: int = 1
    voluntary: bool = False


class Results:
    """All entrants' points, and the matches behind them.

    A won game is a point and a drawn one half a point. With `by_match`, a point goes to the majority of the games
    against an opponent, and half a point to each side if they are level; this assumes that two entrants meet at most
    once, as in a Swiss. A match won without play is worth the points of `games_per_match` won games, or with
    `by_match`, one.
    """

    def __init__(self, entrants: Sequence[int], meetings: Meetings, unplayed: Sequence[Unplayed] = (),
                 games_per_match: int = GAMES_PER_MATCH, *, by_match: bool = False) -> None:
        self.by_match = by_match
        self.games_per_match = games_per_match
        self.win = 1.0 if by_match else float(games_per_match)
        self.games: Meetings = {entrant: meetings.get(entrant, {}) for entrant in entrants}
        # Points of one against the other, for those that have met: {entrant: {opponent: points}}.
        self.scored = {entrant: self._scored(met) for entrant, met in self.games.items()}
        self.unplayed: dict[int, list[Unplayed]] = {entrant: [] for entrant in entrants}
        for round_ in unplayed:
            self.unplayed[round_.entrant].append(round_)
        self.points = {entrant: sum(self.scored[entrant].values())
                       + sum(round_.result for round_ in self.unplayed[entrant]) * self.win for entrant in entrants}
        # Points of each entrant as they count for its opponents: rounds missed after a withdrawal are draws (C.07,
        # 16.3).
        self.adjusted = {entrant: self.points[entrant] + sum((0.5 - round_.result) * self.win
                                                             for round_ in self.unplayed[entrant] if round_.for_good)
                         for entrant in entrants}

    def have_met(self, entrants: Sequence[int]) -> bool:
        """Whether each of them has played all the others."""
        everybody = set(entrants)
        return all(everybody - self.games[entrant].keys() <= {entrant} for entrant in entrants)

    def contributions(self, entrant: int) -> list[Contribution]:
        """Return one for each opponent of the entrant, and one for each round that it did not play."""
        own, adjusted = self.scored[entrant], self.adjusted
        played = [Contribution(own[opponent], adjusted[opponent], matches)
                  for opponent, matches in self.matches(entrant).items()]
        return played + self.without_play(entrant)

    def without_play(self, entrant: int) -> list[Contribution]:
        """Return one for each round that the entrant did not play."""
        return [Contribution(round_.result * self.win, self._dummy(round_), voluntary=round_.voluntary)
                for round_ in self.unplayed[entrant]]

    def _scored(self, met: dict[int, list[int]]) -> dict[int, float]:
        if not self.by_match:
            return {opponent: wins + draws / 2 for opponent, (wins, draws, _) in met.items()}
        return {opponent: 0.5 if wins == losses else float(wins > losses)
                for opponent, (wins, _, losses) in met.items()}

    def matches(self, entrant: int) -> dict[int, int]:
        """Return the number of matches that the games against each opponent make; an unfinished one counts as one."""
        each = self.games_per_match
        return {opponent: 1 if self.by_match else -(-sum(games) // each)
                for opponent, games in self.games[entrant].items()}

    @cached_property
    def _half_of_all(self) -> float:
        """Points for a draw in every round so far."""
        rounds = (sum(self.matches(entrant).values()) + len(self.unplayed[entrant]) for entrant in self.games)
        return self.win / 2 * max(rounds, default=0)

    def _dummy(self, round_: Unplayed) -> float:
        """Return the points of the dummy opponent in a round without play: the entrant's own (C.07, 16.4).

        They are limited to those of the planned opponent, or, if there was none, to those for a draw in every round so
        far.
        """
        most = self._half_of_all if round_.opponent is None else self.adjusted[round_.opponent]
        return min(self.points[round_.entrant], most)
