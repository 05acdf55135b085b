import os
import sys

import pytest

from engines.referee.clock import Deadline
from engines.referee.conduct import BotFault, printable_line
from engines.referee.gtp import Channel, StderrLog
from engines.rules.outcome import Forfeit
from engines.sandbox.isolation.limits import Limits
from tests.engines.referee.children import Scripted
from tests.waiting import PATIENCE_SECONDS, wait_for

pytestmark = pytest.mark.serial


class Until:
    """A time limit that is over when the bot has done all that it will do."""

    def __init__(self, bot: Scripted) -> None:
        self._bot = bot

    def wait(self) -> float:
        return 0.0 if self._bot.done.is_set() else 0.01

    def spent(self) -> str:
        return "some time was allowed"


def patience():
    return Deadline(PATIENCE_SECONDS)


@pytest.fixture
def saying():
    """Yield a function that returns a bot which writes these parts after each command that it reads."""
    made = []

    def saying(*parts, **options):
        made.append(Scripted(parts, **options))
        return made[-1]

    yield saying
    for bot in made:
        bot.kill()


def ask(process, timer=None, limits=None, command="genmove black"):
    return Channel(process, limits or Limits()).ask(command, timer or patience())


def fault_of(*arguments, **options):
    with pytest.raises(BotFault) as caught:
        ask(*arguments, **options)
    return caught.value


class TestAnAnswer:
    def test_is_read_in_every_valid_form(self, saying):
        d4 = (True, "d4")
        answers = {
            b"= d4\n\n": d4, b"=d4\n\n": d4, b"=\td4 \n\n": d4, b"= d4\r\n\r\n": d4, b"\n\n= d4\n\n": d4,
            b" \r\n= d4\n\n": d4, b"= d4\n\n\n\n": d4, b"= d4\n \n": d4,
            b"=\n\n": (True, ""), b"= \n\n": (True, ""), b"=\r\n\r\n": (True, ""), b"=2\n\n": (True, "2"),
            # No command has an ID, so digits are text, before other text as well as alone.
            b"=7 d4\n\n": (True, "7 d4"), b"=7\n\n": (True, "7"), b"?7\n\n": (False, "7"),
            b"= name\nversion\r\nplay\n\n": (True, "name\nversion\nplay"),
            b"? unknown command\n\n": (False, "unknown command"), b"= d4\x00\xff\n\n": (True, "d4\x00\\xff"),
            b"= " + b"x" * 4092 + b"\n\n": (True, "x" * 4092),
        }
        assert [raw for raw, answer in answers.items() if ask(saying(raw)) != answer] == []

    def test_may_come_byte_by_byte(self, saying):
        assert ask(saying(*(bytes([byte]) for byte in b"= d4,e5,f6\r\n\r\n"))) == (True, "d4,e5,f6")

    def test_is_refused_one_byte_above_the_limit(self, saying):
        assert fault_of(saying(b"= " + b"x" * 4093 + b"\n\n")).kind is Forfeit.OUTPUT

    def test_is_read_although_the_bot_exits_at_once(self, children):
        assert ask(children.start("import os\ninput()\nos.write(1, b'= d4\\n\\n')")) == (True, "d4")

    def test_is_read_while_a_megabyte_goes_to_stderr(self, children):
        source = ("import os, sys\nsys.stdin.readline()\nsys.stderr.write('e' * 1_000_000)\nsys.stderr.flush()\n"
                  "os.write(1, b'= d4\\n\\n')\nsys.stdin.read()")
        channel = Channel(children.start(source))
        assert channel.ask("genmove black", patience()) == (True, "d4")
        channel.collect()
        assert channel.log.total == 1_000_000

    def test_follows_a_command_larger_than_the_pipe(self, children):
        source = ("import sys, time\ntime.sleep(0.05)\nline = sys.stdin.readline()\n"
                  "print(f'= {len(line)}\\n', flush=True)\nsys.stdin.read()")
        assert ask(children.start(source), command="x" * 300_000) == (True, "300001")

    def test_may_follow_blank_lines_after_the_one_before(self, saying):
        channel = Channel(saying(b"= d4\n\n", b"\r\n\n"))
        assert [channel.ask("name", patience()) for _ in range(20)] == [(True, "d4")] * 20


