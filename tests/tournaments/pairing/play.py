"""Random tournaments for the tests."""

import random
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


def losses(asked, winners) -> dict[int, int]:
    """Return the number of losses of each entrant."""
    lost: dict[int, int] = {}
    for stage, won in zip(asked, winners, strict=True):
        for one, other in stage.ties:
            loser = other if one in won else one
            lost[loser] = lost.get(loser, 0) + 1
    return lost
