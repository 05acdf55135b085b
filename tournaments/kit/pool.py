"""Games played in parallel by several processes.

Each process has its own sandbox and starts its bots from its main thread, because bots die with the thread that started
them. A process ends when its pipe closes, so none outlives the command, even if that is killed.
"""

import signal
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from types import TracebackType
from typing import Final, NoReturn, Self

from engines.records.record import GameRecord
from engines.records.time_control import TimeControl
from engines.referee.host import HostStarved
from engines.referee.play import Player, play_game
from engines.rules.registry import find
from engines.sandbox import Build, Runtime, Sandbox, SandboxError
from engines.sandbox.isolation.limits import DEFAULT, Limits, Tier
from tournaments.kit.bridge.outside import Outside

# Number of attempts to play a game if a busy host voids it.
_ATTEMPTS: Final = 3
# spawn, because forked processes would inherit each other's pipes and never see their own close.
_CONTEXT: Final = get_context("spawn")


@dataclass(frozen=True, slots=True)
class Setting:
    """Settings common to all games of a series. `root` is the runtime directory."""

    ruleset: str
    size: int
    control: TimeControl
    bots: tuple[Build, Build]
    root: Path
    unsafe_local: bool


@dataclass(frozen=True, slots=True)
class Job:
    """One game, numbered from 1: the bot that moves first, and the opening with the seed that drew it."""

    number: int
    first: int
    opening: tuple[str, ...]
    seed: int


class WorkerDied(SandboxError):
    """A process that played games ended unexpectedly."""


class Pool:
    """Pool of `processes` processes that play games."""

    def __init__(self, setting: Setting, processes: int) -> None:
        self._workers: list[tuple[SpawnProcess, Connection]] = []
        for _ in range(processes):
            ours, theirs = _CONTEXT.Pipe()
            process = _CONTEXT.Process(target=_work, args=(setting, theirs), daemon=True)
            process.start()
            theirs.close()
            self._workers.append((process, ours))

    def play(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, GameRecord]]:
        """Yield every game as it ends, in any order. Raises SandboxError or WorkerDied for the first that fails.

        Games in progress when the caller stops iterating are dropped.
        """
        waiting = iter(jobs)
        busy: dict[Connection, Job] = {}
        for _, pipe in self._workers:
            _give(pipe, waiting, busy)
        while busy:
            for ready in wait(list(busy)):
                assert isinstance(ready, Connection), "only connections were waited for"
                job = busy.pop(ready)
                record = _receive(ready)
                _give(ready, waiting, busy)
                yield job, record

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None,
                 trace: TracebackType | None) -> None:
        for process, pipe in self._workers:
            process.terminate()
            pipe.close()
        for process, _ in self._workers:
            process.join()


def _give(pipe: Connection, waiting: Iterator[Job], busy: dict[Connection, Job]) -> None:
    job = next(waiting, None)
    if job is not None:
        busy[pipe] = job
        try:
            pipe.send(job)
        except BrokenPipeError:
            return  # the process has ended; its last answer is still in the pipe


def _receive(pipe: Connection) -> GameRecord:
    try:
        answer = pipe.recv()
    except (EOFError, ConnectionResetError):
        raise WorkerDied("a process that played games ended unexpectedly") from None
    if isinstance(answer, SandboxError):
        raise answer
    assert isinstance(answer, GameRecord), "a process sends nothing else"
    return answer


def _work(setting: Setting, pipe: Connection) -> None:
    """Play the games that arrive until the pipe closes."""
    # Ctrl-C reaches all processes of the terminal, but the parent ends this one. Exiting normally ends its bots.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    try:
        sandbox = Sandbox.open(Runtime(setting.root), unsafe_local=setting.unsafe_local)
        while True:
            pipe.send(_play(setting, sandbox, pipe.recv()))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
    except SandboxError as error:
        pipe.send(SandboxError(str(error)))


def _leave(number: int, _frame: object) -> NoReturn:
    sys.exit(128 + number)


def _play(setting: Setting, sandbox: Sandbox, job: Job) -> GameRecord:
    first, second = (player_of(sandbox, setting.bots[number]) for number in (job.first, 1 - job.first))
    for left in range(_ATTEMPTS - 1, -1, -1):
        try:
            return play_game(find(setting.ruleset), setting.size, (first, second), time_control=setting.control,
                             opening=job.opening, seed=job.seed, limits=limits_for(setting.bots),
                             tier=tier_of(sandbox, setting.bots))
        except HostStarved:
            if not left:
                raise
    raise AssertionError("the last attempt returns or raises")


def player_of(sandbox: Sandbox, build: Build) -> Player:
    """Return a staged bot, or a bridge, as a player for the referee."""
    if isinstance(build, Outside):
        return Player(build.manifest.name, build.start)
    return Player(build.manifest.name, lambda: sandbox.start(build))


def tier_of(sandbox: Sandbox, bots: tuple[Build, Build]) -> str:
    """Return the tier of the bots' games: that of the sandbox, unless one of them runs outside it."""
    return Tier.UNSAFE_LOCAL.value if any(isinstance(bot, Outside) for bot in bots) else sandbox.tier.value


def limits_for(bots: tuple[Build, Build]) -> Limits:
    """Return the limits of the bots' games: an engine behind a bridge may need longer to start."""
    seconds = max((bot.handshake_seconds for bot in bots if isinstance(bot, Outside)), default=None)
    return DEFAULT if seconds is None else replace(DEFAULT, handshake_seconds=seconds, handshake_cpu_seconds=seconds)
