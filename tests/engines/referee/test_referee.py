from itertools import count
from pathlib import Path

import pytest

from engines.records.record import EndedBy, Result, verify
from engines.records.time_control import ClockKind, TimeControl
from engines.referee.play import OpeningError, Player, default_ply_cap, play_game
from engines.rules.outcome import Adjudication, Ending, Forfeit
from engines.rules.registry import RULESETS, find
from engines.sandbox.isolation.limits import Limits
from engines.view import View
from tests.engines.referee.children import bot

pytestmark = pytest.mark.serial


HEX = find("square-grid-hex")
GO = find("squaresquared")
LONG = TimeControl(600, 0.1)
# Black walks up the a-file and white up the b-file; black wins the race.
BLACK, WHITE = bot(["a1", "a2", "a3"]), bot(["b1", "b2", "b3"])


@pytest.fixture
def play(children):
    """Return a function that plays 3×3 Square Grid Hex and checks the record and that no process is left."""
    def play(first, second, *, ruleset=HEX, size=3, options=({}, {}), **settings):
        players = (children.player("first", first, **options[0]), children.player("second", second, **options[1]))
        record = play_game(ruleset, size, players, **{"time_control": LONG, **settings})
        assert children.running() == []
        verify(record)
        return record
    return play


@pytest.fixture
def patient(monkeypatch):
    """Give bots enough time to exit, even on a busy test machine."""
    monkeypatch.setattr("engines.referee.play._QUIT_SECONDS", 60.0)


def forfeit(record):
    assert record.result == Result(1 - record.fault.seat, EndedBy.CONDUCT, record.fault.kind)
    return record.fault.seat, record.fault.kind


class TestAGame:
    def test_is_played_to_the_end_and_recorded(self, play):
        seen = []
        record = play(BLACK, WHITE, on_turn=lambda position, turn: seen.append((position.rows()[-1], turn)))
        assert [turn.turn for turn in record.turns] == ["a1", "b1", "a2", "b2", "a3"]
        assert record.result == Result(0, EndedBy.RULE, Ending.CONNECTION, ("a3", "a2", "a1"))
        assert record.fault is None
        assert [(seat.name, seat.program) for seat in record.seats] == [("first", "Child 7"), ("second", "Child 7")]
        assert [turn for _, turn in seen] == list(record.turns)
        assert seen[1][0] == "12."

    def test_is_recorded_with_the_time_of_each_turn(self, play):
        record = play(BLACK, WHITE)
        assert all(0 < turn.seconds <= turn.wall + 1e-6 for turn in record.turns)
        assert all(turn.overhead > 0 for turn in record.turns)
        assert sum(turn.overhead for turn in record.turns) < record.overhead
        assert all(seat.handshake > 0 for seat in record.seats)
        assert record.clock is ClockKind.WALL

    def test_is_recorded_with_the_bots_own_view_of_a_turn(self, play):
        first = bot(["a1\nview win 0.62 depth 3 pv a1 b1", "a2\nview win 7", "a3"])
        assert [turn.view for turn in play(first, WHITE).turns] == [
            View(0.62, 3, None, ("a1", "b1")), None, None, None, None]

    @pytest.mark.parametrize("more", ["views win 0.5", "= a2"])
    def test_is_lost_by_any_other_line_after_the_turn(self, play, more):
        assert forfeit(play(bot([f"a1\n{more}"]), WHITE)) == (0, Forfeit.ILLEGAL)

    def test_can_be_resigned(self, play):
        assert play(bot(["a1", "Resign"]), WHITE).result == Result(1, EndedBy.RULE, Ending.RESIGNATION)

    def test_can_end_in_two_passes(self, play):
        record = play(bot(["pass"]), bot(["PASS"]), ruleset=GO)
        assert (record.result.winner, record.result.reason) == (None, Ending.TWO_PASSES)

    def test_is_a_draw_by_adjudication_at_the_cap(self, play):
        record = play(BLACK, WHITE, ply_cap=3)
        assert len(record.turns) == 3
        assert record.result == Result(None, EndedBy.POLICY, Adjudication.PLY_CAP)

    def test_has_a_ply_cap_of_six_full_boards(self):
        for ruleset in RULESETS.values():
            assert default_ply_cap(ruleset.default_size) > 6 * ruleset.default_size**2


