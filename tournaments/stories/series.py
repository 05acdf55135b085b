"""Stories about several games: a run of wins or losses, and a rivalry."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import log
from typing import Final

from tournaments.stories.facts import ESTABLISHED, Fact, Story, by_ladder

# A run has this many games, against this many opponents.
RUN_GAMES: Final = 6
RUN_OPPONENTS: Final = 3
# Runs that the ratings make more probable than this are no news.
RUN_CHANCE: Final = 0.05
# A rivalry has this many games with a winner, and each bot wins at least this share of them.
RIVALS_GAMES: Final = 20
RIVALS_SHARE: Final = 0.45
_LEAST_CHANCE: Final = 1e-9


@dataclass(slots=True)
class _Run:
    """A bot's last results on a ladder while they are the same. `from_start` is true if older games are unknown."""

    won: bool
    from_start: bool
    games: int = 0
    surprise: float = 0.0
    opponents: set[int] = field(default_factory=set)

    def add(self, game: Fact, opponent: int) -> None:
        self.games += 1
        self.surprise -= log(max(game.chance or 0.0, _LEAST_CHANCE))
        self.opponents.add(opponent)

    def told(self, game: Fact, bot: int, *, over: bool) -> Iterator[Story]:
        """Yield the run as a story, if it is one, about the game that ends it or is the last one so far."""
        seat = game.bots.index(bot)
        if (self.games >= RUN_GAMES and len(self.opponents) >= RUN_OPPONENTS and self.surprise >= -log(RUN_CHANCE)
                and game.games[seat] >= ESTABLISHED):
            yield Story(kind="run", game=game.game, bots=game.bots if over else (bot,), weight=self.surprise, facts={
                "seat": seat, "won": self.won, "games": self.games, "over": over,
                "at_least": self.from_start and game.games[seat] >= self.games + (1 if over else 0)})


def runs(games: Sequence[Fact]) -> Iterator[Story]:
    """Yield the runs of wins and of losses. A draw, a forfeit or a resignation ends a run without a story."""
    for listed in by_ladder(sorted(games, key=lambda game: game.game)).values():
        going: dict[int, tuple[_Run, Fact]] = {}
        seen: set[int] = set()
        for game in listed:
            for seat, bot in enumerate(game.bots):
                run, _ = going.pop(bot, (None, None))
                if game.counts:
                    won = game.winner == seat
                    if run and run.won != won:
                        yield from run.told(game, bot, over=True)
                        run = None
                    run = run or _Run(won, from_start=bot not in seen)
                    run.add(game, game.bots[1 - seat])
                    going[bot] = (run, game)
                seen.add(bot)
        for bot, (run, last) in going.items():
            yield from run.told(last, bot, over=False)


def rivalries(games: Sequence[Fact]) -> Iterator[Story]:
    """Yield the pairs with many games and a close score, each about the newest game of the two."""
    for listed in by_ladder(sorted(games, key=lambda game: game.game)).values():
        pairs: dict[tuple[int, ...], list[Fact]] = {}
        for game in listed:
            if game.counts:
                pairs.setdefault(tuple(sorted(game.bots)), []).append(game)
        for bots, met in pairs.items():
            last = met[-1]
            first = sum(game.bots[game.winner or 0] == last.bots[0] for game in met)
            score = (first, len(met) - first)
            if len(met) >= RIVALS_GAMES and min(score) >= RIVALS_SHARE * len(met):
                yield Story(kind="rivalry", game=last.game, bots=bots, weight=float(len(met)),
                            facts={"games": len(met), "score": score})
