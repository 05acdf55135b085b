"""Byes for fewer points, which a Swiss of an earlier release has, in its tie-breaks and in its FIDE report."""

from tournaments.formats.history import History, RoundSoFar, Tie
from tournaments.formats.registry import find
from tournaments.formats.swiss.reporting import trf
from tournaments.pairing.trf import Player
from tournaments.scoring.standings import Counts, Tally

TIE_BREAKS = ("buchholz-cut-1", "buchholz", "sonneborn-berger")


def played(number: int, *won: tuple[int, int], bye: int | None = None, rests: dict[int, float] | None = None,
           ) -> RoundSoFar:
    """A round in which the first of each pair won both games."""
    return RoundSoFar(number, [Tie(*pair, points=[2.0, 0.0], matches=1, played=1) for pair in won],
                      frozenset() if bye is None else frozenset({bye}), rests or {})


def rows(history: History) -> dict[int, tuple[float, ...]]:
    counts = Counts.of(Tally(tie.first, tie.second, 0, 2) for tie in history.ties)
    return {row.entrant: (row.points, *row.tie_breaks)
            for row in find("swiss").standings(range(5), counts, TIE_BREAKS, history)}


FIRST = (played(1, (0, 1), (2, 3), bye=4), played(2, (0, 2), (3, 4), bye=1))


class TestARequestedBye:
    def test_in_the_last_round_counts_as_an_absence_for_the_opponents(self):
        """C.07, 16.2.5 and 16.3.2: entrant 3 has 1 point, but 1½ in the sums of 2 and 4."""
        rested = rows(History(5, 1, 3, rounds=(*FIRST, played(3, (0, 4), (1, 2), rests={3: 0.0}))))
        assert rested == rows(History(5, 1, 3, left=frozenset({3}), rounds=(*FIRST, played(3, (0, 4), (1, 2)))))
        assert rested[3][0] == 1
        # The sum of 2: 3 of entrant 0, 2 of entrant 1, 1½ of entrant 3. It beat only entrant 3.
        assert rested[2] == (1.0, 5.0, 6.5, 1.5)

    def test_before_a_round_for_which_the_entrant_was_there_keeps_its_points(self):
        rounds = played(1, (0, 1), (2, 4), rests={3: 0.0}), played(2, (0, 2), (3, 4), bye=1)
        assert rows(History(5, 1, 2, rounds=rounds))[4][2] == 2.0


class TestTheReport:
    def lines(self, history: History) -> list[str]:
        return trf("Cup", find("swiss"), history, [Player(name, None, 1) for name in "abcde"], {}).splitlines()

    def test_has_the_points_of_a_requested_bye(self):
        history = History(5, 1, 5, left=frozenset({4}), rounds=(*FIRST, played(3, (0, 4), (1, 2), rests={3: 0.5})))
        by_name = {line[14]: (line[80:84], line.split("  ")[-1].strip()) for line in self.lines(history)[1:6]}
        assert by_name["d"] == (" 1.5", "0000 - H")
        assert by_name["e"] == (" 1.0", "0000 - Z")

    def test_of_an_event_that_ended_early_has_the_number_of_rounds_that_were_played(self):
        assert "XXR 2" in self.lines(History(5, 1, 5, rounds=FIRST, over=True))
        assert "XXR 5" in self.lines(History(5, 1, 5, rounds=FIRST))
