"""Random tournaments for the tests."""

import random
from collections import Counter
from collections.abc import Sequence

from tournaments.pairing.bracket import NextStage, Played, Stage
from tournaments.pairing.swiss import SwissMatch, SwissRound, next_round

RESULTS = [(1.0, 0.0), (0.5, 0.5), (0.0, 1.0)]


def swiss(entrants: int, rounds: int, dice: random.Random) -> list[SwissRound]:
    """Play a Swiss to its end."""
    played: list[SwissRound] = []
    for _ in range(rounds):
        paired = next_round(entrants, rounds, played)
        matches = tuple(SwissMatch(*pair, dice.choice(RESULTS)) for pair in paired.pairs)
        played.append(SwissRound(matches, paired.bye))
    return played


def played(form, entrants: int, stages: Sequence[Stage], **options: bool) -> Played:
    """Return a knockout after these stages; `form` is the module that plans it."""
    return Played(form.plan(entrants, **options), stages)


def next_stage(form, entrants: int, stages: Sequence[Stage], **options: bool) -> NextStage | None:
    """Return the stage due after these stages."""
    return played(form, entrants, stages, **options).next_stage()


def elimination(form, entrants: int, dice: random.Random, **options: bool):
    """Play a knockout and return the stages as `form` asked for them, and their winners."""
    asked, winners = [], []
    while stage := next_stage(form, entrants, winners, **options):
        asked.append(stage)
        winners.append([dice.choice(pair) for pair in stage.ties])
    return asked, winners


def losses(asked, winners) -> Counter[int]:
    """Return the number of losses of each entrant."""
    return Counter(other if one in won else one for stage, won in zip(asked, winners, strict=True)
                   for one, other in stage.ties)


def ranks_with_shared_places(placings: Sequence[tuple[int, int]], entrants: int) -> bool:
    """Whether these placings rank all entrants, and each place follows the number of better ones."""
    sharing = Counter(place for place, _ in placings)
    return sorted(entrant for _, entrant in placings) == list(range(entrants)) and all(
        place == 1 + sum(count for better, count in sharing.items() if better < place) for place in sharing)


def balances(rounds: Sequence[Sequence[tuple[int, int]]]) -> Counter[int]:
    """Return, for each entrant, the number of times it moved first less the number of times it moved second."""
    count: Counter[int] = Counter()
    for pairs in rounds:
        for first, second in pairs:
            count[first] += 1
            count[second] -= 1
    return count
