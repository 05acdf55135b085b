"""The bot's side of the protocol: a session's answers, and protection of stdout."""

import os
import subprocess
import sys
from math import inf
from pathlib import Path
from typing import Any

import pytest

from engines.rules.notation import Turn
from engines.rules.ruleset import Position
from engines.sdk import Bot, Clock, Session, View

ROOT = Path(__file__).resolve().parents[2]


class FirstBot(Bot):
    """Plays the first offered step, and remembers its clocks."""

    name = "first"
    version = "2.1"

    def __init__(self) -> None:
        self.clocks: list[Clock] = []

    def choose(self, position: Position, clock: Clock) -> Turn:
        self.clocks.append(clock)
        return (position.steps().next[0],)


class HexOnlyBot(FirstBot):
    rulesets = ("square-grid-hex",)


class OpenBot(FirstBot):
    """Reports its view of its first turn only."""

    def choose(self, position: Position, clock: Clock) -> Turn:
        if not self.clocks:
            self.view = View(win=0.5, nodes=12, pv=("a1", "swap"))
        return super().choose(position, clock)


class CarelessBot(FirstBot):
    """Plays an illegal turn."""

    def choose(self, position: Position, clock: Clock) -> Turn:
        return (0, 1)


@pytest.fixture
def session() -> Session:
    session = Session(FirstBot())
    for line in ("set_ruleset square-grid-hex", "boardsize 5", "clear_board"):
        assert session.answer(line) == "=\n\n"
    return session


class TestAnswers:
    def test_introduce_the_bot(self, session: Session) -> None:
        assert session.answer("protocol_version") == "= 2\n\n"
        assert session.answer("name") == "= first\n\n"
        assert session.answer("version") == "= 2.1\n\n"

    def test_list_every_command_of_the_protocol_and_ours(self, session: Session) -> None:
        commands = session.answer("list_commands").removeprefix("= ").split()
        assert set(commands) >= {"protocol_version", "name", "version", "known_command", "list_commands", "quit",
                                 "boardsize", "clear_board", "play", "genmove", "time_settings", "time_left",
                                 "set_ruleset"}
        assert all(session.answer(f"known_command {command}") == "= true\n\n" for command in commands)
        assert session.answer("known_command komi") == "= false\n\n"

    def test_repeat_the_number_of_the_command(self, session: Session) -> None:
        assert session.answer("17 name") == "=17 first\n\n"
        assert session.answer("18 fly") == "?18 unknown command 'fly'\n\n"
        assert session.answer("19") == "?19 a number, but no command\n\n"

    @pytest.mark.parametrize("line", ["", "\n", "   ", "# a comment", "\x07\n"])
    def test_are_not_given_to_lines_without_a_command(self, session: Session, line: str) -> None:
        assert session.answer(line) is None

    def test_end_the_session_after_quit(self, session: Session) -> None:
        assert not session.over
        assert session.answer("quit") == "=\n\n"
        assert session.over


class TestPlay:
    def test_accepts_the_rulesets_colours_and_initials_in_either_case(self, session: Session) -> None:
        for line in ("play black c3", "play W d4", "play B E5", "play White a1"):
            assert session.answer(line) == "=\n\n"

    def test_accepts_colours_only_of_the_current_ruleset(self, session: Session) -> None:
        assert session.answer("play red c3") == "? 'red' is neither black nor white\n\n"
        session.answer("set_ruleset scware")
        session.answer("boardsize 5")
        assert session.answer("play white c3") == "=\n\n"
        assert session.answer("play r c4") == "=\n\n"

    def test_refuses_a_turn_out_of_turn_and_continues(self, session: Session) -> None:
        assert session.answer("play white c3") == "? it is black's turn\n\n"
        assert session.answer("play black c3") == "=\n\n"

    def test_refuses_illegal_and_unreadable_turns_with_the_rules_reason(self, session: Session) -> None:
        session.answer("play black c3")
        assert session.answer("play white c3") == "? c3 is not empty\n\n"
        assert session.answer("play white i3").startswith("? 'i3' is not a cell")
        assert session.answer("play white") == "? play needs a colour and a turn\n\n"