class TestTheMessagesToABot:
    ECHO = "sys.stderr.write(line); sys.stderr.flush(); answer()"

    def received(self, play, knows, ruleset=HEX, **settings):
        start = "sys.stdin = iter(sys.stdin.readline, '')"
        listener = bot(["b1", "b2"], other=self.ECHO, knows=knows, start=start)
        return play(BLACK, listener, ruleset=ruleset, **settings).stderr[1].decode().splitlines()

    def test_contain_whole_seconds_if_it_lists_only_time(self, play):
        received = self.received(play, "time_settings time_left", time_control=TimeControl(900.5, 60.2))
        assert "time_settings 900 60 1" in received
        assert received[4] == "time_left white 900 0"
        assert int(received[6].split()[2]) > 900

    def test_contain_the_exact_time_if_it_knows_our_rulesets(self, play):
        received = self.received(play, "set_ruleset time_settings time_left", time_control=TimeControl(900.5, 60.25))
        assert "time_settings 900.5 60.25 1" in received
        assert "time_left white 900.5 0" in received
        assert float(received[-1].split()[2]) > 900.5

    @pytest.mark.parametrize(("control", "line"), [
        (TimeControl(60), "time_settings 60 0 0"), (TimeControl(0.99, 0.05), "time_settings 1 0 0"),
    ])
    def test_never_promise_unlimited_time(self, play, control, line):
        assert line in self.received(play, "time_settings", time_control=control)

    @pytest.mark.parametrize(("knows", "seconds", "said"), [
        ("set_ruleset", 60.5, "60.5"), ("", 60.5, "60"), ("", 0.9, "1"),
    ])
    def test_express_a_fixed_time_per_turn_as_overtime_of_one_stone(self, play, knows, seconds, said):
        received = self.received(play, f"{knows} time_settings time_left", time_control=TimeControl(per_turn=seconds))
        assert f"time_settings 0 {said} 1" in received
        assert [line for line in received if "left" in line] == [f"time_left white {said} 1"] * 2

    def test_contain_the_opponents_turn_before_its_own(self, play):
        received = self.received(play, "time_left")
        assert received[:4] == ["boardsize 3", "clear_board", "play black a1", "time_left white 600 0"]

    def test_query_commands_one_by_one_if_it_lists_nothing_at_all(self, play):
        start = "sys.stdin = iter(sys.stdin.readline, '')"
        other = ("sys.stderr.write(line); sys.stderr.flush(); "
                 "answer('true' if words[:1] == ['time_left'] else 'false' if command == 'known_command' else '')")
        source = bot(["b1", "b2"], other=other, start=start, refuses="list_commands")
        received = play(BLACK, source).stderr[1].decode().splitlines()
        assert received[:3] == ["known_command set_ruleset", "known_command time_settings", "known_command time_left"]
        assert "time_left white 600 0" in received
        assert not any(line.startswith(("set_ruleset", "time_settings")) for line in received)

    def test_may_be_only_the_four_commands_of_the_game(self, play):
        bare = bot(["a1", "a2", "a3"], refuses="protocol_version name version known_command list_commands quit")
        assert play(bare, WHITE).result.winner == 0

    def test_contain_the_opening_for_both(self, play):
        start = "sys.stdin = iter(sys.stdin.readline, '')"
        sources = [bot(turns, other=self.ECHO, start=start) for turns in (["a2", "a3"], ["b1", "b2"])]
        record = play(*sources, opening=["A1", "swap"])
        assert record.opening == ("a1", "swap")
        assert [turn.turn for turn in record.turns][:2] == ["a2", "b1"]
        for seat in (0, 1):
            assert record.stderr[seat].decode().splitlines()[2:4] == ["play black a1", "play white swap"]


class TestAnOpening:
    def test_that_cannot_be_played_starts_no_bot(self, children):
        players = (children.player("first", BLACK), children.player("second", WHITE))
        for turns in (["a9"], ["a1", "a1"], ["a1", "pass"], ["a1", "b1", "a2", "b2", "a3"], ["resign"]):
            with pytest.raises(OpeningError):
                play_game(HEX, 3, players, time_control=LONG, opening=turns)
        assert children.processes == []


