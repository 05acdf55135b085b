import json
from random import Random

import pytest

from engines.records.record import EndedBy, GameRecord, Result, SeatRecord, TurnRecord
from engines.records.time_control import ClockKind, TimeControl
from engines.referee.questions import NoQuestion, Question, ask, clock_at
from engines.rules.outcome import Adjudication, Forfeit
from engines.rules.registry import RULESETS, find
from engines.rules.ruleset import SetupError
from engines.sandbox.isolation.limits import Limits
from tests.engines.referee.children import bot

pytestmark = pytest.mark.serial


HEX = find("square-grid-hex")
FAST = TimeControl(600, 0.1)


@pytest.fixture
def asked(children, monkeypatch):
    """Return a function that asks a bot in a position and checks that no process is left."""
    monkeypatch.setattr("engines.referee.play._QUIT_SECONDS", 60.0)

    def asked(source, *turns, ruleset=HEX, size=3, control=FAST, remaining=600.0, limits=None, **options):
        player = children.player("asked", source, **options)
        answer = ask(Question(ruleset, size, turns, control, remaining), player, limits=limits or Limits())
        assert children.running() == []
        return answer
    return asked


def random_turns(ruleset, size, plies, seed):
    """Return the first turns of a random game, and the position after them, which is not the end."""
    dice, position, turns = Random(seed), ruleset.start(size), []
    while len(turns) < plies:
        turn = position.random_turn(dice)
        if position.after(turn).outcome is not None:
            break
        turns.append(position.format(turn))
        position = position.after(turn)
    return turns, position


class TestAsking:
    @pytest.mark.parametrize("slug", RULESETS)
    @pytest.mark.parametrize("plies", [1, 6])
    def test_returns_a_legal_turn_in_every_ruleset_from_either_seat(self, asked, slug, plies):
        ruleset = find(slug)
        size = ruleset.sizes[0] if slug != "square-grid-hex" else 4
        turns, position = random_turns(ruleset, size, plies, seed=plies)
        wanted = position.format(position.random_turn(Random(3)))
        answer = asked(bot([wanted]), *turns, ruleset=ruleset, size=size)
        assert (answer.turn, answer.fault) == (wanted, None)
        assert 0 < answer.seconds <= answer.wall
        assert answer.handshake > 0

    def test_sends_the_turns_with_colours_and_the_time_left(self, asked):
        listener = bot(["b2"], knows="set_ruleset time_settings time_left",
                       start="sys.stdin = iter(sys.stdin.readline, '')",
                       other="sys.stderr.write(line); sys.stderr.flush(); answer()")
        answer = asked(listener, "A1", "b1", "a2", remaining=61.25)
        assert answer.stderr.decode().splitlines() == [
            "set_ruleset square-grid-hex", "boardsize 3", "clear_board", "time_settings 600 0.1 1",
            "play black a1", "play white b1", "play black a2", "time_left white 61.25 0"]
        assert (answer.turn, answer.program, answer.clock) == ("b2", "Child 7", ClockKind.WALL)

    @pytest.mark.parametrize(("genmove", "kind", "line"), [
        ("answer('<b>z99')", Forfeit.ILLEGAL, "<b>z99"), ("sys.exit(3)", Forfeit.CRASH, ""),
        ("time.sleep(60)", Forfeit.TIME, ""),
    ])
    def test_reports_a_fault_that_would_lose_a_game(self, asked, genmove, kind, line):
        answer = asked(bot(genmove=genmove), "a1", remaining=0.2 if kind is Forfeit.TIME else 600)
        assert (answer.turn, answer.fault.kind, answer.fault.seat, answer.fault.ply) == ("", kind, 1, 1)
        assert (answer.fault.line, bool(answer.fault.message)) == (line, True)

    def test_keeps_stderr_in_every_case(self, asked):
        complaint = "sys.stderr.write('\\x1b[2J<b>so'); sys.stderr.flush(); "
        assert asked(bot(genmove=complaint + "answer('b2')")).stderr == b"\x1b[2J<b>so"
        assert asked(bot(genmove=complaint + "answer('zz')")).stderr == b"\x1b[2J<b>so"

    def test_refuses_an_invalid_position(self, asked):
        for turns, words in [(["a1", "a1"], "cannot be played after 1 plies"), (["pass"], "has no pass"),
                             (["a1", "b1", "a2", "b2", "a3"], "The game is over here: connection")]:
            with pytest.raises(NoQuestion, match=words):
                asked(bot(["c3"]), *turns)
        with pytest.raises(SetupError):
            asked(bot(["c3"]), size=99)


class TestTheClockOfARecordedGame:
    def record(self, control):
        turns = [("b2", 1.0), ("c3", 2.0), ("a3", 0.5), ("c2", 4.0)]
        made = GameRecord(
            ruleset="square-grid-hex", size=5, time_control=control, clock=ClockKind.WALL, tier="standard",
            seats=(SeatRecord("a"), SeatRecord("b")), opening=("a1",),
            turns=tuple(TurnRecord(text, seconds, seconds) for text, seconds in turns),
            result=Result(None, EndedBy.POLICY, Adjudication.PLY_CAP), fault=None)
        return GameRecord.from_dict(json.loads(json.dumps(made.to_dict())))

    def test_follows_from_base_increment_and_turns(self):
        left = [clock_at(self.record(FAST), ply) for ply in range(6)]
        assert left == pytest.approx([600, 600, 600, 599.1, 598.1, 598.7])

    def test_is_full_at_every_turn_of_a_fixed_time(self):
        assert {clock_at(self.record(TimeControl(per_turn=2)), ply) for ply in range(3)} == {2}
