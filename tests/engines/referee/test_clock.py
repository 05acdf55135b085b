import pytest

from engines.records.time_control import GRACE, Clock, ClockKind, TimeControl, TimeControlError
from engines.referee.clock import Deadline, HandshakeDeadline, TurnTimer


@pytest.fixture
def now(monkeypatch):
    """Return the wall-clock time in a list, which a test may change."""
    now = [50.0]
    monkeypatch.setattr("engines.referee.clock.time.monotonic", lambda: now[0])
    return now


class TestTimeControl:
    def test_is_parsed_from_base_and_increment(self):
        parsed = {text: TimeControl.parse(text) for text in ("5+0.1", "60", "0.25+0", "1.+.5", "86400+3600")}
        assert {text: (control.base, control.increment) for text, control in parsed.items()} == {
            "5+0.1": (5, 0.1), "60": (60, 0), "0.25+0": (0.25, 0), "1.+.5": (1, 0.5), "86400+3600": (86400, 3600)}

    def test_is_formatted_so_that_it_parses_back(self):
        for base, increment, text in ((5, 0.1, "5+0.1"), (60.0, 0.0, "60+0"), (0.05, 0.005, "0.05+0.005"),
                                      (600.125, 10, "600.125+10")):
            assert str(TimeControl(base, increment)) == text
            assert TimeControl.parse(text) == TimeControl(base, increment)

    def test_may_be_a_fixed_time_per_turn(self):
        assert TimeControl.parse("0.5/turn") == TimeControl(per_turn=0.5)
        assert str(TimeControl(per_turn=0.5)) == "0.5/turn"

    def test_is_either_kind_but_not_both_and_of_possible_times(self):
        wrong = [{"base": base} for base in (float("nan"), float("inf"), 0, -1, 1 / 3)]
        for facts in ({"base": 1, "per_turn": 1}, {"increment": 1, "per_turn": 1}, {"per_turn": -1}, {"per_turn": 3601},
                      {"per_turn": 0.0001}, {}, *wrong):
            with pytest.raises(TimeControlError):
                TimeControl(**facts)

    def test_refuses_invalid_text(self):
        for text in ("/turn", "0/turn", "5+1/turn", "5/turn+1", "5/TURN", "3601/turn", "-1/turn", "1/turn/turn", "",
                     "+", "5+", "+5", "5+0.1+1", "5 + 1", "1_0", "nan", "inf+1", "-5", "5+-1", "1e3", "٥", "1.2.3", ".",
                     "0+1", "0", "86401", "5+3601", "0.0001", "9" * 500):
            with pytest.raises(TimeControlError):
                TimeControl.parse(text)


class TestClock:
    def test_adds_the_increment_after_the_turn(self):
        clock = Clock(TimeControl(10, 2), ClockKind.CPU)
        assert clock.charge(3) == 9
        assert clock.charge(0.5) == 10.5
        assert not clock.flagged

    def test_does_not_lend_the_increment_to_the_turn_that_earns_it(self):
        clock = Clock(TimeControl(1, 10), ClockKind.CPU)
        assert clock.charge(2) == 0
        assert clock.flagged

    def test_saves_nothing_of_a_fixed_time_per_turn(self):
        clock = Clock(TimeControl(per_turn=2), ClockKind.CPU)
        assert clock.charge(0.5) == 2
        clock.charge(2 + GRACE[ClockKind.CPU] + 0.001)
        assert (clock.flagged, clock.remaining) == (True, 0)

    def test_deducts_an_overrun_within_the_grace_from_the_next_turn(self):
        clock = Clock(TimeControl(per_turn=0.1), ClockKind.CPU)
        assert clock.charge(0.13) == pytest.approx(0.07)
        assert clock.charge(0.05) == 0.1
        assert not clock.flagged

    def test_shows_nothing_while_a_seat_owes_more_than_its_turns_bring(self):
        clock = Clock(TimeControl(1, 0.01), ClockKind.CPU)
        assert clock.charge(1.03) == 0
        assert clock.balance == pytest.approx(-0.02)
        assert clock.charge(0) == 0
        assert clock.charge(0) == pytest.approx(0)
        assert clock.charge(0) == pytest.approx(0.01)

    @pytest.mark.parametrize(("control", "seconds", "turns"), [
        (TimeControl(per_turn=0.02), 0.06, 2),
        (TimeControl(per_turn=0.02), 0.04, 3),
        (TimeControl(0.05), 0.045, 3),
        (TimeControl(0.02, 0.02), 0.05, 2),
    ])
    def test_grants_the_grace_only_once_to_a_bot_that_relies_on_it(self, control, seconds, turns):
        clock = Clock(control, ClockKind.CPU)
        for _ in range(turns):
            assert not clock.flagged
            clock.charge(seconds)
        assert clock.flagged

    def test_tolerates_noise_of_a_bot_that_obeys_the_clock(self):
        clock = Clock(TimeControl(per_turn=0.02), ClockKind.CPU)
        for turn in range(500):
            clock.charge(0.99 * clock.remaining + (0.013 if turn % 5 == 0 else 0))
            assert not clock.flagged

    def test_has_a_longer_grace_if_only_wall_time_is_measured(self):
        clock = Clock(TimeControl(1, 0), ClockKind.WALL)
        clock.charge(1 + GRACE[ClockKind.CPU] * 2)
        assert not clock.flagged