class TestAForfeit:
    @pytest.mark.parametrize("text", ["", "pass", "b2,b3", "b1\\x00", "\\x1b[2J<b>\\u2028", "b1\\n\\n= b2"])
    def test_is_due_for_an_illegal_turn(self, play, text):
        record = play(BLACK, bot(genmove=f"answer('{text}')"))
        kind = Forfeit.PROTOCOL if "= b2" in text else Forfeit.ILLEGAL
        assert forfeit(record) == (1, kind)
        assert record.fault.ply == 1

    def test_is_due_for_a_million_digits(self, play):
        assert forfeit(play(BLACK, bot(genmove="answer('b' + '1' * 1_000_000)"))) == (1, Forfeit.OUTPUT)

    def test_is_due_for_a_crash(self, play):
        record = play(BLACK, bot(genmove="raise SystemError('lost my way')"))
        assert forfeit(record) == (1, Forfeit.CRASH)
        assert b"lost my way" in record.stderr[1]
        assert "stderr" not in record.to_dict()

    def test_is_due_for_exiting_off_turn_once_the_turn_comes(self, play):
        record = play(bot(genmove="answer('a1'); sys.exit(4)"), WHITE)
        assert forfeit(record) == (0, Forfeit.CRASH)
        assert (record.fault.ply, "status 4" in record.fault.message) == (2, True)

    def test_is_due_for_time(self, play):
        record = play(bot(genmove="time.sleep(60)"), WHITE, time_control=TimeControl(0.1))
        assert forfeit(record) == (0, Forfeit.TIME)
        assert 0.1 < record.fault.seconds <= record.fault.wall
        assert record.fault.overhead > 0

    def test_is_due_for_more_work_than_the_clock_has_left(self, play):
        work = "end = time.process_time() + 0.2\n        while time.process_time() < end: pass\n        answer('a1')"
        record = play(bot(genmove=work), WHITE, options=({"metered": True}, {"metered": True}),
                      time_control=TimeControl(0.1))
        assert forfeit(record) == (0, Forfeit.TIME)
        assert record.clock is ClockKind.CPU
        assert "0.1 s were left" in record.fault.message

    def test_is_due_for_relying_on_the_grace(self, play):
        used = count()  # each look at the CPU time of the bot finds 30 ms more
        meter = {"metered": lambda: next(used) * 0.03}
        record = play(bot(["a1", "a2", "a3"]), WHITE, options=(meter, {"metered": lambda: 0.0}),
                      time_control=TimeControl(per_turn=0.001))
        assert forfeit(record) == (0, Forfeit.TIME)
        assert record.turns

    def test_is_due_for_thinking_during_play(self, play):
        record = play(BLACK, bot(["b1"], other="time.sleep(60 * (command == 'play')); answer()"),
                      time_control=TimeControl(per_turn=1))
        assert forfeit(record) == (1, Forfeit.TIME)

    def test_is_due_for_memory_even_if_the_answer_was_legal(self, play):
        greedy = bot(["b1"], genmove="memory = b'x' * 100_000_000; answer(next(turns))")
        assert forfeit(play(BLACK, greedy, options=({}, {"memory": 64_000_000}))) == (1, Forfeit.MEMORY)

    def test_is_due_for_memory_if_that_killed_the_bot(self, play):
        greedy = bot(genmove="memory = b'x' * 100_000_000; os.kill(os.getpid(), 9)")
        assert forfeit(play(BLACK, greedy, options=({}, {"memory": 64_000_000}))) == (1, Forfeit.MEMORY)

    def test_is_due_for_breaking_the_protocol(self, play):
        record = play(bot(genmove="write('? cannot\\n\\n')"), WHITE)
        assert forfeit(record) == (0, Forfeit.PROTOCOL)

    @pytest.mark.parametrize("command", ["boardsize", "clear_board", "play"])
    def test_is_due_for_refusing_a_necessary_command(self, play, command):
        record = play(BLACK, bot(["b1"], other=f"write('? no\\n\\n' if command == '{command}' else '=\\n\\n')"))
        assert forfeit(record) == (1, Forfeit.PROTOCOL)
        assert (record.fault.line, f"it refused '{command}" in record.fault.message) == ("? no", True)

    @pytest.mark.parametrize(("second", "pause"), [("= b2", 0), ("? unknown command", 0.05)])
    def test_is_due_for_answering_genmove_twice_and_blames_no_other_command(self, play, second, pause):
        # A bot is frozen after its first answer, so its second one mostly comes where the answer to `play` is expected.
        write = f"write('{second}\\n\\n'); time.sleep({pause}); answer()"
        fault = play(BLACK, bot(genmove=f"answer('b1'); sys.stdin.readline(); {write}")).fault
        assert (fault.kind, fault.message, fault.line) == (
            Forfeit.PROTOCOL, "it wrote to stdout after its answer to 'genmove white'", second)

    @pytest.mark.parametrize(("version", "message"), [
        ("1", "it does not speak version 2 of the protocol: answer `2`, or `?`"),
        ("", "it gave 'protocol_version' an empty answer: answer `2`, or `?`"),
    ])
    def test_is_due_for_another_version_of_the_protocol(self, play, version, message):
        record = play(BLACK, WHITE.replace('answer("2")', f'answer("{version}")'))
        assert (forfeit(record), record.fault.message) == ((1, Forfeit.PROTOCOL), message)

    @pytest.mark.parametrize("pause", [0, 0.05])
    def test_is_due_for_an_answer_before_the_first_command(self, play, pause):
        fault = play(BLACK, WHITE.replace('answer("2")', f'answer("hello"); time.sleep({pause}); answer("2")')).fault
        assert (fault.kind, fault.message, fault.line) == (
            Forfeit.PROTOCOL, "it wrote to stdout before the first command", "= hello")

    def test_is_due_for_not_starting(self, play):
        assert forfeit(play("import nothing_of_this_name", WHITE)) == (0, Forfeit.CRASH)
        assert forfeit(play("import time\ntime.sleep(60)", WHITE, limits=Limits(handshake_seconds=0.5))) == (
            0, Forfeit.TIME)

    def test_is_due_for_taking_cpu_time_before_the_game(self, play):
        greedy = "import time\nwhile time.process_time() < 0.3: pass\n" + BLACK
        record = play(greedy, WHITE, limits=Limits(handshake_cpu_seconds=0.2))
        assert forfeit(record) == (0, Forfeit.TIME)
        assert "0.2 s of CPU time for the start and the handshake" in record.fault.message


