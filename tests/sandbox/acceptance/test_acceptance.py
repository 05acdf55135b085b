"""Every row of the list in a refereed game in this machine's real sandbox, with an honest match running alongside."""

import os
import socket
from contextlib import closing

import pytest

from engines.records.record import EndedBy, Result, verify
from engines.records.time_control import TimeControl
from engines.referee.host import HostStarved
from engines.sandbox import Limits, Tier
from tests.bench.bots import honest_clock
from tests.sandbox.acceptance import checks
from tests.sandbox.acceptance.arena import meet, note
from tests.sandbox.acceptance.rows import AWKWARD, HOSTILE
from tests.settings import SCRATCH

# An attempt spoiled by the host is repeated, as in the service.
ATTEMPTS = 10
pytestmark = [pytest.mark.serial, pytest.mark.slow]


@pytest.fixture
def places(opened):
    """Return the places that the bots look for on this machine; each exists."""
    name = f"squarefield-acceptance-{os.getpid()}"
    with closing(socket.socket(socket.AF_UNIX)) as listener:
        listener.bind(f"\0{name}")
        listener.listen()
        yield {"builds": opened.runtime.root / "builds", "project": checks.ROOT, "database": SCRATCH,
               "referee": os.getpid(), "socket": name}


@pytest.fixture
def play(opened, workshop, places, monkeypatch):
    """Return a function that plays a row and checks its verdict and reports."""
    def play(row):
        if opened.tier is Tier.REDUCED and row.reduced:
            pytest.skip(f"needs cgroups: the reduced tier cannot contain {row.name} ({row.reduced})")
        monkeypatch.setenv("DATABASE_URL", checks.SECRET)
        bot = workshop.build(row.bot, [word.format(**places) for word in row.arguments])
        meeting = meet_with_retries(opened, bot, workshop.build(row.opponent), row)
        verify(meeting.record)
        judge(row, meeting)
        allowed = {what.format(**places): errors for what, errors in row.reports.items()}
        assert {what: meeting.reports.get(what) in errors for what, errors in allowed.items()} == dict.fromkeys(
            allowed, True), meeting.reports
        if row.check is not None:
            row.check(meeting)
    return play


def cases(rows):
    """Return the rows as parameters of a test."""
    return [pytest.param(row, id=row.name, marks=[pytest.mark.cgroup2] if row.cgroup else []) for row in rows]


def meet_with_retries(sandbox, bot, opponent, row):
    for _ in range(ATTEMPTS):
        try:
            return meet(sandbox, bot, opponent, seat=row.seat, control=row.control, ponder=row.ponder,
                        limits=Limits(handshake_seconds=row.handshake, handshake_cpu_seconds=row.handshake_cpu))
        except HostStarved as reason:
            note(str(reason))
    if sandbox.tier is Tier.REDUCED:
        pytest.skip(f"needs cgroups: the reduced tier cannot contain {row.name} while the host is so busy "
                    "(wall time is charged)")
    return pytest.fail(f"the host was starved {ATTEMPTS} times")


def judge(row, meeting):
    record, forfeits = meeting.record, row.expected(meeting.tier)
    note(f"{record.result.reason}: {record.fault or 'no fault'}")
    if not forfeits:
        assert record.fault is None
        assert record.result.ended_by is EndedBy.RULE
        return
    assert record.fault is not None
    assert record.fault.kind in forfeits
    assert record.result == Result(1 - row.seat, EndedBy.CONDUCT, record.fault.kind)
    assert row.says in record.fault.message
    meeting.bot.await_death()


@pytest.mark.usefixtures("undisturbed")
class TestAHostileBot:
    @pytest.mark.parametrize("row", cases(HOSTILE))
    def test_gets_the_listed_verdict(self, play, row):
        play(row)


@pytest.mark.usefixtures("undisturbed")
class TestAnHonestButAwkwardBot:
    @pytest.mark.parametrize("row", cases(AWKWARD))
    def test_gets_the_listed_verdict(self, play, row):
        play(row)


@pytest.mark.realtime
class TestABotThatUses99PercentOfItsTime:
    """The list requires 500 games next to four busy processes; tests/bench/bots/honest_clock.py plays them."""

    def test_never_loses_on_time(self, opened, workshop):
        if opened.tier is Tier.REDUCED:
            pytest.skip("needs cgroups: the reduced tier cannot contain awkward: uses 99 % of its time (wall time is "
                        "charged, and busy neighbours use part of it)")
        bot = workshop.build(honest_clock.BOT)
        with honest_clock.beside(2):
            *_, tally = honest_clock.play(opened, bot, 10, TimeControl(0.02, 0.02))
        note(f"at most {max(tally.ratios):.1%} of the clock charged, {tally.starved} games cancelled")
        assert tally.lost == []


class TestTheHonestMatchAlongside:
    def test_was_never_disturbed(self, neighbour):
        neighbour.await_game()
        assert {(game["ended_by"], game["winner"], game["fault"]) for game in neighbour.games} == {("rule", 0, None)}
        note(f"{len(neighbour.games)} games, at most {max(game['seconds'] for game in neighbour.games):.3f} s charged")