class TestTurnTimer:
    def test_of_wall_time_allows_budget_and_grace(self, now):
        timer = TurnTimer(0.0, ClockKind.WALL, lambda: None)
        assert timer.wait() == GRACE[ClockKind.WALL]
        now[0] += GRACE[ClockKind.WALL]
        assert timer.wait() <= 0
        assert timer.charged() == GRACE[ClockKind.WALL]

    def test_of_cpu_time_charges_work_but_not_waiting(self, now):
        used = [3.0]
        timer = TurnTimer(1.0, ClockKind.CPU, lambda: used[0])
        now[0] += 0.25
        used[0] += 0.125
        assert (timer.wall(), timer.charged()) == (0.25, 0.125)

    def test_of_cpu_time_ends_when_it_is_used_up_in_any_wall_time(self):
        meter = iter([10.0, 11.2])
        assert TurnTimer(1.0, ClockKind.CPU, lambda: next(meter)).wait() <= 0

    def test_of_cpu_time_rechecks_when_the_rest_could_be_used_up(self):
        meter = iter([10.0, 10.8])
        assert TurnTimer(1.0, ClockKind.CPU, lambda: next(meter)).wait() == pytest.approx(0.2 + GRACE[ClockKind.CPU])

    @pytest.mark.parametrize(("budget", "cap"), [(5.0, 20.0), (0.1, 1.1), (0.0, 1.0)])
    def test_of_cpu_time_caps_the_wall_time_of_silent_bots(self, now, budget, cap):
        timer = TurnTimer(budget, ClockKind.CPU, lambda: 0.0)
        now[0] += cap - 0.01
        assert timer.wait() == pytest.approx(0.01)
        now[0] += 0.02
        assert timer.wait() <= 0

    def test_distinguishes_exceeded_cpu_time_from_exceeded_wall_time(self):
        worked = iter([0.0, 1.1, 1.1])
        assert TurnTimer(1.0, ClockKind.CPU, lambda: next(worked)).overspent()
        assert not TurnTimer(0.0, ClockKind.CPU, lambda: 0.0).overspent()
        assert not TurnTimer(-1.0, ClockKind.WALL, lambda: None).overspent()

    def test_calls_back_once_at_half_of_the_wall_time(self, now):
        calls = []
        timer = TurnTimer(0.0, ClockKind.WALL, lambda: None, lambda: calls.append(timer.wall()))
        half = GRACE[ClockKind.WALL] / 2
        assert timer.wait() == pytest.approx(half)
        assert calls == []
        now[0] += half
        assert timer.wait() == pytest.approx(half)
        timer.wait()
        assert calls == [pytest.approx(half)]

    def test_describes_the_time_left_and_used(self):
        assert TurnTimer(5, ClockKind.CPU, lambda: 0.0).spent().startswith("5 s were left, 0 s of CPU time, 0")
        assert "CPU" not in TurnTimer(5, ClockKind.WALL, lambda: None).spent()
        assert TurnTimer(-0.03, ClockKind.CPU, lambda: 0.0).spent().startswith("0 s were left and 0.03 s owed, 0 s of")

    def test_allows_a_seat_in_debt_only_the_rest_of_the_grace(self):
        meter = iter([10.0, 10.021])
        assert TurnTimer(-0.03, ClockKind.CPU, lambda: next(meter)).wait() <= 0

    def test_blames_the_host_if_the_cpu_clock_stops(self):
        meter = iter([1.0, None])
        timer = TurnTimer(1.0, ClockKind.CPU, lambda: next(meter))
        with pytest.raises(RuntimeError, match="stopped metering"):
            timer.charged()


class TestTheDeadlineOfTheHandshake:
    def test_is_limited_by_wall_time_and_cpu_time(self):
        used = iter([0.0, 4.0, 5.0])
        deadline = HandshakeDeadline(10, 5, lambda: next(used))
        assert deadline.wait() == 5
        assert deadline.wait() == 1
        assert deadline.wait() == 0

    def test_blames_the_bot_only_for_cpu_time(self, now):
        assert HandshakeDeadline(10, 5, lambda: 5.0).overspent()
        deadline = HandshakeDeadline(0.001, 5, lambda: 4.9)
        now[0] += 1
        assert deadline.wait() <= 0
        assert not deadline.overspent()


class TestDeadline:
    def test_expires(self, now):
        deadline = Deadline(0.25)
        assert deadline.wait() == 0.25
        now[0] += 0.25
        assert deadline.wait() <= 0
        assert (deadline.wall(), deadline.charged(), deadline.overspent()) == (0.25, 0.0, False)
