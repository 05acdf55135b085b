import os
import sys

import pytest

from engines.referee.clock import Deadline
from engines.referee.conduct import BotFault, printable_line
from engines.referee.gtp import Channel, StderrLog
from engines.rules.outcome import Forfeit
from engines.sandbox.isolation.limits import Limits

pytestmark = pytest.mark.serial

# A child that writes exactly these bytes as soon as it has read a line.
ONCE = "import os, sys\nsys.stdin.readline()\nfor part in {parts!r}: os.write({pipe}, part)\nsys.stdin.read()"


@pytest.fixture
def asked(children):
    """Return a function that sends one command to a child and returns the answer."""
    def ask(source, seconds=5.0, limits=None, command="genmove black"):
        channel = Channel(children.start(source), limits or Limits())
        return channel.ask(command, Deadline(seconds))
    return ask


@pytest.fixture
def fault(asked):
    """Return a function that sends one command to a child and returns the child's fault."""
    def ask(source, **options):
        with pytest.raises(BotFault) as caught:
            asked(source, **options)
        return caught.value
    return ask


def saying(*parts: bytes, pipe: int = 1) -> str:
    return ONCE.format(parts=parts, pipe=pipe)


class TestAnAnswer:
    @pytest.mark.parametrize("raw", [
        b"= d4\n\n", b"=d4\n\n", b"=\td4 \n\n", b"= d4\r\n\r\n", b"\n\n= d4\n\n", b" \r\n= d4\n\n", b"=7 d4\n\n",
        b"=12\td4\n\n", b"= d4\n\n\n\n", b"= d4\n \n",
    ])
    def test_is_read_in_every_valid_form(self, asked, raw):
        assert asked(saying(raw)) == (True, "d4")

    @pytest.mark.parametrize("raw", [b"=\n\n", b"= \n\n", b"=\r\n\r\n"])
    def test_may_be_empty(self, asked, raw):
        assert asked(saying(raw)) == (True, "")

    def test_may_be_a_number(self, asked):
        assert asked(saying(b"=2\n\n")) == (True, "2")

    def test_may_come_byte_by_byte(self, asked):
        assert asked(saying(*(bytes([byte]) for byte in b"= d4,e5,f6\r\n\r\n"))) == (True, "d4,e5,f6")

    def test_may_have_many_lines(self, asked):
        assert asked(saying(b"= name\nversion\r\nplay\n\n")) == (True, "name\nversion\nplay")

    def test_may_be_a_failure(self, asked):
        assert asked(saying(b"? unknown command\n\n")) == (False, "unknown command")

    def test_escapes_bytes_that_are_not_text(self, asked):
        assert asked(saying(b"= d4\x00\xff\n\n")) == (True, "d4\x00\\xff")

    def test_may_be_as_long_as_the_limit(self, asked):
        assert asked(saying(b"= " + b"x" * 4092 + b"\n\n")) == (True, "x" * 4092)

    def test_is_refused_one_byte_above_the_limit(self, fault):
        assert fault(saying(b"= " + b"x" * 4093 + b"\n\n")).kind is Forfeit.OUTPUT

    def test_is_read_although_the_bot_exits_at_once(self, asked):
        assert asked("import os\ninput()\nos.write(1, b'= d4\\n\\n')") == (True, "d4")

    def test_is_read_while_a_megabyte_goes_to_stderr(self, children):
        source = ("import os, sys\nsys.stdin.readline()\nsys.stderr.write('e' * 1_000_000)\nsys.stderr.flush()\n"
                  "os.write(1, b'= d4\\n\\n')\nsys.stdin.read()")
        channel = Channel(children.start(source))
        assert channel.ask("genmove black", Deadline(5)) == (True, "d4")
        channel.collect()
        assert channel.log.total == 1_000_000

    def test_follows_a_command_larger_than_the_pipe(self, asked):
        source = ("import sys, time\ntime.sleep(0.05)\nline = sys.stdin.readline()\n"
                  "print(f'= {len(line)}\\n', flush=True)\nsys.stdin.read()")
        assert asked(source, command="x" * 300_000) == (True, "300001")