class TestABreachOfProtocol:
    def test_is_a_line_that_is_not_an_answer(self, saying):
        for raw, line in ((b"d4\n", "d4"), (b"Hello, I am a bot\n= d4\n\n", "Hello, I am a bot"),
                          (b"\x1b[31m= d4\n\n", "\x1b[31m= d4"), (b"y\n" * 5_000, "y")):
            found = fault_of(saying(raw))
            assert (found.kind, found.line) == (Forfeit.PROTOCOL, line)

    def test_is_more_than_one_answer(self, saying):
        for raw in (b"= d4\n\n= e5\n\n", b"= d4\n\n\n= e5", b"= d4\r\n\r\ne5\r\n"):
            found = fault_of(saying(raw))
            assert (found.kind, found.line.removeprefix("= ")) == (Forfeit.PROTOCOL, "e5")

    def test_is_an_answer_before_the_command(self, saying):
        bot = saying()
        os.write(bot.bots_stdout, b"= d4\n\n")
        found = fault_of(bot)
        assert str(found) == "it wrote to stdout before the first command"
        assert (found.kind, found.line) == (Forfeit.PROTOCOL, "= d4")

    def test_is_blamed_on_the_command_that_was_answered_twice(self, saying):
        bot = saying(b"= d4\n\n")
        channel = Channel(bot)
        channel.ask("genmove black", patience())
        os.write(bot.bots_stdout, b"= e5\n\n")
        with pytest.raises(BotFault, match="after its answer to 'genmove black'"):
            channel.ask("play white a1", patience())

    def test_at_the_first_command_may_be_a_greeting(self, saying):
        assert str(fault_of(saying(b"Hello\n"))).endswith(
            "= or ?, and nothing may be written before the first command")

    def test_is_a_flood_of_lines_off_turn(self, saying):
        bot = saying()
        os.write(bot.bots_stdout, b"= e5\n\n" * 2_000)
        found = fault_of(bot)
        assert (found.kind, found.line) == (Forfeit.PROTOCOL, "= e5")


class TestTooMuchOutput:
    def test_is_an_endless_answer(self, children):
        for flood in ("x", "\\n", "= d4\\n"):
            found = fault_of(children.start(f"import os\ninput()\nwhile True: os.write(1, b'{flood}' * 10_000)"))
            assert found.kind is Forfeit.OUTPUT

    def test_is_more_than_the_limit_on_stderr(self, children):
        found = fault_of(children.start("import os\ninput()\nwhile True: os.write(2, b'x' * 60_000)"),
                         limits=Limits(stderr_bytes=1 << 20))
        assert found.kind is Forfeit.OUTPUT
        assert str(found) == "it wrote more than 1 MB to stderr"

    def test_keeps_only_the_beginning_of_the_line(self, saying):
        assert fault_of(saying(b"x" * 9000)).line == "x" * 500 + "…"


class TestTime:
    def test_runs_out_on_a_silent_bot_which_may_have_forgotten_to_flush(self, saying):
        found = fault_of(saying(), Deadline(0.1))
        assert found.kind is Forfeit.TIME
        assert str(found) == ("it ran out of time (0.1 s were allowed): it wrote nothing at all; "
                              "does it flush its output after each answer?")

    @pytest.mark.parametrize("raw", [b"= d4", b"= d4\n"])
    def test_runs_out_with_a_hint_on_an_answer_without_its_empty_line(self, saying, raw):
        bot = saying(raw)
        found = fault_of(bot, Until(bot))
        assert (found.kind, found.line, "empty line" in str(found)) == (Forfeit.TIME, "= d4", True)

    def test_runs_out_on_a_bot_that_never_reads_its_input(self, saying):
        found = fault_of(saying(reads=False), Deadline(0.1), command="x" * 300_000)
        assert (found.kind, "did not read" in str(found)) == (Forfeit.TIME, True)

    def test_runs_out_on_a_bot_that_closes_its_stderr_and_waits(self, children):
        assert fault_of(children.start("import os, time\nos.close(2)\ntime.sleep(60)"),
                        Deadline(0.2)).kind is Forfeit.TIME

    def test_runs_out_on_a_bot_that_writes_endlessly_to_stderr(self, children):
        found = fault_of(children.start("import os, time\nwhile True: os.write(2, b'.'), time.sleep(0.001)"),
                         Deadline(0.2))
        assert found.kind is Forfeit.TIME

    def test_gives_no_hint_to_a_bot_that_has_answered_before(self, saying):
        bot = saying(b"=\n\n")
        channel = Channel(bot)
        channel.ask("name", patience())
        bot.parts = ()
        with pytest.raises(BotFault, match=r"ran out of time \(0.1 s were allowed\)$"):
            channel.ask("name", Deadline(0.1))


