"""Swiss rounds compared with those of other programs, one of them endorsed by FIDE."""

import json
from functools import cache
from pathlib import Path

import pytest

from tests.effort import ALL
from tests.tournaments.pairing import trf
from tournaments.pairing.swiss import SwissMatch, SwissPairings, SwissRound, next_round

DATA = Path(__file__).parents[2] / "data" / "pairing"


@cache
def tournaments() -> list[dict]:
    """The stored tournaments, by the number of entrants."""
    return sorted(map(json.loads, (DATA / "swiss.jsonl").read_text().splitlines()), key=lambda each: each["entrants"])


def rounds_of(tournament: dict) -> list[SwissRound]:
    return [SwissRound(tuple(SwissMatch(white, black, (score, 1 - score)) for white, black, score in row["matches"]),
                       row["bye"]) for row in tournament["history"]]


class TestNextRound:
    def test_pairs_as_bbp_pairings_does(self):
        wrong = []
        for index, tournament in enumerate(tournaments()[:None if ALL else 11]):
            rounds = rounds_of(tournament)
            for number, row in enumerate(tournament["history"]):
                paired = next_round(tournament["entrants"], tournament["rounds"], rounds[:number], row["absent"])
                if trf.as_set(paired) != trf.as_set(rounds[number]):
                    wrong.append(f"tournament {index}, round {number + 1}")
        assert wrong == []

    @pytest.mark.parametrize("name", ["bbp-20-7", pytest.param("bbp-40-9", marks=[pytest.mark.thorough,
                                                                                  pytest.mark.slow])])
    def test_pairs_tournaments_with_forfeits_as_bbp_pairings_did(self, name):
        players = trf.read(DATA / f"{name}.trf")
        rounds = trf.history(players)
        for number, round_ in enumerate(rounds):
            paired = next_round(len(players), len(rounds), rounds[:number], trf.absent(players, number))
            assert trf.as_set(paired) == trf.as_set(round_), f"round {number + 1}"

    def test_pairs_the_example_for_the_score_of_the_bye(self):
        # bbpPairings, test/tests/dutch_2025_C5: of 1 to 6, number 4 is absent in round 3.
        played = [SwissRound((SwissMatch(0, 3, (1, 0)), SwissMatch(4, 1, (0, 1)), SwissMatch(2, 5, (1, 0)))),
                  SwissRound((SwissMatch(1, 0, (0, 1)), SwissMatch(3, 2, (0, 1)), SwissMatch(5, 4, (0, 1))))]
        assert next_round(6, 3, played, {3}) == SwissPairings([(0, 4), (2, 1)], 5)

    def test_pairs_the_example_for_an_earlier_absence(self):
        # bbpPairings, test/tests/dutch_2025_C9: number 5 was absent in round 1, so another has the bye of round 2.
        played = [SwissRound((SwissMatch(0, 2, (1, 0)), SwissMatch(3, 1, (0, 1))))]
        assert next_round(5, 3, played) == SwissPairings([(1, 0), (2, 4)], 3)


class TestPy4Swiss:
    """Another program, with the rules in force until 31 January 2026."""

    def test_agrees_wherever_the_rules_have_not_changed(self, tmp_path):
        for tournament in tournaments()[:20:2 if ALL else 5]:
            rounds, facts = rounds_of(tournament), (tournament["entrants"], tournament["rounds"])
            for number, row in enumerate(tournament["history"]):
                theirs = trf.paired_by_py4swiss(trf.write(*facts, rounds[:number], {*row["absent"]}), tmp_path)
                ours = trf.as_set(next_round(*facts, rounds[:number], row["absent"]))
                assert (ours == theirs) == row["older_rules"], f"round {number + 1}"

    def test_rarely_differs(self):
        same = [row["older_rules"] for tournament in tournaments() for row in tournament["history"]]
        assert len(same) > 200
        assert same.count(False) <= 0.03 * len(same)
