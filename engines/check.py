"""The check that a submission passes before its version is ready; the site's workers and authors run the same.

    verdict = check_submission(archive, sandbox, on_step=lambda step: print(step))

The archive is unpacked and its manifest read, its build command runs in the sandbox, the bot shakes hands, and then
plays two games in each of its rulesets against the reference bot `random`, once from each seat. It need not win: it
must play to the end without a fault. A fault of ours is raised, and is never a verdict.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from engines.bots import REFERENCE_BOTS
from engines.manifest import Manifest, ManifestRefused
from engines.records.record import Fault, GameRecord
from engines.records.time_control import TimeControl
from engines.referee.diagnosis import error_line
from engines.referee.play import Player, play_game
from engines.rules.outcome import spoken
from engines.rules.registry import find
from engines.rules.ruleset import Ruleset
from engines.sandbox import ArchiveRefused, BotProcess, Build, BuildFailed, Sandbox, SandboxError
from engines.sandbox.isolation.limits import MiB
from engines.sandbox.staging.submission import read_submission
from engines.sandbox.staging.tools import missing_tool

LARGEST_ARCHIVE: Final = 32 * MiB
LARGEST_BOARD: Final = 6
TIME_CONTROL: Final = TimeControl(5.0, 0.1)
OPPONENT: Final = "random"


class Stage(StrEnum):
    """What kind of step it is; in the order in which they come."""

    UNPACK = "unpack"
    MANIFEST = "manifest"
    BUILD = "build"
    HANDSHAKE = "handshake"
    GAME = "game"


@dataclass(frozen=True, slots=True)
class Step:
    """A step as it begins (`passed` is None) and again when it is over: `note` is what came of it."""

    stage: Stage
    name: str
    passed: bool | None = None
    note: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a submission is refused: the step by name, a sentence, the line to mend or "", and what was written.

    `log` is what the build wrote, or the bot to stderr in the game that it lost by its conduct; at most 64 KiB.
    `line` and `log` are a stranger's text: whoever shows them must escape them.
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
    """How a check ended. `build` is staged in the sandbox's runtime; `log` is what the build command wrote.

    `games` are the records of the qualification games that were played, the bot's seat being 0, 1, 0, 1 …
    """

    manifest: Manifest | None
    build: Build | None
    games: tuple[GameRecord, ...]
    log: str
    failure: Failure | None

    @property
    def passed(self) -> bool:
        """Whether the submission becomes a version."""
        return self.failure is None


class _Failed(Exception):
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

    `on_step` is told of each step twice; `on_turn` is called after each turn and `on_start` with each process;
    `on_log` is shown what the build has written so far, again and again, and `on_game` each qualification game that
    is over, before its step is. All of them may raise to break the check off. Besides what they raise, raises
    SandboxError: then nothing is known about the submission.
    """
    check = _Check(sandbox, on_step, on_turn, on_start, on_log, on_game)
    try:
        check.run(archive, largest)
        failure = None
    except _Failed as failed:
        failure = failed.failure
    return Verdict(check.manifest, check.build, tuple(check.games), check.log, failure)


def board_of(ruleset: Ruleset) -> int:
    """The cells a side of the ruleset's qualification games."""
    return size_up_to(ruleset, LARGEST_BOARD)


def size_up_to(ruleset: Ruleset, largest: int) -> int:
    """The ruleset's largest board of at most so many cells a side; its smallest where all are larger."""
    return max((size for size in ruleset.sizes if size <= largest), default=min(ruleset.sizes))


@dataclass(slots=True)
class _Check:
    """A check under way."""

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
        """Every step in turn. Raises _Failed at the first that fails."""
        self.manifest = self._read(archive, largest)
        bot = self._build(archive)
        opponent = self.sandbox.runtime.stage_directory(REFERENCE_BOTS[OPPONENT], sandbox=self.sandbox)
        rulesets = [find(slug) for slug in self.manifest.rulesets]
        self._shake_hands(rulesets[0], bot, opponent)
        total = 2 * len(rulesets)
        for number in range(total):
            self._play(rulesets[number // 2], bot, opponent, number, total)

    # --- the steps ---------------------------------------------------------------------------

    def _read(self, archive: bytes, largest: int) -> Manifest:
        self._begin(Stage.UNPACK, "unpack")
        if len(archive) > largest:
            raise self._failed(f"the archive has {len(archive):,} bytes; {largest:,} are allowed")
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
            missing = missing_tool(failure.log)
            raise self._failed(f"{failure}{missing and f': {missing}'}", error_line(failure.log),
                               failure.log) from None
        self.log = build.build_log
        self.on_log(self.log)
        self._passed("" if build.manifest.build else "nothing to build")
        return build

    def _shake_hands(self, ruleset: Ruleset, bot: Build, opponent: Build) -> None:
        """A game that ends before its first turn."""
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
        how = spoken(record.result.reason, drawn=record.result.winner is None)
        self._passed(f"{won} {how} after {len(record.turns)} plies as {('first', 'second')[seat]}")

    def _game(self, ruleset: Ruleset, bot: Build, opponent: Build, seat: int, *,
              ply_cap: int | None = None) -> GameRecord:
        """A game with the bot on this seat. Raises SandboxError when it was the opponent that failed."""
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

    # --- telling -----------------------------------------------------------------------------

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
        """The bot broke the rules or its own neck."""
        said = record.stderr[fault.seat].decode("utf-8", "backslashreplace")
        where = f", ply {fault.ply + 1}" if self._step.stage is Stage.GAME else ""
        return self._failed(f"{fault.kind}: {fault.message}", fault.line or error_line(said), said, where=where)
