"""Turns of ladders: how the matches that bots have room for are shared among the ladders on which they play."""

import math
from collections import Counter
from collections.abc import Callable, Mapping


def share_out(room: int, missing: Mapping[str, int], ladders: Mapping[int, str],
              fill: Callable[[int, int], int]) -> int:
    """Create up to `room` matches, at most `missing` of each ruleset. Return how many.

    `ladders` has the ruleset of each ladder, by ID; the ladder that was longest without a match is the first. All get
    equal shares, and the first ones get what remains. `fill(ladder, count)` creates up to `count` matches and returns
    how many it created; the other ladders take what one cannot use.
    """
    left, made, able = Counter(missing), 0, dict(ladders)
    while able and made < room:
        of_all = math.ceil((room - made) / len(able))
        of_ruleset = {ruleset: math.ceil(left[ruleset] / count) for ruleset, count in Counter(able.values()).items()}
        for ladder, ruleset in list(able.items()):
            wanted = min(of_all, room - made, of_ruleset[ruleset], left[ruleset])
            got = fill(ladder, wanted) if wanted > 0 else 0
            made += got
            left[ruleset] -= got
            if not got or got < wanted:
                del able[ladder]
    return made
