"""Measure the CPU seconds of a fit of the official table, compared with other programs.

    nice python tests/bench/ratings/fit.py [--ordo PATH] [--only SHAPE …]

Games are simulated: `near` ladders pair players within 20 places, `random` ones any players. Our own times start from
the pair table, the others' from their input: evalica reads arrays of pairs, choix a list of games for as many players
as its dense matrices allow, Ordo a PGN of tags. evalica and choix (requirements/bench.txt) are installed
into a temporary environment, which is removed. Each program runs in its own process with one thread; only its work
is timed, by the process's CPU time, for ours the best of three runs.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import tracemalloc
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))
# One thread: two would only wait for each other, and CPU time includes busy waiting.
for variable in ("OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402 -- it reads the variables above

HOP = 20


@dataclass(frozen=True)
class Shape:
    """A ladder with simulated games."""

    name: str
    players: int
    games: int
    near: bool


SHAPES = [
    Shape("200-random", 200, 100_000, near=False),
    Shape("2000-near", 2_000, 1_000_000, near=True),
    Shape("2000-random", 2_000, 1_000_000, near=False),
    Shape("10000-near", 10_000, 5_000_000, near=True),
]


def play(shape: Shape, seed: int = 0) -> np.ndarray:
    """Return (games, 3): first player, second player, and 0, 1, 2 for a win, a draw, a loss of the first."""
    dice = np.random.default_rng(seed)
    n, games = shape.players, shape.games
    theta = np.sort(dice.normal(0.0, 200.0, n)) * np.log(10.0) / 400.0
    first = dice.integers(0, n, games)
    if shape.near:
        away = dice.integers(1, HOP + 1, games)
        second = np.where(first + away < n, first + away, first - away)
        swap = dice.random(games) < 0.5
        first, second = np.where(swap, second, first), np.where(swap, first, second)
    else:
        second = (first + dice.integers(1, n, games)) % n
    strength = np.exp(0.5 * (theta[first] - theta[second] + 0.1))
    throw = dice.random(games) * (strength + 1.0 / strength + 0.8)
    result = np.where(throw < strength, 0, np.where(throw < strength + 0.8, 1, 2))
    return np.stack([first, second, result], axis=1)


def table_of(games: np.ndarray) -> Any:
    """Return the pair table of games that each form their own cluster."""
    from ratings.fit.pairs import from_arrays

    first, second, result = games.T
    low, high = np.minimum(first, second), np.maximum(first, second)
    n = int(games[:, :2].max()) + 1
    pairs, place = np.unique(low * n + high, return_inverse=True)
    counts = np.bincount(place * 6 + result + 3 * (first > second), minlength=6 * len(pairs)).reshape(-1, 6)
    return from_arrays(pairs // n, pairs % n, counts.astype(np.float64))


def clustered(table: Any) -> Any:
    """Return the same with pairs of games as clusters, to measure errors with openings played from both sides."""
    from ratings.fit.pairs import TRIANGLE

    i, j = TRIANGLE
    moments = np.where(i == j, table.counts[:, i], 0.5 * np.minimum(table.counts[:, i], table.counts[:, j]))
    return replace(table, moments=np.floor(moments), alone=False)


def timed(work: Any, times: int = 3) -> tuple[float, Any]:
    """Return the lowest CPU seconds that `work` took, and its result."""
    least = float("inf")
    for _ in range(times):
        start = time.process_time()
        result = work()
        least = min(least, time.process_time() - start)
    return least, result


def ours(shape: Shape) -> dict[str, float]:
    """Return the CPU seconds of each part, and MiB."""
    from ratings.fit.covariance import EXACT, Covariance
    from ratings.fit.davidson import FLAT, fit
    from ratings.fit.estimate import estimate
    from ratings.fit.likelihood import Likelihood
    from ratings.official import official

    games = play(shape)
    table = table_of(games)
    joint = clustered(table)
    once, _ = timed(lambda: fit(Likelihood(table, FLAT)))
    cold, fitted = timed(lambda: estimate(table))
    more = table_of(np.concatenate([games, play(replace(shape, games=1000), 1)]))
    warm, _ = timed(lambda: estimate(more, start=fitted.fit))
    tracemalloc.start()
    estimate(table)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    def both(of: Any) -> Any:
        return Covariance(estimate(of)).variance

    errors = "fit + exact intervals" if shape.players <= EXACT else "fit + intervals by formula"
    return {
        "fit": cold, "one fit, without learning": once, "warm refit, 1,000 more games": warm,
        errors: timed(lambda: both(table))[0],
        f"{errors}, clusters": timed(lambda: both(joint))[0],
        "whole table, ranks, covariances": timed(lambda: official(joint), 1)[0],
        "MiB of the pair table": sum(part.nbytes for part in (table.low, table.high, table.counts)) / 2**20,
        "additional MiB while fitting": peak / 2**20,
    }


def theirs(program: str, games: np.ndarray) -> dict[str, float]:
    """Return the CPU seconds of a program from the package index; runs in its own environment."""
    first, second, result = games.T
    n = int(games[:, :2].max()) + 1
    if program == "evalica":
        import evalica

        winners = [(evalica.Winner.X, evalica.Winner.Draw, evalica.Winner.Y)[r] for r in result]
        xs, ys = first.tolist(), second.tolist()
        return {"evalica bradley_terry (no errors)": timed(lambda: evalica.bradley_terry(xs, ys, winners), 1)[0]}
    import choix

    decided = result != 1
    won = np.where(result == 0, first, second)[decided]
    lost = np.where(result == 0, second, first)[decided]
    data = list(zip(won.tolist(), lost.tolist(), strict=True))
    return {"choix ilsr_pairwise (no draws, no errors)": timed(
        lambda: choix.ilsr_pairwise(n, data, alpha=1e-3, max_iter=1000), 1)[0]}


def with_pgn(games: np.ndarray, ordo: str, limit: float) -> dict[str, float]:
    """Return the CPU seconds of Ordo, which reads a PGN, including the reading."""
    with tempfile.TemporaryDirectory() as directory:
        pgn = Path(directory) / "games.pgn"
        with pgn.open("w") as file:
            for first, second, result in games.tolist():
                score = ("1-0", "1/2-1/2", "0-1")[result]
                file.write(f'[White "p{first}"]\n[Black "p{second}"]\n[Result "{score}"]\n\n{score}\n\n')
        command = [ordo, "-q", "-p", str(pgn), "-o", f"{directory}/o"]
        return {"Ordo (no seats, no draws, no errors)": child(command, limit)}


def child(command: list[str], limit: float) -> float:
    """Return the CPU seconds of a program, or NaN if it takes longer than `limit`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return float("nan")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run_apart(python: Path, program: str, shape: Shape, limit: float) -> dict[str, float]:
    """Return the output of this file when run for one program and one shape."""
    command = [str(python), str(Path(__file__).resolve()), "--program", program, "--only", shape.name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return {f"{program}: timed out after {limit:.0f} s": float("nan")}
    if done.returncode:
        reason = done.stderr.strip().rpartition("\n")[2] or f"ended with {done.returncode}"
        return {f"{program}: {reason[:70]}": float("nan")}
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ordo", metavar="PATH", help="an Ordo binary to compare with")
    parser.add_argument("--limit", type=float, default=900.0, metavar="S", help="time limit per program in seconds")
    parser.add_argument("--only", nargs="*", default=[shape.name for shape in SHAPES], metavar="SHAPE",
                        help="of " + ", ".join(shape.name for shape in SHAPES))
    parser.add_argument("--program", help=argparse.SUPPRESS)
    options = parser.parse_args()
    shapes = [shape for shape in SHAPES if shape.name in options.only]
    if options.program:
        shape = shapes[0]
        print(json.dumps(ours(shape) if options.program == "ours" else theirs(options.program, play(shape))))
        return
    # The other environment has a package `tests` of its own.
    from tests.bench.common import python_with

    with tempfile.TemporaryDirectory() as directory:
        python = python_with("requirements/bench.txt", Path(directory))
        for shape in shapes:
            print(f"{shape.name}: {shape.players:,} players, {shape.games:,} games", flush=True)
            measured = run_apart(Path(sys.executable), "ours", shape, options.limit)
            unit = measured["fit"]
            for program in ("evalica", "choix"):
                measured |= run_apart(python, program, shape, options.limit)
            if options.ordo:
                measured |= with_pgn(play(shape), options.ordo, options.limit)
            for name, value in measured.items():
                ratio = "" if name.startswith("MiB") else f"{value / unit:10.1f} × our fit"
                print(f"    {name:50}{value:10.3f}{ratio}", flush=True)


if __name__ == "__main__":
    main()