class TestGenmove:
    def test_answers_with_the_turn_and_plays_it(self, session: Session) -> None:
        assert session.answer("genmove black") == "= a1\n\n"
        assert session.answer("genmove white") == "= swap\n\n"
        assert session.answer("genmove black") == "= b1\n\n"

    def test_adds_the_view_that_the_bot_has_set_for_this_turn(self) -> None:
        session = Session(OpenBot())
        for line in ("set_ruleset square-grid-hex", "boardsize 5", "clear_board"):
            session.answer(line)
        assert session.answer("genmove black") == "= a1\nview win 0.5000 nodes 12 pv a1 swap\n\n"
        assert session.answer("genmove white") == "= swap\n\n"

    def test_is_refused_out_of_turn_and_after_the_game(self, session: Session) -> None:
        assert session.answer("genmove white") == "? it is black's turn\n\n"
        assert session.answer("play black resign") == "=\n\n"
        assert session.answer("genmove white") == "? the game is over: resignation\n\n"

    def test_is_refused_before_there_is_a_board(self) -> None:
        session = Session(FirstBot())
        assert session.answer("genmove black") == "? no board yet: send boardsize first\n\n"
        assert session.answer("boardsize 7") == "? no ruleset yet: send set_ruleset first\n\n"
        assert session.answer("clear_board") == "? no ruleset yet: send set_ruleset first\n\n"

    def test_raises_if_the_bot_chose_an_illegal_turn(self) -> None:
        session = Session(CarelessBot())
        session.answer("set_ruleset squ")
        session.answer("boardsize 4")
        with pytest.raises(ValueError, match="places one disc"):
            session.answer("genmove red")


class TestSetup:
    def test_refuses_sizes_and_rulesets_that_do_not_exist(self, session: Session) -> None:
        assert session.answer("boardsize 25").startswith("? Square Grid Hex is played on sizes 3 to 19")
        assert session.answer("boardsize big") == "? 'big' is not a number\n\n"
        assert session.answer("boardsize -7") == "? '-7' is not a number of zero or more\n\n"
        assert session.answer("boardsize 7.5") == "? a size is a whole number, not 7.5\n\n"
        assert session.answer("boardsize") == "? needs a size\n\n"
        assert session.answer("set_ruleset chess").startswith("? unknown ruleset 'chess'")

    def test_needs_no_ruleset_from_a_bot_that_knows_one(self) -> None:
        session = Session(HexOnlyBot())
        assert session.answer("boardsize 5") == "=\n\n"
        assert session.answer("genmove black") == "= a1\n\n"

    def test_refuses_rulesets_that_the_bot_does_not_play(self) -> None:
        session = Session(HexOnlyBot())
        assert session.answer("set_ruleset squ") == "? first does not play 'squ'; it plays square-grid-hex\n\n"


class TestClocks:
    def test_are_unlimited_if_no_time_was_set(self, session: Session) -> None:
        session.answer("genmove black")
        assert session.bot.clocks == [Clock(inf, 0.0)]

    def test_start_at_the_main_time_and_follow_time_left(self, session: Session) -> None:
        session.answer("time_settings 5 0.1 1")
        session.answer("genmove black")
        session.answer("time_left white 4.25 0")
        session.answer("genmove white")
        assert session.bot.clocks == [Clock(5.0, 0.1), Clock(4.25, 0.1)]

    def test_restart_with_the_board(self, session: Session) -> None:
        session.answer("time_settings 5 0.1 1")
        session.answer("time_left black 1 0")
        session.answer("clear_board")
        session.answer("genmove black")
        assert session.bot.clocks == [Clock(5.0, 0.1)]

    @pytest.mark.parametrize("line", ["time_settings 5", "time_settings a b c", "time_left black",
                                      "time_left black nan", "time_left black -1 0", "time_left green 5 0"])
    def test_refuse_invalid_times(self, session: Session, line: str) -> None:
        assert session.answer(line).startswith("? ")


class TestRun:
    """The loop on real pipes."""

    def run(self, body: str, said: str | bytes) -> subprocess.CompletedProcess[Any]:
        program = ("from engines.sdk import Bot, run\n"
                   "class Mine(Bot):\n"
                   "    name = 'mine'\n"
                   "    rulesets = ('square-grid-hex',)\n"
                   "    def choose(self, position, clock):\n"
                   f"        {body}\n"
                   "run(Mine())\n")
        return subprocess.run([sys.executable, "-S", "-c", program], input=said, capture_output=True,
                              text=isinstance(said, str),
                              env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=600, check=False)

    def test_keeps_a_bots_prints_off_stdout(self) -> None:
        done = self.run("print('thinking'); return (0,)", "boardsize 3\ngenmove black\nquit\n")
        assert done.stdout == "=\n\n= a1\n\n=\n\n"
        assert done.stderr == "thinking\n"

    def test_shows_a_bots_error_on_stderr_and_exits_with_failure(self) -> None:
        done = self.run("return 1 / 0", "boardsize 3\ngenmove black\n")
        assert done.stdout == "=\n\n"
        assert "ZeroDivisionError" in done.stderr
        assert done.returncode == 1

    def test_survives_bytes_that_are_not_text(self) -> None:
        done = self.run("return (0,)", b"\xff\xfe\nname\n")
        assert done.stdout.endswith(b"= mine\n\n")
        assert done.stdout.startswith(b"? unknown command")
