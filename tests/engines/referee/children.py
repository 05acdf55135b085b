"""Real child processes for the referee's tests, without a sandbox."""

import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from engines.referee.play import Player

_CROWD = 16
# A bot that speaks the protocol, with placeholders through which a test makes it misbehave.
_BOT = """
import os, sys, time
turns = iter({turns!r})
def write(text):
    sys.stdout.write(text)
    sys.stdout.flush()
def answer(text=''):
    write(f"= {{text}}\\n\\n")
{start}
for line in sys.stdin:
    command, *words = line.split()
    if command in {refuses!r}:
        write("? unknown command\\n\\n")
    elif command == "protocol_version":
        answer("2")
    elif command == "name":
        answer("Child")
    elif command == "version":
        answer("7")
    elif command == "list_commands":
        answer({knows!r})
    elif command == "quit":
        answer()
        break
    elif command == "genmove":
        {genmove}
    else:
        {other}
"""


def bot(turns=(), *, start="", genmove="answer(next(turns))", other="answer()", knows="list_commands quit",
        refuses=""):
    """Return the source of a bot that answers genmove with these turns, one by one."""
    return _BOT.format(turns=list(turns), start=start, genmove=genmove, other=other, knows=knows.replace(" ", "\n"),
                       refuses=refuses.split())


@contextmanager
def crowd(cpus: set[int]) -> Iterator[None]:
    """Run so many busy processes on these CPUs that each gets only a few per cent of one."""
    started = [subprocess.Popen([sys.executable, "-IS", "-c", "while True: pass"], start_new_session=True)
               for _ in range(_CROWD * len(cpus))]
    try:
        for process in started:
            os.sched_setaffinity(process.pid, cpus)
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


class Child:
    """A bare process with the interface of a sandboxed one. `metered` may return the CPU time that it has used."""

    host_killed = False

    def __init__(self, source: str, *, metered: bool | Callable[[], float] = False, memory: int | None = None) -> None:
        self._popen = subprocess.Popen([sys.executable, "-IS", "-c", source], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
        self.stdin, self.stdout, self.stderr = (
            pipe.fileno() for pipe in (self._popen.stdin, self._popen.stdout, self._popen.stderr))
        self.pid = self._popen.pid
        self.stops = 0
        self._metered, self._memory = metered, memory
        self._cpu = 0.0 if metered else None
        self._status: int | None = None
        self._peak = 0

    def cpu_seconds(self) -> float | None:
        if callable(self._metered):
            return self._metered()
        if self._metered and self.exit_status() is None:
            # Linux derives the id of another process's CPU clock from its pid.
            self._cpu = time.clock_gettime((~self.pid << 3) | 2)
        return self._cpu

    def abandoned(self, pipe: int) -> bool:
        ends = select.poll()
        ends.register(pipe, 0)
        return bool(ends.poll(0))

    def killed_for_others(self) -> bool:
        return self.host_killed

    def memory_exceeded(self) -> bool:
        if self._memory is None:
            return False
        status = Path(f"/proc/{self.pid}/status").read_text() if self.exit_status() is None else ""
        for line in status.splitlines():
            if line.startswith("VmHWM:"):
                self._peak = int(line.split()[1]) * 1024
        return self._peak > self._memory

    def freeze(self) -> None:
        self._signal(signal.SIGSTOP)
        self.stops += 1

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def exit_status(self) -> int | None:
        return self._reap(os.WNOHANG)

    def _reap(self, options: int) -> int | None:
        if self._status is None:
            pid, status, usage = os.wait4(self.pid, options)
            if pid:
                self._status = self._popen.returncode = os.waitstatus_to_exitcode(status)
                self._peak = usage.ru_maxrss * 1024
        return self._status

    def kill(self) -> None:
        self._signal(signal.SIGKILL)
        self._reap(0)
        for pipe in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            pipe.close()

    def _signal(self, number: int) -> None:
        if self.exit_status() is None:
            os.kill(self.pid, number)


class Scripted:
    """A bot in a thread of this process: it writes the same parts to stdout after each line that it reads."""

    pid = os.getpid()

    def __init__(self, parts: Sequence[bytes] = (), *, reads: bool = True) -> None:
        self.parts = parts
        self.done = threading.Event()
        self._stdin, self.stdin = os.pipe()
        self.stdout, self.bots_stdout = os.pipe()
        self.stderr, self._stderr = os.pipe()
        self._thread = threading.Thread(target=self._play, daemon=True)
        if reads:
            self._thread.start()

    def _play(self) -> None:
        with os.fdopen(self._stdin, closefd=False) as lines:
            for _ in lines:
                for part in self.parts:
                    with suppress(BrokenPipeError):
                        os.write(self.bots_stdout, part)
                self.done.set()

    def memory_exceeded(self) -> bool:
        return False

    def killed_for_others(self) -> bool:
        return False

    def abandoned(self, pipe: int) -> bool:
        return False

    def exit_status(self) -> int | None:
        return None

    def kill(self) -> None:
        """Close the referee's ends, which ends the thread, and then the bot's ends."""
        for pipe in (self.stdin, self.stdout, self.stderr):
            os.close(pipe)
        if self._thread.is_alive():
            self._thread.join()
        for pipe in (self._stdin, self.bots_stdout, self._stderr):
            os.close(pipe)


class Children:
    """Creates players from sources, and remembers their processes."""

    def __init__(self) -> None:
        self.processes: list[Child] = []

    def player(self, name: str, source: str, **options: object) -> Player:
        return Player(name, lambda: self.start(source, **options))

    def start(self, source: str, **options: object) -> Child:
        self.processes.append(Child(source, **options))
        return self.processes[-1]

    def running(self) -> list[int]:
        return [child.pid for child in self.processes if child.exit_status() is None]

    def kill_all(self) -> None:
        for child in self.processes:
            child.kill()
