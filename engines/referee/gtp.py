"""The referee's side of GTP version 2: sends a command and reads one answer, within a deadline.

`Channel` does not trust its input. It uses a blocking `poll` on a few pipes, without threads or an event loop, so an
exchange takes about 10 µs. Every fault of a bot is raised as a `BotFault`; any other exception is a fault of the host
and must never be scored.
"""

import fcntl
import os
import select
import termios
import time
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from engines.referee.conduct import BotFault, exit_words, out_of_memory, printable_line, stray_output
from engines.rules.outcome import Forfeit
from engines.sandbox.isolation.limits import DEFAULT, Limits, MiB

LIST_BYTES: Final = 65_536  # list_commands: Go programs list hundreds
_CHUNK: Final = 65_536
_EXIT_WAIT: Final = 0.2
_MORE_WAIT: Final = 0.5
# Seconds to wait for an answer before the first look at the clock: reading the clock costs as much as the exchange.
_FIRST_LOOK: Final = 0.005
# After that, maximum seconds between checks that the bot still has its pipes open; a check takes 0.1 ms.
_NEXT_LOOK: Final = 0.1
_FIRST: Final = "before the first command"
_UNFINISHED: Final = "its answer is not finished: an answer ends with an empty line, and must be flushed"


class Process(Protocol):
    """The part of a running bot's interface that the referee needs; `engines.sandbox` implements it.

    `pid` is the root of the process tree. The three pipes are file descriptors of the referee's ends.
    `cpu_seconds` returns the CPU time of the whole tree, or None if it cannot be measured. `abandoned` returns whether
    the bot has closed its end of a pipe even though there was no end of file or error. `exit_status` is None while
    the bot runs, and negative for a signal, as in `subprocess`. `kill` may be called more than once.
    `killed_for_others` returns whether one of its processes was killed because the host, and not the bot, ran out of
    memory.
    """

    @property
    def pid(self) -> int: ...
    @property
    def stdin(self) -> int: ...
    @property
    def stdout(self) -> int: ...
    @property
    def stderr(self) -> int: ...
    def cpu_seconds(self) -> float | None: ...
    def abandoned(self, pipe: int) -> bool: ...
    def memory_exceeded(self) -> bool: ...
    def killed_for_others(self) -> bool: ...
    def freeze(self) -> None: ...
    def thaw(self) -> None: ...
    def exit_status(self) -> int | None: ...
    def kill(self) -> None: ...


class Timer(Protocol):
    """The time limit of a wait: `engines.referee.clock.Deadline` or `TurnTimer`."""

    def wait(self) -> float: ...
    def spent(self) -> str: ...


class StderrLog:
    """A bot's stderr: the total is counted, and the first and last `kept` / 2 bytes are stored."""

    def __init__(self, kept: int) -> None:
        self.total = 0
        self._half = kept // 2
        self._head = bytearray()
        self._tail = bytearray()

    def add(self, data: bytes) -> None:
        """Add data that was read."""
        self.total += len(data)
        room = self._half - len(self._head)
        self._head += data[:room]
        if len(data) > room:
            self._tail += data[room:]
            del self._tail[:-self._half]

    def text(self) -> bytes:
        """Return the stored bytes, with a line in the middle that says how many bytes were left out."""
        left_out = self.total - len(self._head) - len(self._tail)
        gap = b"\n[... %d bytes left out ...]\n" % left_out if left_out else b""
        return bytes(self._head) + gap + bytes(self._tail)


