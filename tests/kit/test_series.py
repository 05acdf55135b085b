"""The counts of a series, and when its test ends it."""

from dataclasses import replace
from functools import cache
from random import Random

import pytest

from engines.records.record import EndedBy, GameRecord, Result
from engines.rules.openings import openings
from engines.rules.outcome import Ending
from engines.rules.registry import find
from ratings.sprt import Bounds
from tests.factories import random_record
from tournaments.kit.pool import Job
from tournaments.kit.series import Standing, schedule
from tournaments.scoring.repeats import REPEATS_IN_ROW

HEX = find("square-grid-hex")
SIZE = 5
NAMES = ("ann", "bob")


@cache
def game(opening: tuple[str, ...], seed: str) -> GameRecord:
    """Return the game that the seed produces from the opening."""
    return random_record(HEX.slug, SIZE, NAMES, Random(seed).getrandbits(32), opening=opening)


def series(seed: int, games: int, bounds: Bounds | None = None, *, chance: bool = False) -> Standing:
    """Play a series of two equal bots, deterministic unless `chance`, until it ends; return its standing."""
    standing = Standing(NAMES, bounds)
    for job in schedule(HEX, SIZE, games, seed):
        if standing.over:
            break
        lot = f"{seed} {job.number if chance else job.first} {job.opening}"
        standing.add(job, game(job.opening, lot))
    return standing


class TestPairsOfEqualDeterministicBots:
    @pytest.mark.parametrize("seed", range(3))
    def test_are_not_declared_unequal(self, seed):
        standing = series(seed, 2000, Bounds(0, 30))
        distinct = len(openings(HEX, SIZE))
        assert standing.state == "no new games"
        assert (sum(standing.pentanomial), standing.pairs) == (distinct, distinct + REPEATS_IN_ROW)
        assert f"{distinct} of {distinct + REPEATS_IN_ROW} pairs of games distinct" in "\n".join(standing.summary())


class TestStanding:
    def test_counts_every_pair_that_differs(self):
        standing = series(1, 200, chance=True)
        assert (standing.pairs, sum(standing.pentanomial), standing.tally.games) == (100, 100, 200)
        assert "100 of 100 pairs of games distinct" in standing.summary()

    def test_counts_pairs_in_order_of_their_numbers(self):
        jobs = list(schedule(HEX, SIZE, 40, 8))
        forwards, backwards = Standing(NAMES), Standing(NAMES)
        for standing, order in ((forwards, jobs), (backwards, reversed(jobs))):
            for job in order:
                standing.add(job, game(job.opening, f"{job.number}"))
        assert forwards.pentanomial == backwards.pentanomial
        assert forwards.summary() == backwards.summary()

    def test_counts_an_unpaired_game_in_the_score_and_says_that_it_is_not_in_the_test(self):
        standing = Standing(NAMES)
        for number, winner in enumerate((0, None, 0), 1):
            result = Result(winner, EndedBy.RULE, Ending.CONNECTION)
            standing.add(Job(number, number == 2, (), 1), replace(game((), "1"), result=result))
        assert standing.summary()[1:] == [
            "2 won, 1 drawn, 0 lost: score 83.3 %",
            "Elo difference +191, 95 % interval -688 to +881 (score 1.9 to 99.4 %)", "1 of 1 pair of games distinct",
            "1 game outside complete pairs: not counted in the Elo difference"]
        assert standing.line().startswith("2–1–0: score 83.3 %  Elo +191 ")

    def test_ignores_half_a_pair(self):
        standing = Standing(NAMES, Bounds(0, 30))
        standing.add(Job(1, 0, (), 1), game((), "1"))
        assert standing.summary()[2] == "no pair of games is complete, so the Elo difference cannot be estimated"
        assert "undecided, LLR +0.00" in standing.summary()[3]
