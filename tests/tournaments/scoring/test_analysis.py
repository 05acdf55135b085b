"""Verdicts as untrusted data, and turning points."""

import pytest

from engines.view import View
from tournaments.scoring.analysis import MOST_POINTS, TurningPoint, Verdict, first_seats, turning_points, verdicts_from


class TestAVerdict:
    def test_survives_storage(self):
        for verdict in (Verdict("a1,b2", View(0.25, 3, 900, ("a1", "b2"))), Verdict("c3"), Verdict(reason="time")):
            assert Verdict.from_json(verdict.to_json()) == verdict

    def test_is_missing_or_without_a_view_if_malformed(self):
        for data in (None, [], "a1", 7, {"turn": 3}, {"turn": "<b>"}, {"turn": "a1\n"}, {"turn": ["a1"]},
                     {"reason": "<script>"}, {"turn": "", "view": "view win 0.5"}, {"turn": "a1" * 9000}):
            assert Verdict.from_json(data) == Verdict(), data
        for view in ("view win 2", "view win nan", "view pv <img>", {"win": 1}, None, "view"):
            assert Verdict.from_json({"turn": "a1", "view": view}) == Verdict("a1"), view
        for data in (None, {}, "x", [None, {}, [[]], [{"turn": 1}]]):
            assert all(verdict == Verdict() for row in verdicts_from(data, 2) for verdict in row), data


class TestATurningPoint:
    def test_is_a_fall_of_the_movers_own_chance(self):
        seats = [0, 1, 0, 1]
        verdicts = [Verdict("a1", View(win)) for win in (0.6, 0.45, 0.9, 0.75)]
        chances = first_seats(verdicts, seats)
        assert chances == pytest.approx([0.6, 0.55, 0.9, 0.25])
        # Turn 2 was the second seat's, whose chance fell from 45 to 10 %; turn 3 the first's, from 90 to 25 %. The
        # game was drawn, so turn 4 cost the second seat 25 %.
        points = turning_points([*chances, 0.5], seats)
        assert [(point.turn, point.seat) for point in points] == [(2, 1), (3, 0), (4, 1)]
        assert points[1] == TurningPoint(3, 0, pytest.approx(0.9), pytest.approx(0.25))

    def test_needs_a_chance_on_both_sides(self):
        assert turning_points([0.9, None, 0.1, 0.1], [0, 1, 0], first=5) == []

    def test_is_one_of_the_largest(self):
        falls = [0.9, 0.1] * 20
        points = turning_points(falls, [0] * len(falls))
        assert len(points) == MOST_POINTS
        assert points == sorted(points)