class Channel:
    """The connection to a bot through its pipes."""

    def __init__(self, process: Process, limits: Limits = DEFAULT) -> None:
        self.process = process
        self.log = StderrLog(limits.stderr_kept)
        self._limits = limits
        self._heard = False
        self._answered = ""
        os.set_blocking(process.stdin, False)
        self._poll = select.poll()
        for pipe in (process.stdout, process.stderr):
            os.set_blocking(pipe, False)
            self._poll.register(pipe, select.POLLIN)

    def ask(self, command: str, timer: Timer, limit: int | None = None,
            fits: Callable[[bool, str], bool] | None = None) -> tuple[bool, str]:
        """Send a command. Return whether the answer was a success, and its text without `=` or `?`.

        Raises BotFault unless there is exactly one well-formed answer in time, of at most `limit` bytes (default:
        `Limits.reply_bytes`). If an answer does not satisfy `fits` and more output follows, the fault names the
        previous command: the bot answered that one twice, or wrote something before the first command.
        """
        limit = self._limits.reply_bytes if limit is None else limit
        # The pipe is usually empty, and this poll is cheaper than the exception from reading an empty pipe.
        for pipe, _ in self._poll.poll(0):
            if pipe == self.process.stdout:
                self._refuse_unasked(limit)
        self._send(f"{command}\n".encode(), timer)
        lines, rest = self._receive(command, timer, limit)
        success, text = _success(lines)
        if fits is not None and not fits(success, text) and (rest.strip() or self._writes_more()):
            raise stray_output(b"\n".join(lines), limit, self._when())
        self._answered = command
        if rest.strip():
            raise stray_output(rest, limit, self._when())
        return success, text

    def collect(self) -> None:
        """Read what is available on stderr, without checking its limit."""
        try:
            while self.log.total <= self._limits.stderr_bytes and (data := os.read(self.process.stderr, _CHUNK)):
                self.log.add(data)
        except BlockingIOError:
            return

    def await_exit(self, timer: Timer) -> None:
        """Wait until the bot closes its stdout or time is up; its output is no longer checked."""
        while (left := timer.wait()) > 0:
            for pipe, _ in self._poll.poll(left * 1000):
                data = os.read(pipe, _CHUNK)
                if pipe == self.process.stderr:
                    self._note_stderr(data)
                elif not data:
                    return

    def say_quit(self) -> None:
        """Send `quit` without waiting. It does not matter if the bot has exited or does not read it."""
        try:
            os.write(self.process.stdin, b"quit\n")
        except (BrokenPipeError, BlockingIOError):
            return

    # --- one exchange ------------------------------------------------------------------------

    def _refuse_unasked(self, limit: int) -> None:
        """Raise BotFault if there is output on stdout: the bot wrote it before it received the command."""
        try:
            data = os.read(self.process.stdout, limit + 1)
        except BlockingIOError:
            return
        if not data:
            raise self._gone("before the next command")
        self._heard = True
        if data.strip():
            raise stray_output(data, limit, self._when())

    def _send(self, data: bytes, timer: Timer) -> None:
        while data:
            try:
                data = data[os.write(self.process.stdin, data):]
            except BrokenPipeError:
                raise self._gone("before the next command") from None
            except BlockingIOError:
                self._wait_to_write(timer)

    def _wait_to_write(self, timer: Timer) -> None:
        self._poll.register(self.process.stdin, select.POLLOUT)
        try:
            for pipe, _ in self._poll.poll(max(0.0, timer.wait()) * 1000):
                if pipe == self.process.stdin:
                    return
                if pipe == self.process.stderr:
                    self._judge_stderr()
                else:
                    self._refuse_unasked(self._limits.reply_bytes)
            if timer.wait() <= 0:
                raise self._late(timer, "it did not read its input")
        finally:
            self._poll.unregister(self.process.stdin)

    def _receive(self, command: str, timer: Timer, limit: int) -> tuple[list[bytes], bytes]:
        """Return the lines of one answer, without the blank line that ends it, and any output after that line."""
        lines: list[bytes] = []
        unfinished = b""
        left = limit
        data = self._read(timer, left, lines, unfinished, _FIRST_LOOK)
        # Fast path: nearly every answer is a single line that arrives in one piece.
        if data[:1] in (b"=", b"?") and 0 < data.find(b"\n\n") == data.find(b"\n") == len(data) - 2 <= limit - 2:
            return [data[:-2].rstrip(b"\r")], b""
        while True:
            left -= len(data)
            *whole, unfinished = (unfinished + data).split(b"\n")
            for number, raw in enumerate(whole):
                line = raw.rstrip(b"\r")
                if line.strip(b" \t"):
                    lines.append(line)
                    if len(lines) == 1 and line[:1] not in (b"=", b"?"):
                        hint = "" if self._answered else f", and nothing may be written {_FIRST}"
                        raise BotFault(Forfeit.PROTOCOL,
                                       "it wrote a line that is not an answer: answers begin with = or ?"
                                       + hint, printable_line(line))
                elif lines:
                    rest = b"\n".join((*whole[number + 1:], unfinished))
                    if left >= 0 or rest.strip():
                        return lines, rest
            if left < 0:
                raise BotFault(Forfeit.OUTPUT, f"the answer to {command!r} is longer than {limit} bytes",
                               printable_line(lines[0] if lines else unfinished))
            data = self._read(timer, left, lines, unfinished, timer.wait())

    def _read(self, timer: Timer, left: int, lines: list[bytes], unfinished: bytes, wait: float) -> bytes:
        """Return at least one byte of stdout, reading stderr in the meantime; the timer is checked after `wait` s."""
        stdout, stderr = self.process.stdout, self.process.stderr
        while True:
            ready = self._poll.poll(max(0.0, wait) * 1000)
            gone = False
            for pipe, _ in ready:
                if pipe == stderr:
                    self._judge_stderr()
                else:
                    data = os.read(stdout, left + 1)
                    if data:
                        self._heard = True
                        return data
                    gone = True
            if gone:
                raise self._gone("before it answered", lines, unfinished)
            if wait <= 0:
                raise self._late(timer, self._hint(lines, unfinished), b"\n".join((*lines, unfinished)))
            if not ready and self.process.memory_exceeded():
                raise out_of_memory()
            if not ready and self._abandoned():
                raise self._gone("before it answered", lines, unfinished)
            wait = min(timer.wait(), _NEXT_LOOK)

    def _abandoned(self) -> bool:
        """Return whether the bot has closed its stdout, or has closed its stdin with an unread command in it."""
        stdin, stdout = self.process.stdin, self.process.stdout
        unread = any(fcntl.ioctl(stdin, termios.FIONREAD, bytes(4)))
        return self.process.abandoned(stdout) or (unread and self.process.abandoned(stdin))

    def _note_stderr(self, data: bytes) -> None:
        if data:
            self.log.add(data)
        else:  # closed: poll would keep reporting it
            self._poll.unregister(self.process.stderr)

    def _judge_stderr(self) -> None:
        self._note_stderr(os.read(self.process.stderr, _CHUNK))
        allowed = self._limits.stderr_bytes
        if self.log.total > allowed:
            raise BotFault(Forfeit.OUTPUT, f"it wrote more than {allowed / MiB:g} MB to stderr")

    def _writes_more(self) -> bool:
        """Return whether more output follows the answer. The bot has lost anyway; this only decides the fault."""
        poll = select.poll()
        poll.register(self.process.stdout, select.POLLIN)
        return bool(poll.poll(_MORE_WAIT * 1000)) and bool(os.read(self.process.stdout, _CHUNK).strip())

    # --- what went wrong ---------------------------------------------------------------------

    def _when(self) -> str:
        return f"after its answer to {self._answered!r}" if self._answered else _FIRST

    def _late(self, timer: Timer, hint: str, wrote: bytes = b"") -> BotFault:
        if self.process.memory_exceeded():
            return out_of_memory()
        message = f"it ran out of time ({timer.spent()})"
        return BotFault(Forfeit.TIME, f"{message}: {hint}" if hint else message, printable_line(wrote))

    def _hint(self, lines: list[bytes], unfinished: bytes) -> str:
        if lines or unfinished.strip():
            return _UNFINISHED
        return "" if self._heard else "it wrote nothing at all; does it flush its output after each answer?"

    def _gone(self, when: str, lines: Sequence[bytes] = (), unfinished: bytes = b"") -> BotFault:
        self.collect()
        status = self._await_status()
        if self.process.memory_exceeded():
            return out_of_memory()
        hint = f": {_UNFINISHED}" if lines or unfinished.strip() else ""
        return BotFault(Forfeit.CRASH, f"it {exit_words(status)} {when}{hint}",
                        printable_line(b"\n".join((*lines, unfinished))))

    def _await_status(self) -> int | None:
        """Return the exit status, which may become available shortly after the pipes close."""
        end = time.monotonic() + _EXIT_WAIT
        while (status := self.process.exit_status()) is None and time.monotonic() < end:
            time.sleep(0.002)
        return status


def _success(lines: list[bytes]) -> tuple[bool, str]:
    """Return whether an answer begins with `=`, and its text. It has no ID, as the referee's commands have none."""
    text = b"\n".join(lines)[1:]
    return lines[0][:1] == b"=", text.decode("utf-8", "backslashreplace").strip(" \t\n")
