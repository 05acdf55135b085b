"""The check that a submission must pass before its version is ready; workers and bot authors run the same check.

    verdict = check_submission(archive, sandbox, on_step=lambda step: print(step))

The check unpacks the archive, reads its manifest and runs its build command in the sandbox. The bot completes the
handshake and then plays two games in each of its rulesets against the reference bot `random`, one from each seat. It
does not have to win, but must play to the end without a fault. Faults of the service raise an exception and never
count as a verdict.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from engines.bots import REFERENCE_BOTS
from engines.manifest import Manifest, ManifestRefused
from engines.public import Copyable
from engines.records.endings import GameEnd, last_position
from engines.records.record import Fault, GameRecord
from engines.records.time_control import TimeControl
from engines.referee.diagnosis import error_line
from engines.referee.play import Player, play_game
from engines.rules.registry import find
from engines.rules.ruleset import Ruleset
from engines.sandbox import ArchiveRefused, BotProcess, Build, BuildFailed, Sandbox, SandboxError
from engines.sandbox.isolation.limits import MiB
from engines.sandbox.staging.scripts import unusable, unusable_in
from engines.sandbox.staging.submission import bot_entries, read_submission, readable
from engines.sandbox.staging.tools import missing_tool

LARGEST_ARCHIVE: Final = 32 * MiB
LARGEST_BOARD: Final = 6
TIME_CONTROL: Final = TimeControl(5.0, 0.1)
OPPONENT: Final = "random"


class Stage(StrEnum):
    """The kinds of steps, in order."""

    UNPACK = "unpack"
    MANIFEST = "manifest"
    BUILD = "build"
    HANDSHAKE = "handshake"
    GAME = "game"


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the check when it begins (`passed` is None) or when it is over; `note` describes the result."""

    stage: Stage
    name: str
    passed: bool | None = None
    note: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason why a submission was rejected: the step, a sentence, and the line to fix or "".

    `log` is the output of the build, or the bot's stderr in the game that it forfeited; at most 64 KiB.
    `line` and `log` are untrusted input: escape them before display.
    """

    stage: Stage
    step: str
    message: str
    line: str = ""
    log: str = ""

    def __str__(self) -> str:
        return f"{self.step[0].upper()}{self.step[1:]}: {self.message}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a check. `build` is staged in the sandbox's runtime; `log` is the build command's output.

    `games` are the records of the qualification games played so far; the bot's seat alternates: 0, 1, 0, 1 …
    """

    manifest: Manifest | None
    build: Build | None
    games: tuple[GameRecord, ...]
    log: str
    failure: Failure | None

    @property
    def passed(self) -> bool:
        """True if the submission becomes a version."""
        return self.failure is None


class _Failed(Copyable, Exception):
    def __init__(self, failure: Failure) -> None:
        super().__init__(str(failure))
        self.failure = failure


def check_submission(
    archive: bytes,
    sandbox: Sandbox,
    *,
    on_step: Callable[[Step], None],
    on_turn: Callable[[], None] = lambda: None,
    on_start: Callable[[BotProcess], None] = lambda _: None,
    on_log: Callable[[str], None] = lambda _: None,
    on_game: Callable[[GameRecord], None] = lambda _: None,
    largest: int = LARGEST_ARCHIVE,
) -> Verdict:
    """Check an archive of at most `largest` bytes.

    `on_step` is called when a step begins and when it ends, `on_turn` after each turn, and `on_start` with each
    process. `on_log` is called repeatedly with the build's output so far, and `on_game` with the record of each
    finished qualification game, before that step ends. Each callback may raise an exception to abort the check.
    Raises SandboxError if the sandbox fails, which says nothing about the submission.
    """
    check = _Check(sandbox, on_step, on_turn, on_start, on_log, on_game)
    try:
        check.run(archive, largest)
        failure = None
    except _Failed as failed:
        failure = failed.failure
    return Verdict(check.manifest, check.build, tuple(check.games), check.log, failure)


def board_of(ruleset: Ruleset) -> int:
    """Return the number of cells per side in the ruleset's qualification games."""
    return size_up_to(ruleset, LARGEST_BOARD)


def size_up_to(ruleset: Ruleset, largest: int) -> int:
    """Return the ruleset's largest board size that is at most `largest`, or its smallest if all are larger."""
    return max((size for size in ruleset.sizes if size <= largest), default=min(ruleset.sizes))