class TestAnHonestButAwkwardBot:
    def test_may_exit_after_its_last_turn(self, play):
        last = bot(["a1", "a2", "a3"], genmove="text = next(turns); answer(text)\n        if text == 'a3': sys.exit(5)")
        assert play(last, WHITE).result == Result(0, EndedBy.RULE, Ending.CONNECTION, ("a3", "a2", "a1"))

    def test_may_exit_before_the_last_turn_of_the_other(self, play):
        gone = bot(["b1", "b2"], genmove="text = next(turns); answer(text)\n        if text == 'b2': sys.exit(5)")
        assert play(BLACK, gone).result.ended_by is EndedBy.RULE

    def test_may_refuse_the_time_commands(self, play):
        other = "write('? not integers\\n\\n' if command.startswith('time') else '=\\n\\n')"
        assert play(BLACK, bot(["b1", "b2"], other=other, knows="time_settings time_left")).result.winner == 0


class TestTheEnd:
    def test_gives_the_bots_a_moment_after_quit(self, play, patient):
        polite = bot(["b1", "b2"]).replace("        break\n", "        sys.stderr.write('farewell'); break\n")
        assert play(BLACK, polite).stderr[1] == b"farewell"

    def test_does_not_wait_for_a_bot_that_will_not_exit(self, play):
        stubborn = bot(["b1", "b2"]).replace("        break\n", "        time.sleep(99)\n")
        stubborn = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + stubborn
        assert play(BLACK, stubborn).result.winner == 0

    def test_leaves_no_process_when_the_host_aborts(self, children):
        class LeaseLostError(Exception):
            pass

        def lose(position, turn):
            raise LeaseLostError

        players = (children.player("first", BLACK), children.player("second", WHITE))
        with pytest.raises(LeaseLostError):
            play_game(HEX, 3, players, time_control=LONG, on_turn=lose)
        assert (len(children.processes), children.running()) == (2, [])

    @pytest.mark.parametrize("trouble", [KeyboardInterrupt, OSError])
    def test_has_no_result_if_a_bot_cannot_be_started(self, children, trouble):
        def fail():
            raise trouble

        with pytest.raises(trouble):
            play_game(HEX, 3, (children.player("first", BLACK), Player("second", fail)), time_control=LONG)
        assert (len(children.processes), children.running()) == (1, [])


class TestPondering:
    def test_is_off_so_a_bot_is_frozen_after_the_handshake_and_after_each_turn(self, play, children):
        play(BLACK, WHITE)
        assert [child.stops for child in children.processes] == [4, 3]

    def test_can_be_allowed(self, play, children):
        play(BLACK, WHITE, ponder=True)
        assert [child.stops for child in children.processes] == [0, 0]


class TestTheDocumentedDialogue:
    PAGE = Path(__file__).parents[3] / "docs/reference/bot-protocol.md"

    def exchanges(self):
        """Return the commands of the page's complete game, and the answer to each."""
        commands, answers = [], []
        for line in self.PAGE.read_text().partition("## A whole game")[2].splitlines():
            if line.startswith("    > "):
                commands.append(line[6:])
                answers.append("")
            elif line.startswith("    < "):
                answers[-1] += line[6:] + "\n"
        return commands, answers

    def test_matches_the_referees_commands(self, play, patient):
        commands, answers = self.exchanges()
        parrot = ("import sys\n"
                  f"answers = iter({answers!r})\n"
                  "for line in iter(sys.stdin.readline, ''):\n"
                  "    print(line, end='', file=sys.stderr, flush=True)\n"
                  "    print(next(answers), flush=True)\n"
                  "    if line == 'quit\\n': break\n")
        record = play(bot(["b2", "a2", "a1"]), parrot, time_control=TimeControl(5, 0.1))
        said = record.stderr[1].decode().splitlines()
        # The time left varies.
        assert [line.split()[:2] for line in said] == [line.split()[:2] for line in commands]
        assert [line for line in said if "left" not in line] == [line for line in commands if "left" not in line]
        assert (record.result, record.seats[1].program) == (Result(0, EndedBy.RULE, Ending.RESIGNATION), "Edge 3.1")
