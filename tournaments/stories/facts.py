"""A rated game as stories see it, and a story."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

# Before this many rated games, a rating says too little about a bot.
ESTABLISHED: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A rated game. Games, ladders and bots are IDs; `bots` are in the order of seats.

    `played_out` is true if the rules ended the game, and not a forfeit, a resignation or the limit of turns. `level` is
    the mean of both ratings in Elo, `lead` the first player's rating minus the second's, and `chance` the winner's as
    in `RatedGame`, None for a draw; all from before the game. `games` are the numbers of rated games that each bot had
    played on the ladder before.
    """

    game: int
    ladder: int
    bots: tuple[int, int]
    winner: int | None
    played_out: bool
    plies: int
    level: float
    lead: float
    chance: float | None
    day: date
    games: tuple[int, int]

    @property
    def counts(self) -> bool:
        """Whether the game can be a story: two different bots played, and one won on the board."""
        return self.played_out and self.winner is not None and self.bots[0] != self.bots[1]

    @property
    def established(self) -> bool:
        """Whether both bots had played enough games for their ratings to say something."""
        return min(self.games) >= ESTABLISHED

    def ratings(self) -> tuple[float, float]:
        """Return the winner's and the loser's rating in Elo before the game."""
        half = self.lead / 2 if self.winner == 0 else -self.lead / 2
        return self.level + half, self.level - half


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A story: its kind, the game that it links to, the bots that it is about, and the facts that its words state.

    Of two stories of a kind, the one with the higher `weight` is the better one.
    """

    kind: str
    game: int
    bots: tuple[int, ...]
    weight: float
    facts: Mapping[str, Any] = field(default_factory=dict)


def by_ladder(games: Sequence[Fact]) -> dict[int, list[Fact]]:
    """Return the games of each ladder, in the given order."""
    found: dict[int, list[Fact]] = {}
    for game in games:
        found.setdefault(game.ladder, []).append(game)
    return found
