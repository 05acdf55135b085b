"""Selection of one candidate out of several, before the test of a trial. Pure.

In each turn, every candidate plays a pair of games against the current version, from the same opening. After the turn,
a candidate is out if the leader's log-likelihood ratio is higher by the lead that is allowed then, or if its own ratio
has fallen to the test's lower bound. The allowed lead shrinks with every turn and is 0 after the last. The candidate
that is left plays the test of a single candidate, on new games, so the number of candidates does not change the risks
of the test.

Source: E. Paulson, "A sequential procedure for selecting the population with the largest mean from k normal
populations", *Annals of Mathematical Statistics* 35, 1964, 174–180 (elimination at a linearly shrinking distance). Our
distance is shorter than Paulson's, which promises to find the best: `tests/bench/ratings/candidates.py` measures how
often the best candidate is selected, and how many games this takes.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ratings.sprt import Bounds

MOST_CANDIDATES: Final = 8
# Lead in log-likelihood ratio that puts the others out at the start, and the information after which it is 0.
FIRST_LEAD: Final = 2.0
LAST_INFORMATION: Final = 4.0


@dataclass(frozen=True, slots=True)
class Selection:
    """The state after a turn: the leader, and the candidates that are now out: behind the leader, or at the bound."""

    leader: int
    behind: list[int]
    failed: list[int]


def allowed_lead(turns: int, bounds: Bounds) -> float:
    """Return the lead that puts the others out after this number of turns."""
    return max(0.0, FIRST_LEAD * (1.0 - turns * bounds.information / LAST_INFORMATION))


def most_turns(bounds: Bounds) -> int:
    """Return the number of turns after which one candidate is left."""
    return math.ceil(LAST_INFORMATION / bounds.information)


def select(ratios: Mapping[int, float], turns: int, bounds: Bounds) -> Selection:
    """Return the state after this number of turns, from the ratio of each candidate that is still in.

    Of equal candidates, the first one leads. If all have failed, the leader has failed, too.
    """
    leader = max(ratios, key=lambda each: ratios[each])
    lead = allowed_lead(turns, bounds)
    failed = [each for each, ratio in ratios.items() if ratio <= bounds.lower]
    behind = [each for each, ratio in ratios.items()
              if each != leader and each not in failed and ratios[leader] - ratio >= lead]
    return Selection(leader, behind, failed)