@dataclass(slots=True)
class _Check:
    """A check in progress."""

    sandbox: Sandbox
    on_step: Callable[[Step], None]
    on_turn: Callable[[], None]
    on_start: Callable[[BotProcess], None]
    on_log: Callable[[str], None]
    on_game: Callable[[GameRecord], None]
    manifest: Manifest | None = None
    build: Build | None = None
    log: str = ""
    games: list[GameRecord] = field(default_factory=list)
    _step: Step = Step(Stage.UNPACK, "")
    _began: float = 0.0

    def run(self, archive: bytes, largest: int) -> None:
        """Run all steps in order. Raises _Failed at the first step that fails."""
        self.manifest = self._read(archive, largest)
        bot = self._build(archive)
        opponent = self.sandbox.runtime.stage_directory(REFERENCE_BOTS[OPPONENT], sandbox=self.sandbox)
        rulesets = [find(slug) for slug in self.manifest.rulesets]
        self._handshake(rulesets[0], bot, opponent)
        total = 2 * len(rulesets)
        for number in range(total):
            self._play(rulesets[number // 2], bot, opponent, number, total)

    # --- the steps ---------------------------------------------------------------------------

    def _read(self, archive: bytes, largest: int) -> Manifest:
        self._begin(Stage.UNPACK, "unpack")
        if len(archive) > largest:
            raise self._failed(f"the archive has {len(archive):,} bytes; at most {largest:,} are allowed")
        try:
            manifest = read_submission(archive)
        except ArchiveRefused as refusal:
            raise self._failed(str(refusal)) from None
        except ManifestRefused as refusal:
            self._passed(f"{len(archive):,} bytes")
            self._begin(Stage.MANIFEST, "manifest")
            raise self._failed(str(refusal), refusal.line) from None
        self._passed(f"{len(archive):,} bytes")
        self._begin(Stage.MANIFEST, "manifest")
        self._passed(f"{manifest.name}, plays {', '.join(manifest.rulesets)}")
        return manifest

    def _build(self, archive: bytes) -> Build:
        self._begin(Stage.BUILD, "build")
        try:
            build = self.build = self.sandbox.runtime.stage(archive, sandbox=self.sandbox, on_log=self.on_log)
        except BuildFailed as failure:
            self.log = failure.log
            missing = missing_tool(failure.log) or unusable_in(failure.log, *readable(bot_entries(archive)[0]))
            raise self._failed(f"{failure}{missing and f': {missing}'}", error_line(failure.log),
                               failure.log) from None
        except (ArchiveRefused, ManifestRefused) as refusal:
            # The upload was accepted when it was read: a refusal now concerns the files that its build has made.
            raise self._failed(str(refusal), getattr(refusal, "line", "")) from None
        self.log = build.build_log
        if wrong := unusable(build.manifest.command, *_files_of(build)):
            raise self._failed(f"run: {wrong}")
        self.on_log(self.log)
        self._passed("" if build.manifest.build else "nothing to build")
        return build

    def _handshake(self, ruleset: Ruleset, bot: Build, opponent: Build) -> None:
        """Play a game that ends before its first turn, so that only the handshake takes place."""
        self._begin(Stage.HANDSHAKE, "handshake")
        record = self._game(ruleset, bot, opponent, 0, ply_cap=0)
        if (fault := record.fault) is not None:
            raise self._at_fault(fault, record)
        seat = record.seats[0]
        self._passed(seat.program)

    def _play(self, ruleset: Ruleset, bot: Build, opponent: Build, number: int, total: int) -> None:
        size, seat = board_of(ruleset), number % 2
        self._begin(Stage.GAME, f"qualification game {number + 1} of {total}, {ruleset.name} {size}×{size}")
        record = self._game(ruleset, bot, opponent, seat)
        self.games.append(record)
        self.on_game(record)
        if (fault := record.fault) is not None:
            raise self._at_fault(fault, record)
        won = {seat: "won", None: "drawn"}.get(record.result.winner, "lost")
        how = GameEnd.of_record(record, last_position(record)).how()
        self._passed(f"{won} {how} after {len(record.turns)} plies as {('first', 'second')[seat]}")

    def _game(self, ruleset: Ruleset, bot: Build, opponent: Build, seat: int, *,
              ply_cap: int | None = None) -> GameRecord:
        """Play a game with the bot in `seat` and return its record. Raises SandboxError if the opponent failed."""
        ours, theirs = self._player(bot, bot.manifest.name), self._player(opponent, OPPONENT)
        record = play_game(
            ruleset, board_of(ruleset), (ours, theirs) if seat == 0 else (theirs, ours), time_control=TIME_CONTROL,
            ply_cap=ply_cap, on_turn=lambda *_: self.on_turn(), tier=self.sandbox.tier.value)
        if record.fault is not None and record.fault.seat != seat:
            raise SandboxError(f"the opponent, {OPPONENT}, failed: {record.fault.message}")
        return record

    def _player(self, build: Build, name: str) -> Player:
        def start() -> BotProcess:
            process = self.sandbox.start(build)
            self.on_start(process)
            return process

        return Player(name, start)

    # --- reporting ---------------------------------------------------------------------------

    def _begin(self, stage: Stage, name: str) -> None:
        self._step, self._began = Step(stage, name), time.monotonic()
        self.on_step(self._step)

    def _passed(self, note: str) -> None:
        self.on_step(replace(self._step, passed=True, note=note, seconds=time.monotonic() - self._began))

    def _failed(self, message: str, line: str = "", log: str = "", *, where: str = "") -> _Failed:
        step = replace(self._step, passed=False, note=message, seconds=time.monotonic() - self._began)
        self.on_step(step)
        return _Failed(Failure(step.stage, step.name + where, message, line, log))

    def _at_fault(self, fault: Fault, record: GameRecord) -> _Failed:
        """Return the failure for a bot that forfeited."""
        said = record.stderr[fault.seat].decode("utf-8", "backslashreplace")
        where = f", ply {fault.ply + 1}" if self._step.stage is Stage.GAME else ""
        assert self.build is not None
        wrong = unusable_in(said, *_files_of(self.build))
        return self._failed(f"{fault.kind}: {fault.message}{wrong and f'; {wrong}'}", fault.line or error_line(said),
                            said, where=where)


def _files_of(build: Build) -> tuple[set[str], Callable[[str], bytes]]:
    """Return the names of the bot's files, and a function that returns the content of one."""
    names = {path.relative_to(build.path).as_posix() for path in build.path.rglob("*") if path.is_file()}
    return names, lambda name: (build.path / name).read_bytes()
