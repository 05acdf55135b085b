"""Stories about one game: an upset, or an unusually long or short win."""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Final

from ratings.score import UPSET_CHANCE
from tournaments.stories.facts import Fact, Story, by_ladder

# A length is unusual only compared with this many wins on the same ladder.
USUAL_GAMES: Final = 30
# Lengths in multiples of the median.
LONG: Final = 1.5
SHORT: Final = 0.6


def upsets(games: Sequence[Fact]) -> Iterator[Story]:
    """Yield the wins that both ratings made improbable, if both bots had played enough games before."""
    for game in games:
        if game.counts and game.established and game.chance is not None and game.chance <= UPSET_CHANCE:
            winner, loser = game.ratings()
            yield Story(kind="upset", game=game.game, bots=game.bots, weight=1 - game.chance, facts={
                "chance": game.chance, "winner": winner, "loser": loser})


def lengths(games: Sequence[Fact]) -> Iterator[Story]:
    """Yield the longest and the shortest win of each ladder, if they are far from the usual length there."""
    for listed in by_ladder([game for game in games if game.counts]).values():
        if len(listed) < USUAL_GAMES:
            continue
        usual = median(game.plies for game in listed)
        longest = max(listed, key=lambda game: (game.plies, -game.game))
        shortest = min(listed, key=lambda game: (game.plies, game.game))
        facts = {"usual": round(usual), "games": len(listed)}
        if longest.plies >= LONG * usual:
            yield Story(kind="longest", game=longest.game, bots=longest.bots, weight=longest.plies / usual,
                        facts={"turns": longest.plies, **facts})
        if shortest.plies <= SHORT * usual:
            yield Story(kind="shortest", game=shortest.game, bots=shortest.bots, weight=usual / max(shortest.plies, 1),
                        facts={"turns": shortest.plies, **facts})