class TestABreachOfProtocol:
    @pytest.mark.parametrize(("raw", "line"), [
        (b"d4\n", "d4"), (b"Hello, I am a bot\n= d4\n\n", "Hello, I am a bot"), (b"\x1b[31m= d4\n\n", "\x1b[31m= d4"),
        (b"y\n" * 5_000, "y"),
    ])
    def test_is_a_line_that_is_not_an_answer(self, fault, raw, line):
        found = fault(saying(raw))
        assert (found.kind, found.line) == (Forfeit.PROTOCOL, line)

    @pytest.mark.parametrize("raw", [b"= d4\n\n= e5\n\n", b"= d4\n\n\n= e5", b"= d4\r\n\r\ne5\r\n"])
    def test_is_more_than_one_answer(self, fault, raw):
        found = fault(saying(raw))
        assert (found.kind, found.line.removeprefix("= ")) == (Forfeit.PROTOCOL, "e5")

    def test_is_an_answer_before_the_command(self, children):
        child = children.start("import os, time\nos.write(1, b'= d4\\n\\n')\nos.write(2, b'!')\ntime.sleep(9)")
        os.set_blocking(child.stderr, True)
        os.read(child.stderr, 1)
        with pytest.raises(BotFault, match="wrote to stdout before the first command") as caught:
            Channel(child).ask("name", Deadline(5))
        assert (caught.value.kind, caught.value.line) == (Forfeit.PROTOCOL, "= d4")

    def test_is_blamed_on_the_command_that_was_answered_twice(self, children):
        child = children.start("import os\ninput()\nos.write(1, b'= d4\\n\\n')\ninput()\nos.write(1, b'= e5\\n\\n')\n"
                               "os.write(2, b'!')\ninput()")
        channel = Channel(child)
        channel.ask("genmove black", Deadline(5))
        os.write(child.stdin, b"\n")
        os.set_blocking(child.stderr, True)
        os.read(child.stderr, 1)
        with pytest.raises(BotFault, match="after its answer to 'genmove black'"):
            channel.ask("play white a1", Deadline(5))

    def test_at_the_first_command_may_be_a_greeting(self, fault):
        assert str(fault(saying(b"Hello\n"))).endswith("= or ?, and nothing may be written before the first command")

    def test_is_a_flood_of_lines_off_turn(self, children):
        child = children.start("import os\nos.write(2, b'!')\nwhile True: os.write(1, b'= e5\\n\\n' * 500)")
        os.set_blocking(child.stderr, True)
        os.read(child.stderr, 1)
        channel = Channel(child)
        with pytest.raises(BotFault) as caught:
            channel.ask("name", Deadline(5))
        assert (caught.value.kind, caught.value.line) == (Forfeit.PROTOCOL, "= e5")

    def test_is_not_a_blank_line_between_answers(self, children):
        source = "import os\nwhile input(): os.write(1, b'= d4\\n\\n'), os.write(1, b'\\r\\n\\n')"
        channel = Channel(children.start(source))
        assert [channel.ask("name", Deadline(5)) for _ in range(20)] == [(True, "d4")] * 20


class TestTooMuchOutput:
    @pytest.mark.parametrize("flood", [b"x", b"\\n", b"= d4\\n"])
    def test_is_an_endless_answer(self, fault, flood):
        found = fault(f"import os\ninput()\nwhile True: os.write(1, b'{flood.decode()}' * 10_000)")
        assert found.kind is Forfeit.OUTPUT

    def test_is_more_than_the_limit_on_stderr(self, fault):
        found = fault("import os\ninput()\nwhile True: os.write(2, b'x' * 60_000)", limits=Limits(stderr_bytes=1 << 20))
        assert found.kind is Forfeit.OUTPUT
        assert str(found) == "it wrote more than 1 MB to stderr"

    def test_keeps_only_the_beginning_of_the_line(self, fault):
        assert fault(saying(b"x" * 9000)).line == "x" * 500 + "…"


