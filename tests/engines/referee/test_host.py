"""Starvation, detected from the kernel's counters: with simulated files and on the real kernel."""

import os
import time
from dataclasses import replace

import pytest

from engines.records.record import verify
from engines.records.time_control import TimeControl
from engines.referee.host import HostStarved, StarvationMonitor
from engines.referee.play import play_game
from engines.rules.outcome import Forfeit
from engines.rules.registry import find
from tests.engines.referee.children import Child, Children, bot, crowd


class Machine:
    """A simulated /proc of two CPUs on which one bot runs: process 100 with the child 101."""

    def __init__(self, root):
        self.root = root
        self.stolen = self.busy = 0
        self.worked = 0.0
        self.tasks = {(100, 100): 0.0, (100, 102): 0.0, (101, 101): 0.0}
        self.nice, self.policy = os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0)
        self.pressure = 1000.0
        self.write()

    def write(self):
        ticks = os.sysconf("SC_CLK_TCK")
        fields = (int(self.busy * ticks), 0, 0, 0, 0, 0, 0, int(self.stolen * ticks), 999_999, 0)
        self._put("stat", f"cpu  {' '.join(map(str, fields))}\ncpu0 1 2 3\nintr 1 2 3\n")
        if self.pressure is not None:
            self._put("pressure/cpu", f"some avg10=0.00 avg60=0.67 avg300=12.86 total={int(self.pressure * 1e6)}\n"
                                      "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n")
        for (process, task), waited in self.tasks.items():
            place = f"{process}/task/{task}"
            self._put(f"{place}/schedstat", f"7 {int(waited * 1e9)} 17\n")
            self._put(f"{place}/stat", f"{task} (a ) name) R{' 7' * 15} {self.nice}{' 7' * 21} {self.policy} 7 7\n")
            children = {process for process, _ in self.tasks if process != 100} if task == 100 else ()
            self._put(f"{place}/children", " ".join(map(str, children)))

    def _put(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


@pytest.fixture
def verdict(machine, monkeypatch):
    """Return a function that judges ten seconds in which these counters changed.

    `unseen` is the CPU time of processes that started and ended between the readings.
    """
    def verdict(*, stolen=0.0, pressure=0.0, tasks=(), unseen=0.0, wall_is_charged=False):
        now = [50.0]
        monkeypatch.setattr("engines.referee.host.time.monotonic", lambda: now[0])
        watch = StarvationMonitor(100, lambda: machine.worked, machine.root)
        watch.begin()
        now[0] += 10
        machine.stolen += stolen
        machine.busy += 20 - stolen
        machine.worked += unseen
        if machine.pressure is not None:
            machine.pressure += pressure
        for task, work, wait in tasks:
            machine.worked += work
            machine.tasks[task] = machine.tasks.get(task, 0.0) + wait
        machine.write()
        return watch.verdict(wall_is_charged=wall_is_charged)
    return verdict


class TestAHost:
    def test_is_to_blame_if_the_bot_waited_half_of_the_time(self, verdict):
        assert verdict(pressure=6, tasks=[((100, 100), 1, 5)]) == (
            "in the last 10.00 s of its time the bot waited for a CPU for 5.00 s and worked for 1.00 s, "
            "and 0% of the host's CPU time was stolen")

    def test_is_to_blame_if_any_thread_or_child_waited(self, verdict):
        for task in ((100, 102), (101, 101)):
            assert verdict(pressure=6, tasks=[(task, 1, 5)])

    def test_is_to_blame_if_the_hypervisor_took_half_of_the_time(self, verdict):
        assert "50% of the host's CPU time was stolen" in verdict(stolen=10)

    def test_is_to_blame_if_both_together_reach_half(self, verdict):
        assert verdict(stolen=6, pressure=3, tasks=[((100, 100), 1, 2)])
        assert not verdict(stolen=6, pressure=3, tasks=[((100, 100), 1, 1.9)])

    def test_is_not_to_blame_for_a_bot_that_sleeps_on_a_busy_machine(self, verdict):
        assert not verdict(pressure=10)

    @pytest.mark.parametrize(("nice", "policy"), [(1, 0), (0, os.SCHED_IDLE)])
    def test_is_not_to_blame_for_a_bot_that_lowered_its_priority(self, machine, verdict, nice, policy):
        machine.nice += nice
        machine.policy = policy or machine.policy
        assert not verdict(pressure=10, tasks=[((100, 100), 0, 10)])

    def test_is_not_to_blame_if_the_pressure_contradicts_the_wait(self, verdict):
        assert not verdict(pressure=4.9, tasks=[((100, 100), 1, 5)])

    def test_is_not_to_blame_for_a_bot_whose_threads_compete(self, verdict):
        assert not verdict(pressure=10, tasks=[((100, 100), 3, 7), ((100, 102), 3, 7), ((101, 101), 3, 7)])

    @pytest.mark.parametrize("stolen", [0, 19.9])
    def test_is_not_to_blame_for_a_bot_that_worked_half_of_the_time(self, verdict, stolen):
        assert not verdict(stolen=stolen, pressure=10, tasks=[((100, 100), 5, 5)])

    @pytest.mark.parametrize(("stolen", "starved"), [(2, True), (1.9, False)])
    def test_is_to_blame_for_a_tenth_stolen_if_wall_time_is_charged(self, verdict, stolen, starved):
        assert bool(verdict(stolen=stolen, tasks=[((100, 100), 9, 0)], wall_is_charged=True)) is starved
        assert not verdict(stolen=stolen, tasks=[((100, 100), 9, 0)])

    def test_is_judged_without_pressure_if_the_kernel_reports_none(self, machine, verdict):
        (machine.root / "pressure" / "cpu").unlink()
        machine.pressure = None
        assert verdict(tasks=[((100, 100), 1, 5)])

    def test_is_not_judged_by_the_waits_of_threads_that_started_or_ended(self, machine, verdict):
        assert not verdict(pressure=9, tasks=[((101, 105), 1, 8)])
        (machine.root / "100" / "task" / "102" / "schedstat").unlink()
        assert verdict(pressure=9, tasks=[((100, 100), 1, 8)])

    def test_is_not_to_blame_for_a_bot_that_waits_for_its_own_short_lived_processes(self, verdict):
        assert verdict(pressure=10, tasks=[((100, 100), 1, 9)])
        assert not verdict(pressure=10, tasks=[((100, 100), 1, 9)], unseen=4)

    def test_is_not_to_blame_if_processes_came_and_went_whose_cpu_time_may_be_hidden(self, verdict):
        new = ((110, 110), 0, 1)
        assert verdict(pressure=10, tasks=[((100, 100), 1, 9)], wall_is_charged=True)
        assert not verdict(pressure=10, tasks=[((100, 100), 1, 9), new], wall_is_charged=True)
        assert verdict(stolen=2, pressure=10, tasks=[((111, 111), 1, 9)], wall_is_charged=True), "no bot steals time"

    def test_is_to_blame_if_the_referee_was_woken_late(self, machine):
        watch = StarvationMonitor(100, float, machine.root)
        assert "the referee was not woken" in watch.verdict(wall_is_charged=False)

    def test_can_be_judged_on_the_real_kernel(self):
        watch = StarvationMonitor(os.getpid(), time.process_time)
        watch.begin()
        assert os.getpid() in watch._half.processes()
        assert watch._half.ticked > 0


@pytest.mark.serial
class TestAStarvedGame:
    def play(self, children, genmove, *, metered, budget=0.05, excusable=lambda: True):
        players = tuple(replace(children.player(name, bot(genmove=genmove), metered=metered), excusable=excusable)
                        for name in ("ann", "bob"))
        return play_game(find("square-grid-hex"), 3, players, time_control=TimeControl(budget))

    @pytest.fixture
    def starved(self, children, monkeypatch):
        """Return players on a host that is to blame for every loss on time."""
        monkeypatch.setattr("tests.engines.conftest.CalmHost.reason", "the bot waited")
        return children

    @pytest.mark.parametrize("metered", [True, False])
    def test_has_no_result(self, starved, metered):
        with pytest.raises(HostStarved) as reason:
            self.play(starved, "time.sleep(60)", metered=metered)
        assert str(reason.value) == ("ann would have lost on time, but the bot waited "
                                     f"(self.begun=True, wall_is_charged={not metered})")
        assert reason.value.seat == 0
        assert starved.running() == []

    def test_is_lost_by_a_bot_excused_too_often(self, starved):
        record = self.play(starved, "time.sleep(60)", metered=False, excusable=lambda: False)
        assert (record.fault.seat, record.fault.kind) == (0, Forfeit.TIME)
        assert record.fault.message.endswith("a busy host has already excused this bot too often today")

    def test_is_lost_by_a_bot_that_burned_its_time(self, starved):
        began = time.monotonic()
        record = self.play(starved, "time.sleep(60)", metered=lambda: (time.monotonic() - began) / 8, budget=0.01)
        assert record.fault.kind is Forfeit.TIME
        assert record.fault.seconds >= 0.01

    def test_is_lost_on_a_host_that_is_not_to_blame(self, children):
        record = self.play(children, "time.sleep(60)", metered=False)
        assert record.fault.kind is Forfeit.TIME
        verify(record)


class TestABotThatIsKilled:
    """A bot that is killed by SIGKILL. Only the kernel's counters tell who did it: the bot could do so itself."""

    def play(self, children, **options):
        players = [children.player(name, bot(genmove="os.kill(os.getpid(), 9)"), **options) for name in ("ann", "bob")]
        return play_game(find("square-grid-hex"), 3, players, time_control=TimeControl(5.0))

    def test_loses_unless_the_host_had_no_memory(self, children, monkeypatch):
        assert self.play(children).fault.message == "it was killed by SIGKILL before it answered"
        monkeypatch.setattr(Child, "host_killed", True)
        with pytest.raises(HostStarved) as reason:
            self.play(children)
        assert str(reason.value) == ("ann would have lost by crash, but the host ran out of memory and killed one of "
                                     "its processes")
        assert reason.value.seat == 0


# Joins the busy processes on the first of their CPUs, and works until stopped.
_CROWDED = """
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        while True: pass
"""


@pytest.mark.realtime
@pytest.mark.slow
class TestAGameInACrowd:
    def test_has_no_result(self):
        children = Children()
        players = [children.player(name, bot(genmove=_CROWDED), metered=True) for name in ("ann", "bob")]
        with crowd({min(os.sched_getaffinity(0))}), pytest.raises(HostStarved, match="ann would have lost on time, bu"):
            play_game(find("square-grid-hex"), 3, players, time_control=TimeControl(0.5))
        assert children.running() == []
