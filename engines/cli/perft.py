"""`python -m engines perft`: counts turn sequences, to check a ruleset against another implementation."""

import argparse
import json
import sys
from collections.abc import Sequence
from itertools import pairwise
from math import gcd
from typing import Final

from engines.native import knows, native_position
from engines.rules.notation import Turn
from engines.rules.registry import UnknownRuleset, find
from engines.rules.ruleset import Position, Ruleset, SetupError

_SMALLEST: Final = 2
_DEEPEST: Final = 100


def perft(position: Position, depth: int) -> list[int]:
    """Return the numbers of distinct turn sequences of lengths 1 to `depth` from a position.

    A turn counts once, as a set of stones. A forced pass counts as a turn, but resignation does not, and a game
    that is over has no further sequences.
    """
    counts = [0] * depth
    _add((position,), 0, counts)
    return counts


def _add(positions: Sequence[Position], ply: int, counts: list[int]) -> None:
    """Count the continuations of one sequence of stone sets, which may lead to several positions.

    That happens if the first stone matters: the same stones remove different enemy stones if a different one is first.
    """
    turns = [(position, turn) for position in positions for turn in position.legal_turns()]
    if ply == len(counts) - 1:
        counts[ply] += len({as_set(turn) for _, turn in turns})
        return
    followers: dict[Turn, list[Position]] = {}
    for position, turn in turns:
        followers.setdefault(as_set(turn), []).append(position.after(turn))
    counts[ply] += len(followers)
    for after in followers.values():
        _add(after, ply + 1, counts)


def as_set(turn: Turn) -> Turn:
    """Return a key that is equal for all turns that place the same stones."""
    return tuple(sorted(turn))


def empty_board(ruleset: Ruleset, size: int) -> Position:
    """Return the ruleset's empty board, which may be smaller than the playable sizes. Raises SetupError."""
    # Keep the step between the playable sizes: a game for even boards may not work on odd ones.
    step = gcd(*(larger - smaller for smaller, larger in pairwise(ruleset.sizes))) or 1
    if size not in range(ruleset.sizes[0] % step or _SMALLEST, ruleset.sizes[0], step):
        ruleset.check_size(size)
    return ruleset.empty(size)


def main(argv: Sequence[str]) -> int:
    """Print the counts as one line of JSON. Returns 0, or 2 for a bad argument."""
    parser = argparse.ArgumentParser(
        prog="python -m engines perft",
        description="Count the distinct turn sequences of each length up to a depth, from the empty board. "
                    "A turn counts once, as a set of stones.",
        epilog="The counts and the time grow quickly: start with small boards. "
               "Sizes below the smallest playable board are also accepted.")
    parser.add_argument("ruleset", metavar="RULESET", help="ruleset slug, such as scware")
    parser.add_argument("--size", type=int, metavar="N", help="cells per side (default: the ruleset's default size)")
    parser.add_argument("--depth", type=int, default=2, metavar="D", help="maximum length in turns (default: 2)")
    parser.add_argument("--python", action="store_true",
                        help="count with the Python rules even if the native engine is installed")
    asked = parser.parse_args(argv)
    if not 1 <= asked.depth <= _DEEPEST:
        print(f"the depth must be between 1 and {_DEEPEST}, not {asked.depth}", file=sys.stderr)
        return 2
    try:
        ruleset = find(asked.ruleset)
        position = empty_board(ruleset, ruleset.default_size if asked.size is None else asked.size)
    except (UnknownRuleset, SetupError) as error:
        print(error, file=sys.stderr)
        return 2
    native = knows(ruleset.slug) and not asked.python
    counts = native_position(position).perft(asked.depth) if native else perft(position, asked.depth)
    print(json.dumps({"ruleset": ruleset.slug, "size": position.size, "counts": counts}))
    return 0
