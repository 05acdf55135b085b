"""The choice of a few stories, of the games worth a replay, and of the game of the day."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Final

from tournaments.stories.facts import Fact, Story

# The order of kinds in the list.
KINDS: Final = ("comeback", "upset", "run", "longest", "shortest", "rivalry")
MOST: Final = 6
# No kind and no bot fills the list.
MOST_OF_A_KIND: Final = 2
MOST_OF_A_BOT: Final = 2
# Games of the highest level that are replayed to find comebacks, and the game of the day.
REPLAYED: Final = 40
CANDIDATES: Final = 20
# Longer games take more than two minutes to watch.
LONGEST_SHOWN: Final = 150


def choose(stories: Iterable[Story]) -> list[Story]:
    """Return the best story of each kind, then the second ones, at most MOST; each game at most once."""
    ranked = sorted(stories, key=lambda story: (-story.weight, -story.game))
    rounds: list[Story] = []
    places = Counter[str]()
    bots = Counter[int]()
    games: set[int] = set()
    # The kinds take turns, so that a bot that is in the best story of one kind does not hide the best of another.
    queues = {kind: [story for story in ranked if story.kind == kind] for kind in KINDS}
    for _ in range(MOST_OF_A_KIND):
        for kind in KINDS:
            story = next((story for story in queues[kind] if story.game not in games and places[kind] < MOST_OF_A_KIND
                          and all(bots[bot] < MOST_OF_A_BOT for bot in story.bots)), None)
            if story is not None and len(rounds) < MOST:
                rounds.append(story)
                places[kind] += 1
                bots.update(story.bots)
                games.add(story.game)
    return rounds


def worth_replaying(games: Iterable[Fact]) -> list[Fact]:
    """Return the games of established bots at the highest level, for comebacks."""
    listed = [game for game in games if game.counts and game.established]
    return sorted(listed, key=lambda game: (-game.level, game.game))[:REPLAYED]


def day_to_show(games: Iterable[Fact], today: date) -> date | None:
    """Return the last day before `today` with games that can be shown; otherwise today, if it has any; else None."""
    days = {game.day for game in games if _shown(game)}
    return max((day for day in days if day < today), default=None) or max(days, default=None)


def candidates(games: Iterable[Fact], day: date) -> list[Fact]:
    """Return the day's games at the highest level, preferably of established bots."""
    listed = [game for game in games if game.day == day and _shown(game)]
    listed = [game for game in listed if game.established] or listed
    return sorted(listed, key=lambda game: (-game.level, game.game))[:CANDIDATES]


def game_of_the_day(listed: Sequence[Fact], changes: Mapping[int, int]) -> Fact | None:
    """Return the candidate whose lead changed most often, then the one of the highest level, then the earliest."""
    return min(listed, key=lambda game: (-changes[game.game], -game.level, game.game), default=None)


def _shown(game: Fact) -> bool:
    return game.counts and game.plies <= LONGEST_SHOWN