class TestTime:
    def test_runs_out_on_a_silent_bot(self, fault):
        found = fault("import time\ntime.sleep(9)", seconds=0.1)
        assert found.kind is Forfeit.TIME
        assert "0.1 s were allowed" in str(found)

    def test_runs_out_with_a_hint_on_a_bot_that_forgets_to_flush(self, fault):
        found = fault("import sys\nsys.stdin.readline()\nprint('= d4\\n')\nsys.stdin.read()", seconds=1)
        assert (found.kind, "flush" in str(found)) == (Forfeit.TIME, True)

    @pytest.mark.parametrize("raw", [b"= d4", b"= d4\n"])
    def test_runs_out_with_a_hint_on_an_answer_without_its_empty_line(self, fault, raw):
        found = fault(saying(raw), seconds=1)
        assert (found.kind, found.line, "empty line" in str(found)) == (Forfeit.TIME, "= d4", True)

    def test_runs_out_on_a_bot_that_never_reads_its_input(self, fault):
        found = fault("import time\ntime.sleep(9)", seconds=0.1, command="x" * 300_000)
        assert (found.kind, "did not read" in str(found)) == (Forfeit.TIME, True)

    def test_runs_out_on_a_bot_that_closes_its_stderr_and_waits(self, fault):
        assert fault("import os, time\nos.close(2)\ntime.sleep(9)", seconds=0.1).kind is Forfeit.TIME

    def test_runs_out_on_a_bot_that_writes_endlessly_to_stderr(self, fault):
        found = fault("import os, time\nwhile True: os.write(2, b'.'), time.sleep(0.001)", seconds=0.1)
        assert found.kind is Forfeit.TIME

    def test_gives_no_hint_to_a_bot_that_has_answered_before(self, children):
        channel = Channel(children.start("import os, time\ninput()\nos.write(1, b'=\\n\\n')\ntime.sleep(9)"))
        channel.ask("name", Deadline(5))
        with pytest.raises(BotFault, match=r"ran out of time \(0.1 s were allowed\)$"):
            channel.ask("name", Deadline(0.1))


class TestACrash:
    @pytest.mark.parametrize(("source", "how"), [
        ("input()", "exited with status 0"),
        ("import sys\ninput()\nsys.exit(3)", "exited with status 3"),
        ("import os\ninput()\nos.kill(os.getpid(), 11)", "was killed by SIGSEGV"),
        ("import sys\ninput()\nsys.exit(159)", "was killed by SIGSYS"),
        ("import os, time\ninput()\nos.close(1)\ntime.sleep(9)", "closed its output"),
        ("import os, time\ntime.sleep(0.05)\nos.close(0)\ntime.sleep(9)", "closed its output or input"),
    ])
    def test_names_the_way_the_bot_ended(self, fault, source, how):
        found = fault(source)
        assert (found.kind, how in str(found)) == (Forfeit.CRASH, True)

    def test_keeps_the_traceback(self, children):
        channel = Channel(children.start("input()\nraise ValueError('lost')"))
        with pytest.raises(BotFault, match="status 1"):
            channel.ask("name", Deadline(5))
        assert b"ValueError: lost" in channel.log.text()

    @pytest.mark.parametrize("half", ["= d", "= d4\\n"])
    def test_quotes_an_incomplete_answer_and_says_what_is_missing(self, fault, half):
        found = fault(f"import os\ninput()\nos.write(1, b'{half}')")
        assert (found.kind, found.line) == (Forfeit.CRASH, half.removesuffix("\\n"))
        assert "exited with status 0 before it answered: its answer is not finished" in str(found)
        assert "must be flushed" in str(found)

    @pytest.mark.parametrize("source", ["import os\nos.close(1)", "import os\nos.close(0)\nos.close(1)"])
    def test_before_a_command_is_noticed_at_the_command(self, children, source):
        child = children.start(source)
        while child.exit_status() is None:
            pass
        with pytest.raises(BotFault, match="before the next command") as caught:
            Channel(child).ask("name", Deadline(5))
        assert caught.value.kind is Forfeit.CRASH


    def test_does_not_include_closing_stdin_after_reading_the_command(self, asked):
        source = "import os, time\ninput()\nos.close(0)\ntime.sleep(0.3)\nos.write(1, b'= d4\\n\\n')"
        assert asked(source) == (True, "d4")


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
