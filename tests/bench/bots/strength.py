"""Compare the strength of reference bots: results of games, and the probability of such a result among equals.

    python tests/bench/bots/strength.py                        every pair, every ruleset, 80 games each
    python tests/bench/bots/strength.py --pairs searcher/greedy --rulesets squ:6 --leaves 100
    python tests/bench/bots/strength.py --pairs searcher@400/searcher@100 --rulesets squ:6
    python tests/bench/bots/strength.py --pairs searcher-1/greedy searcher-2/searcher-1 searcher-3/searcher-2
    python tests/bench/bots/strength.py --pairs searcher/greedy --clock 5 0.1
    python tests/bench/bots/strength.py --pairs searcher/searcher-python --rulesets squaresquared

Seats alternate. p is the probability that the first of two equal bots would win at least as many of the decisive
games (sign test, one-sided, exact); draws are left out. The searcher is limited by leaves, unless a clock is
requested, so that the result does not depend on the machine. The clock is wall time, and an overrun is an error.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain
from math import comb, inf
from pathlib import Path
from typing import Final
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from engines.rules.notation import Turn
from engines.rules.registry import RULESETS, find
from engines.rules.ruleset import Position
from engines.sdk import Bot, Clock
from engines.search.champion import ChampionBot
from engines.search.searcher import AnchorBot, SearcherBot
from tests.bench.common import options_of
from tests.engines.bots.in_process import reference_bot


class PythonSearcher(SearcherBot):
    """The searcher without native playouts in SquareSquared. In the other games, its turns are the same with them."""

    def choose(self, position: Position, clock: Clock) -> Turn:
        with patch("engines.native.available", lambda: False):
            return super().choose(position, clock)


LEAVES: Final = {"scware": 300, "ooscg-w": 100, "squ": 600, "square-grid-hex": 100, "squaresquared": 60}
# Games that reach this number of plies count as draws.
MOST_PLIES: Final = 600


@dataclass(frozen=True, slots=True)
class Job:
    """One game: the pair (its first bot sits in `first_seat`), ruleset, size, limits and seed."""

    pair: str
    slug: str
    size: int
    leaves: float
    first_seat: int
    seed: int
    clock: Clock


@dataclass(frozen=True, slots=True)
class Played:
    """The result: 1 for the first of the pair, 0 for the second, None for a draw; plies; seconds per bot."""

    won: int | None
    plies: int
    seconds: tuple[float, float]


def make_bot(name: str, seed: int, leaves: float) -> Bot:
    """Return a reference bot with repeatable games; `searcher@50` grows 50 leaves per turn."""
    name, _, own_leaves = name.partition("@")
    if name in ("searcher", "searcher-python"):
        return (SearcherBot if name == "searcher" else PythonSearcher)(seed, float(own_leaves or leaves))
    if name.startswith("searcher-"):
        return AnchorBot(int(name[-1]), seed)
    if name == "champion":
        return ChampionBot(seed, float(own_leaves or inf))
    if name == "montecarlo":
        return reference_bot("montecarlo", seed, float(own_leaves or inf))
    return reference_bot(name, seed)


def play(job: Job) -> Played:
    """Play one game, checking every turn."""
    bots = [make_bot(name, 2 * job.seed + number, job.leaves) for number, name in enumerate(job.pair.split("/"))]
    position = find(job.slug).start(job.size)
    seconds, plies = [0.0, 0.0], 0
    left = [job.clock.remaining] * 2
    while position.outcome is None and plies < MOST_PLIES:
        number = position.seat_to_move ^ job.first_seat
        began = time.perf_counter()
        turn = bots[number].choose(position, Clock(left[number], job.clock.increment))
        taken = time.perf_counter() - began
        seconds[number] += taken
        left[number] -= taken
        if left[number] < 0:
            raise TimeoutError(f"{job.pair.split('/')[number]} overran its clock by {-left[number]:.3f} s in {job}")
        left[number] += job.clock.increment
        position = position.play(turn)
        plies += 1
    winner = position.outcome.winner if position.outcome else None
    return Played(None if winner is None else int(winner == job.first_seat), plies, (seconds[0], seconds[1]))


def sign_test(wins: int, losses: int) -> float:
    """Return the probability of at least this many wins among that many games between equals."""
    games = wins + losses
    return sum(comb(games, count) for count in range(wins, games + 1)) / 2 ** games


def jobs_of(arguments: argparse.Namespace) -> Iterator[list[Job]]:
    """Yield the games of each line of the table."""
    for pair in arguments.pairs:
        for ruleset in arguments.rulesets:
            slug, _, size = ruleset.partition(":")
            board = int(size) if size else find(slug).default_size
            timed = any(arguments.clock)
            clock = Clock(*arguments.clock) if timed else Clock()
            leaves = inf if timed else arguments.leaves or LEAVES[slug]
            yield [Job(pair, slug, board, leaves, number % 2, arguments.seed + number, clock)
                   for number in range(arguments.games)]


def line(jobs: list[Job], games: list[Played]) -> str:
    """Return one line of the table."""
    wins, losses = (sum(game.won == side for game in games) for side in (1, 0))
    plies = sum(game.plies for game in games)
    spent = [sum(game.seconds[number] for game in games) * 2000 / plies for number in (0, 1)]
    job = jobs[0]
    leaves = f"{job.leaves:g}" if "searcher" in job.pair.split("/") else "–"
    draws, p = len(games) - wins - losses, sign_test(wins, losses)
    return (f"{job.pair:25} {job.slug:15} {job.size:>4} {leaves:>6} {wins:>4} {draws:>4} {losses:>4} {p:>9.1e} "
            f"{plies / len(games):>6.1f} {spent[0]:>8.1f} {spent[1]:>8.1f}")


def main() -> None:
    """Play and print the table."""
    arguments = options_of(
        __doc__, pairs=(["greedy/random", "searcher/greedy"], "pairs of bots"),
        rulesets=(list(RULESETS), "slug or slug:size"), games=(80, "games per pair"),
        leaves=(int, "leaves of the searcher's tree per turn; differs by ruleset"),
        clock=([0.0, 0.0], "seconds per game and per turn"), seed=(1, "seed"), processes=(2, "processes"))
    sys.stdout.write(f"{'pair':25} {'ruleset':15} size leaves    W    D    L         p  plies  ms/turn of each\n")
    rows = list(jobs_of(arguments))
    with ProcessPoolExecutor(arguments.processes) as pool:
        results = pool.map(play, chain.from_iterable(rows))
        for jobs in rows:
            sys.stdout.write(line(jobs, [next(results) for _ in jobs]) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
