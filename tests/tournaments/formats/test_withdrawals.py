"""Matches that an entrant of a round-robin missed, under the regulation that annuls (FIDE C.06, article 5.4)."""

from datetime import UTC, datetime, timedelta

import pytest

from tournaments.formats.bundled import Bundled, Mismatch
from tournaments.formats.history import ANNUL, History, Missed
from tournaments.formats.registry import find
from tournaments.scoring.standings import Counts, Tally

EARLY = datetime(2026, 11, 12, 14, 0, tzinfo=UTC)
LATE = EARLY + timedelta(hours=1)


def points(won: list[tuple[int, int]], left: dict[int, datetime],
           cancelled: list[tuple[int, int, datetime]]) -> list[float | None]:
    """The points of five entrants, None if annulled; the first of each `won` pair wins both games."""
    history = History(5, 1, left=frozenset(left), withdrawals=ANNUL,
                      missed=[Missed.of(*match, left) for match in cancelled])
    rows = find("round-robin").standings(range(5), Counts.of(Tally(*pair, 0, 2) for pair in won), ("wins",), history)
    return [None if row.annulled else row.points for row in sorted(rows, key=lambda row: row.entrant)]


class TestAnEntrantThatLeft:
    """Entrant 4 leaves. Each pair plays one match of two games."""

    def test_gives_a_win_only_for_what_was_still_to_be_played(self):
        # Its match against 2 was void before.
        assert points([(0, 4), (1, 4)], {4: EARLY}, [(3, 4, EARLY)]) == [2, 2, 0, 2, 0]

    def test_is_annulled_if_it_misses_more_than_it_has_played(self):
        # Its match against 3 was void: it played one match of three.
        assert points([(4, 0)], {4: EARLY}, [(1, 4, EARLY), (4, 2, EARLY)]) == [0, 0, 0, 0, None]
        assert points([(4, 0)], {4: EARLY}, [(1, 4, EARLY)]) == [0, 2, 0, 0, 2]

    def test_leaves_an_opponent_its_wins_if_that_leaves_later(self):
        won = [(0, 4), (1, 4), (3, 0), (3, 1)]
        missed = [(2, 4, EARLY), (3, 4, EARLY)]
        assert points(won, {4: EARLY}, missed) == [2, 2, 2, 6, 0]
        assert points(won, {4: EARLY, 3: LATE}, [*missed, (3, 2, LATE)]) == [2, 2, 4, 6, 0]

    def test_wins_nothing_against_one_that_left_at_the_same_moment(self):
        won = [(0, 4), (1, 4), (3, 0), (3, 1)]
        assert points(won, {4: EARLY, 3: EARLY}, [(2, 4, EARLY), (3, 4, EARLY), (2, 3, EARLY)]) == [2, 2, 4, 4, 0]


class TestTheMissedMatchesOfABundle:
    @pytest.mark.parametrize("missed", [[["a", "b", EARLY]], [["a", "c", EARLY]] * 2])
    def test_need_an_entrant_that_had_left_and_are_at_most_the_cycles(self, missed):
        event = {"event": {"cycles": 1}, "missed": [[*match[:2], match[2].isoformat()] for match in missed],
                 "entries": [{"bot": bot, "left_at": EARLY.isoformat() if bot == "c" else None} for bot in "abc"]}
        with pytest.raises(Mismatch, match="each match needs an entrant that had left"):
            _ = Bundled(event, []).missed
