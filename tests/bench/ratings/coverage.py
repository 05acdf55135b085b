"""Measure how often 95 % intervals of the official table contain the true value.

    nice python tests/bench/ratings/coverage.py [--intervals 10000]

Games are simulated on ladders with known strengths, first-seat advantage and draw parameter, and fitted. Each player's
interval is compared with its true distance from the players' mean, and so are the differences between adjacent
lines. Repeated games are games of one opening, which deterministic bots would repeat identically.
"""

import math
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from ratings import Z95
from ratings.fit.davidson import ELO
from ratings.fit.pairs import PairTable, from_games
from ratings.official import OfficialTable, official
from tests.bench.common import options_of


@dataclass(frozen=True)
class Setting:
    """A ladder of players who each meet `opponents` others in `games` different games of `copies` each."""

    name: str
    players: int = 40
    opponents: int = 10
    games: int = 12
    copies: int = 1
    nu: float = 0.8
    near: bool = False
    spread: float = 200.0
    advantage: float = 0.15
    # The opening itself favours a seat by this much (natural units), and is played from both sides.
    opening: float = 0.0


SETTINGS = [
    Setting("draws"),
    Setting("no draws", nu=0.0),
    Setting("draws, every game twice", copies=2),
    Setting("draws, every game four times", copies=4),
    Setting("no draws, every game twice", nu=0.0, copies=2),
    Setting("no draws, every game four times", nu=0.0, copies=4),
    Setting("draws, near in rating", near=True),
    Setting("no draws, near in rating, every game twice", nu=0.0, near=True, copies=2),
    Setting("openings that favour a seat by ±50 Elo, both sides played", opening=0.4),
    Setting("few games: 24 per player", games=2, opponents=6),
]


def play(setting: Setting, dice: random.Random) -> tuple[list[float], PairTable]:
    """Return the true strengths in natural units, and the games."""
    n = setting.players
    theta = sorted(dice.gauss(0.0, setting.spread / ELO) for _ in range(n))
    games = []
    for a in range(n):
        for offset in range(1, setting.opponents + 1):
            b = (a + offset if setting.near else dice.choice([p for p in range(n) if p != a])) % n
            if setting.near and a + offset >= n:
                b = a - offset
            for _ in range(setting.games // 2):
                opening, bias = dice.random(), dice.gauss(0.0, setting.opening)
                for first, second in ((a, b), (b, a)):
                    score = result(theta[first] - theta[second] + setting.advantage + bias, setting.nu, dice)
                    key = opening if setting.opening else dice.random()
                    games += [(first, second, score, key)] * setting.copies
    return theta, from_games(games)


def result(x: float, nu: float, dice: random.Random) -> float:
    """Return a random score of one game by the model."""
    first, second = math.exp(x / 2), math.exp(-x / 2)
    throw = dice.random() * (first + second + nu)
    return 1.0 if throw < first else 0.0 if throw < first + second else 0.5


def covered(setting: Setting, theta: list[float], table: OfficialTable) -> Iterator[tuple[str, bool]]:
    """Yield whether each interval contains the true value: of a rating, of the difference to the next line."""
    scale = ELO * 2.0 / (2.0 + setting.nu)
    mean = sum(theta) / len(theta)
    true = {player: 1500.0 + scale * (value - mean) for player, value in enumerate(theta)}
    for line in table.lines:
        yield "rating", line.low <= true[line.player] <= line.high
    for line, below in zip(table.lines, table.lines[1:], strict=False):
        variance = line.error**2 + below.error**2 - 2.0 * line.covariances[0]
        error = line.rating - below.rating - true[line.player] + true[below.player]
        yield "difference", abs(error) <= Z95 * math.sqrt(variance)


def measure(setting: Setting, intervals: int, seed: int) -> dict[str, float]:
    """Return the share of intervals, by kind, with the true value, over at least this many intervals of ratings."""
    dice = random.Random(seed)
    held: dict[str, int] = {}
    tried: dict[str, int] = {}
    while tried.get("rating", 0) < intervals:
        theta, table = play(setting, dice)
        for kind, inside in covered(setting, theta, official(table)):
            held[kind] = held.get(kind, 0) + inside
            tried[kind] = tried.get(kind, 0) + 1
    return {kind: held[kind] / tried[kind] for kind in held}


def main() -> None:
    options = options_of(__doc__, intervals=(10_000, "intervals of each setting"))
    for seed, setting in enumerate(SETTINGS):
        shares = measure(setting, options.intervals, seed)
        print(f"{setting.name:58}" + "".join(f"{kind} {share:6.1%}  " for kind, share in shares.items()), end="")
        alone = "" if setting.copies == 1 else f"without clusters {naive(setting, options.intervals, seed):.1%}"
        print(alone, flush=True)


def naive(setting: Setting, intervals: int, seed: int) -> float:
    """Return the share for ratings if every game is treated as its own cluster."""
    dice, held, tried = random.Random(seed), 0, 0
    while tried < intervals:
        theta, table = play(setting, dice)
        for kind, inside in covered(setting, theta, official(replace(table, alone=True))):
            held += inside and kind == "rating"
            tried += kind == "rating"
    return held / tried


if __name__ == "__main__":
    main()
