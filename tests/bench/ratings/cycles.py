"""Measure how often a ladder is said to have cycles or pairs unlike the fit: without any, and with a planted cycle.

    nice python tests/bench/ratings/cycles.py [--ladders 200]

Every pair plays on a ladder with known strengths: openings from both sides, of which some favour a seat, and some games
are repeated as deterministic bots would. A planted cycle is of three bots who score 65 % in turn.
"""

import math
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from ratings.fit.davidson import ELO
from ratings.fit.pairs import PairTable, from_games
from ratings.official import official
from tests.bench.common import options_of

ADVANTAGE = 0.15


@dataclass(frozen=True)
class Setting:
    """A ladder of `bots` whose strengths spread by so many Elo; each pair plays `games`, each of them `copies` times.

    An opening favours a seat by `opening` natural units. `planted` is the score in the cycle of the three middle bots.
    """

    name: str
    bots: int = 10
    games: int = 200
    spread: float = 150.0
    nu: float = 0.5
    copies: int = 1
    opening: float = 0.0
    planted: float | None = None


def result(x: float, nu: float, dice: random.Random) -> float:
    """Return a random score of one game by the model."""
    first, second = math.exp(x / 2), math.exp(-x / 2)
    throw = dice.random() * (first + second + nu)
    return 1.0 if throw < first else 0.0 if throw < first + second else 0.5


SETTINGS = [
    Setting("transitive, spread 150"),
    Setting("transitive, all equal", spread=0.0),
    Setting("transitive, no draws, spread 400", nu=0.0, spread=400.0),
    Setting("transitive, 20 games per pair", games=20),
    Setting("transitive, 20 games, all equal, no draws", games=20, nu=0.0, spread=0.0),
    Setting("transitive, every game four times", games=50, copies=4),
    Setting("transitive, five openings, each game four times", games=10, copies=4, opening=0.4),
    Setting("transitive, openings of ±100 Elo", opening=0.6),
    Setting("transitive, 30 bots, 20 games per pair", bots=30, games=20),
    Setting("planted 65 %, 5 bots", bots=5, planted=0.65),
    Setting("planted 65 %", planted=0.65),
    Setting("planted 65 %, no draws", planted=0.65, nu=0.0),
    Setting("planted 65 %, all others equal to them", planted=0.65, spread=0.0),
    Setting("planted 65 %, 20 bots", bots=20, planted=0.65),
]


def play(setting: Setting, dice: random.Random) -> tuple[PairTable, set[int]]:
    """Return the games, and the three of the planted cycle."""
    theta = sorted(dice.gauss(0.0, setting.spread / ELO) for _ in range(setting.bots))
    middle = setting.bots // 2
    cycle = (middle - 1, middle, middle + 1)
    wins = {(cycle[0], cycle[1]): 1, (cycle[1], cycle[2]): 1, (cycle[0], cycle[2]): -1} if setting.planted else {}
    return from_games(_games(setting, theta, wins, dice)), set(cycle) if setting.planted else set()


def _games(setting: Setting, theta: list[float], wins: dict[tuple[int, int], int],
           dice: random.Random) -> Iterator[tuple[int, int, float, float]]:
    for pair in combinations(range(setting.bots), 2):
        for _ in range(setting.games // 2):
            opening, bias = dice.random(), dice.gauss(0.0, setting.opening)
            for first, second in (pair, pair[::-1]):
                if pair in wins:
                    upper = (wins[pair] > 0) == ((first, second) == pair)
                    share = setting.planted if upper else 1.0 - setting.planted
                    score = 1.0 if dice.random() < share else 0.0
                else:
                    score = result(theta[first] - theta[second] + ADVANTAGE + bias, setting.nu, dice)
                key = opening if setting.opening else dice.random()
                yield from [(first, second, score, key)] * setting.copies


def measure(setting: Setting, ladders: int, seed: int) -> tuple[float, float, float]:
    """Return the shares of ladders with a pair unlike the fit, with a false cycle, and with the planted one found."""
    dice = random.Random(seed)
    unlike = false = found = 0
    for _ in range(ladders):
        table, planted = play(setting, dice)
        lines = (whole := official(table)).lines
        findings = whole.transitivity
        assert findings is not None
        unlike += findings.deviating > 0
        cycles = [{lines[rank - 1].player for rank in cycle.players} for cycle in findings.cycles]
        found += planted in cycles
        false += any(cycle.isdisjoint(planted) or not planted for cycle in cycles)
    return unlike / ladders, false / ladders, found / ladders


def main() -> None:
    options = options_of(__doc__, ladders=(200, "ladders of each setting"))
    for seed, setting in enumerate(SETTINGS):
        unlike, false, found = measure(setting, options.ladders, seed)
        print(f"{setting.name:50} unlike the fit {unlike:6.1%}  false cycles {false:6.1%}"
              + (f"  planted cycle found {found:6.1%}" if setting.planted else ""), flush=True)


if __name__ == "__main__":
    main()
