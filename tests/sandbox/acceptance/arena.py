"""Games of the acceptance list's bots: compiled, staged, started in the real sandbox, refereed and observed."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from engines.records.record import GameRecord
from engines.records.time_control import TimeControl
from engines.referee.play import Player, play_game
from engines.rules.registry import find
from engines.sandbox import BotProcess, Build, Limits, Sandbox, Tier
from engines.sandbox.isolation.limits import MiB
from engines.sandbox.processes.watch import descendants
from tests.waiting import wait_for

BOTS = Path(__file__).parent / "bots"
RULESET = find("square-grid-hex")
SIZE = 3
# Short if CPU time is charged. With wall time, an honest bot needs enough for its turns on a busy machine.
CONTROLS = {Tier.STANDARD: TimeControl(0.1), Tier.REDUCED: TimeControl(2.0)}
# In a guest (tests/sandbox/guest), page faults are slow, so bots have less memory and longer clocks.
IN_A_GUEST = "ACCEPTANCE_IN_A_GUEST" in os.environ
CLOCKS = 10 if IN_A_GUEST else 1
LIMITS = Limits(memory_bytes=96 * MiB) if IN_A_GUEST else Limits()


def note(text: str) -> None:
    """Print a measurement; pytest shows it with -rA, or if the test fails."""
    sys.stdout.write(f"{text}\n")


class Workshop:
    """Compiles each bot once and stages it in a runtime directory."""

    def __init__(self, sandbox: Sandbox, directory: Path) -> None:
        self._sandbox = sandbox
        self._directory = directory

    def build(self, bot: str, arguments: Sequence[str] = ()) -> Build:
        """Return the bot from `bots/`, built for these arguments. Raises CalledProcessError if it does not compile."""
        with tempfile.TemporaryDirectory(dir=self._directory) as scratch:
            command = json.dumps(["./bot", *arguments])
            Path(scratch, "bot.toml").write_text(f'name = "{bot}"\ncommand = {command}\n')
            shutil.copy(self._program(bot), Path(scratch, "bot"))
            return self._sandbox.runtime.stage_directory(Path(scratch))

    def _program(self, bot: str) -> Path:
        program = self._directory / bot
        if not program.exists():
            subprocess.run(["gcc", "-O1", "-w", "-pthread", "-o", program, BOTS / f"{bot}.c"], check=True)
        return program


class Watched:
    """A running bot as the referee sees it, with records of what it did off turn."""

    def __init__(self, process: BotProcess) -> None:
        self._process = process
        self._frozen: tuple[float, float] | None = None
        self.off_turn_wall = self.off_turn_cpu = 0.0
        self.last_thaw = self.dead_at = 0.0
        self.tree: set[int] = set()

    def __getattr__(self, name: str) -> object:
        return getattr(self._process, name)

    def freeze(self) -> None:
        self._note_tree()
        self._process.freeze()
        self._frozen = (time.monotonic(), self._process.cpu_seconds() or 0.0)

    def thaw(self) -> None:
        self.last_thaw = time.monotonic()
        if self._frozen is not None:
            self.off_turn_wall += self.last_thaw - self._frozen[0]
            self.off_turn_cpu += (self._process.cpu_seconds() or 0.0) - self._frozen[1]
            self._frozen = None
        self._process.thaw()

    def kill(self) -> None:
        if not self.dead_at:
            self._note_tree()
            self._process.kill()
            self.dead_at = time.monotonic()

    def await_death(self) -> None:
        """Wait for the end of its processes. Without cgroups, the last may die a moment after the kill."""
        wait_for(lambda: not any(map(_alive, self.tree)), "the end of every process")

    def _note_tree(self) -> None:
        self.tree |= {self._process.pid, *descendants(self._process.pid)}


def _alive(pid: int) -> bool:
    with suppress(FileNotFoundError, ProcessLookupError):
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    return False


@dataclass(frozen=True)
class Meeting:
    """A finished game: the bot of the list in `seat`, its process, and its opponent's."""

    record: GameRecord
    seat: int
    bot: Watched
    opponent: Watched
    tier: Tier

    @property
    def reports(self) -> dict[str, str]:
        """Return the bot's reports on stderr, one `attempt: result` per line."""
        lines = self.record.stderr[self.seat].decode(errors="backslashreplace").splitlines()
        return dict(line.rsplit(": ", 1) for line in lines if ": " in line)

    def seconds(self) -> float:
        """Return the time charged to the bot for its turns."""
        return sum(turn.seconds for turn in self.record.turns[self.seat::2])


def meet(sandbox: Sandbox, bot: Build, opponent: Build, *, seat: int = 1, control: TimeControl | None = None,
         ponder: bool = False, limits: Limits | None = None) -> Meeting:
    """Play one refereed game with `bot` in this seat."""
    watched: list[Watched] = []

    def start(build: Build) -> Watched:
        watched.append(Watched(sandbox.start(build, limits=LIMITS)))
        return watched[-1]

    builds = (opponent, bot) if seat == 1 else (bot, opponent)
    players = tuple(Player(build.manifest.name, lambda build=build: start(build)) for build in builds)
    control = control or CONTROLS[sandbox.tier]
    record = play_game(RULESET, SIZE, players, time_control=TimeControl(CLOCKS * control.base), ponder=ponder,
                       limits=limits or Limits(), tier=sandbox.tier.value)
    return Meeting(record, seat, watched[seat], watched[1 - seat], sandbox.tier)


def busy_processes(number: int) -> list["subprocess.Popen[bytes]"]:
    """Start this many processes that use all the CPU they can get; the caller must kill them."""
    loop = Path(shutil.which("sh") or "/bin/sh")
    return [subprocess.Popen([loop, "-c", "while :; do :; done"], stdin=subprocess.DEVNULL,
                             start_new_session=True, env=dict(os.environ)) for _ in range(number)]