class TestACrash:
    @pytest.mark.parametrize(("source", "how"), [
        ("import sys\ninput()\nsys.exit(3)", "exited with status 3"),
        ("import os\ninput()\nos.kill(os.getpid(), 11)", "was killed by SIGSEGV"),
        ("import sys\ninput()\nsys.exit(159)", "was killed by SIGSYS"),
        ("import os, time\ninput()\nos.close(1)\ntime.sleep(60)", "closed its output"),
        ("import os, time\nos.close(0)\ntime.sleep(60)", "closed its output or input"),
    ])
    def test_names_the_way_the_bot_ended(self, children, source, how):
        found = fault_of(children.start(source))
        assert (found.kind, how in str(found)) == (Forfeit.CRASH, True)

    def test_keeps_the_traceback(self, children):
        channel = Channel(children.start("input()\nraise ValueError('lost')"))
        with pytest.raises(BotFault, match="status 1"):
            channel.ask("name", patience())
        assert b"ValueError: lost" in channel.log.text()

    @pytest.mark.parametrize("half", ["= d", "= d4\\n"])
    def test_quotes_an_incomplete_answer_and_says_what_is_missing(self, children, half):
        found = fault_of(children.start(f"import os\ninput()\nos.write(1, b'{half}')"))
        assert (found.kind, found.line) == (Forfeit.CRASH, half.removesuffix("\\n"))
        assert "exited with status 0 before it answered: its answer is not finished" in str(found)
        assert "must be flushed" in str(found)

    @pytest.mark.parametrize("source", ["import os\nos.close(1)", "import os\nos.close(0)\nos.close(1)"])
    def test_before_a_command_is_noticed_at_the_command(self, children, source):
        child = children.start(source)
        wait_for(lambda: child.exit_status() is not None, "the end of the bot")
        found = fault_of(child)
        assert (found.kind, "before the next command" in str(found)) == (Forfeit.CRASH, True)

    def test_does_not_include_closing_stdin_after_reading_the_command(self, children):
        source = "import os, time\ninput()\nos.close(0)\ntime.sleep(0.3)\nos.write(1, b'= d4\\n\\n')"
        assert ask(children.start(source)) == (True, "d4")


class TestStderrLog:
    def test_keeps_everything_that_fits(self):
        log = StderrLog(10)
        log.add(b"01234")
        log.add(b"56789")
        assert (log.text(), log.total) == (b"0123456789", 10)

    def test_keeps_the_first_and_the_last(self):
        log = StderrLog(10)
        for part in (b"abc", b"defghij", b"klmnopqrstu", b"vwxyz"):
            log.add(part)
        assert (log.text(), log.total) == (b"abcde\n[... 16 bytes left out ...]\nvwxyz", 26)


class TestPrintableLine:
    @pytest.mark.parametrize(("raw", "text"), [
        (b"d4\r\n", "d4"), (b"\xff\xfe", "\\xff\\xfe"), (b"a\0b", "a\\x00b"), ("d４".encode(), "d４"),
        ("\u2028".encode(), "\u2028"), (b"<script>\x1b[2J", "<script>\x1b[2J"), (b"1" * 1_000_000, "1" * 500 + "…"),
    ])
    def test_keeps_the_line_as_text_that_can_be_stored(self, raw, text):
        assert printable_line(raw) == text
        assert sys.getsizeof(printable_line(raw)) < 4000
