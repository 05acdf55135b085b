"""An event so far, for its format: plain values, which the selectors load. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from tournaments.pairing.round_robin import Pairing
from tournaments.scoring.repeats import fingerprint

# Maximum number of extra matches for a level tie of a knockout.
MOST_EXTRA_MATCHES: Final = 4
# What happens to the results of an entrant that leaves an event whose rounds are all paired at the start.
KEEP: Final = "keep"
ANNUL: Final = "annul"


@dataclass(slots=True)
class Tie:
    """The matches of one pairing in one round. Entrants are identified by place in the draw; `points` are game points.

    A void match counts as half of its games for each side. `gone` are the entrants that had left when a match was
    cancelled.
    """

    first: int
    second: int
    points: list[float] = field(default_factory=lambda: [0.0, 0.0])
    matches: int = 0
    played: int = 0
    void: int = 0
    open: int = 0
    last_is_void: bool = False
    gone: set[int] = field(default_factory=set)

    @property
    def better_seed(self) -> int:
        return min(self.first, self.second)

    @property
    def walkover(self) -> int | None:
        """The entrant with a walkover because the other left; the better seed if both left, None if neither did."""
        if not self.gone:
            return None
        left = {self.first, self.second} - self.gone
        return min(left or self.gone)

    @property
    def leader(self) -> int | None:
        """The entrant with more points; None while they are level."""
        if self.points[0] == self.points[1]:
            return None
        return self.first if self.points[0] > self.points[1] else self.second

    def needs_another(self, cycles: int) -> bool:
        """Whether a level tie of a knockout, all of whose matches have ended, gets one more match."""
        return (self.walkover is None and self.leader is None and not self.last_is_void
                and self.matches < cycles + MOST_EXTRA_MATCHES)

    def winner(self) -> int:
        """Return the entrant that advances from an ended knockout tie: by walkover, by points, or as better seed."""
        decided = self.leader if self.walkover is None else self.walkover
        return self.better_seed if decided is None else decided

    def scores(self) -> tuple[float, float]:
        """Return the match scores of an ended tie in a Swiss: 1, ½ or 0, by the majority of the points."""
        decided = self.leader if self.walkover is None else self.walkover
        if self.gone >= {self.first, self.second}:
            return 0.0, 0.0
        if decided is None:
            return 0.5, 0.5
        return (1.0, 0.0) if decided == self.first else (0.0, 1.0)


class Missed(NamedTuple):
    """A match that was cancelled before it was played: its entrants, when, and those that had left by then."""

    first: int
    second: int
    at: datetime
    gone: frozenset[int]

    @classmethod
    def of(cls, first: int, second: int, at: datetime, left: Mapping[int, datetime]) -> "Missed":
        """Return the match; `left` are the times at which entrants left."""
        return cls(first, second, at, frozenset(place for place in (first, second)
                                                if place in left and left[place] <= at))


class Known(NamedTuple):
    """What was known when a wave of a continuous event was paired.

    `free` are the entrants that were there without an open match, `open` is the number of open matches, and `seconds`
    are those since the start. An entrant that is not free was in its latest match, or absent.
    """

    free: tuple[int, ...]
    open: int
    seconds: float


class Bout(NamedTuple):
    """A match of a continuous event: its wave and number, its entrants, its status, and both game points if finished.

    `status` is "finished", "void", "cancelled" or another one, which means that it is open.
    """

    wave: int
    number: int
    first: int
    second: int
    status: str
    points: tuple[float, float] = (0.0, 0.0)

    @property
    def is_open(self) -> bool:
        return self.status not in ("finished", "void", "cancelled")


@dataclass(frozen=True, slots=True)
class RoundSoFar:
    """A round and its ties, in pairing order; `byes` are entrants with a bye or a walkover without a match.

    `rests` are the entrants that requested a bye or entered later, with the ½ or 0 points that they got; releases after
    1.0 have neither.
    Only for formats in which a pair meets several times in a round: `pairs` are all its matches, in pairing order, and
    `absent` the entrants that had left when it was paired. Only for a wave of a continuous event: what was `known`.
    """

    number: int
    ties: Sequence[Tie]
    byes: frozenset[int]
    rests: Mapping[int, float] = field(default_factory=dict)
    absent: frozenset[int] = frozenset()
    pairs: Sequence[Pairing] = ()
    known: Known | None = None


@dataclass(frozen=True, slots=True)
class Goal:
    """The target of an event that plays until it is met, its limits, and its seed.

    `kind` is "ratings" (`value` is the half width of every interval in Elo) or "first" (`value` is the number of first
    places). `max_hours` is None without a limit.
    """

    kind: str
    value: int
    max_matches: int
    max_hours: int | None
    seed: int


class Played(NamedTuple):
    """A finished match: its round and number, entrants, scores of `first` in both games (it has seat 0 first).

    Matches of a pair with equal `digest` are the same turn by turn. `hours` are those from the event's start to its
    end.
    """

    round: int
    number: int
    first: int
    second: int
    scores: tuple[float, float]
    opening: str
    digest: str
    hours: float

    @classmethod
    def of(cls, round_: int, number: int, seats: Sequence[Sequence[int]], winners: Sequence[int | None],
           opening: Sequence[str], turns: Sequence[str], started: str, ended: str) -> "Played":
        """Return the match from its two games: seats, winning seats and `shortened` turns; times in ISO 8601."""
        first, second = seats[0]
        scores = [0.5 if winner is None else float(seat[winner] == first)
                  for seat, winner in zip(seats, winners, strict=True)]
        spent = datetime.fromisoformat(ended) - datetime.fromisoformat(started)
        digest = fingerprint(opening, (
            (seat[0], [played]) for seat, played in zip(seats, turns, strict=True)))
        return cls(round_, number, first, second, (scores[0], scores[1]), " ".join(opening), digest,
                   spent.total_seconds() / 3600)


@dataclass(frozen=True, slots=True)
class History:
    """An event so far. Entrants are numbered from 0, the best seed first.

    `rounds_wanted` is None if the format does not take a number of rounds. `left` are the entrants that left the
    running event. `over` means that the event has ended, even if not everything was decided. `annulled` are the
    disqualified entrants whose games do not count, and `withdrawals` is the policy for those that left; if it is ANNUL,
    `missed` are the matches that were not played because an entrant had left. Pairs in `together` have one owner or
    team: they do not meet in the first `apart_rounds`, if that can be avoided.
    """

    entrants: int
    cycles: int
    rounds_wanted: int | None = None
    runners: Sequence[int] = ()
    left: frozenset[int] = frozenset()
    rounds: Sequence[RoundSoFar] = ()
    over: bool = False
    annulled: frozenset[int] = frozenset()
    withdrawals: str = KEEP
    missed: Sequence[Missed] = ()
    together: frozenset[frozenset[int]] = frozenset()
    apart_rounds: int = 0
    # Only for formats that have a target.
    goal: Goal | None = None
    games: Sequence[Played] = ()
    # Only for continuous formats: all matches in pairing order, how long the event takes, whether streaks count, and
    # the seconds since its start; None if it is over.
    bouts: Sequence[Bout] = ()
    minutes: int = 0
    streaks: bool = False
    seconds: float | None = None

    @property
    def last(self) -> int:
        """Number of the last round; 0 before the first."""
        return self.rounds[-1].number if self.rounds else 0

    @property
    def ties(self) -> list[Tie]:
        """The ties of all rounds."""
        return [tie for round_ in self.rounds for tie in round_.ties]


@dataclass(frozen=True, slots=True)
class Due:
    """The next pairings: a new round, or with `extra`, more matches of the last one.

    `apart_relaxed` means that bots of one owner or team
    could not be kept apart. `known` is what a continuous format has used, which is stored with the wave.
    """

    number: int
    pairs: Sequence[Pairing]
    byes: Sequence[int] = ()
    label: str = ""
    extra: bool = False
    apart_relaxed: bool = False
    known: Known | None = None


@dataclass(frozen=True, slots=True)
class Ahead:
    """The number of matches still to be created, and the minimum and maximum total number of rounds."""

    matches: int
    rounds_least: int
    rounds_most: int
