"""Playing of a match by a worker process: claim it, play both games in sandboxes, and finish or void the attempt."""

import functools
import logging
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.conf import settings
from django.db.models.fields.files import FieldFile

from engines.records.record import GameRecord, TurnRecord
from engines.records.time_control import TimeControl
from engines.referee.host import HostStarved
from engines.referee.play import Player, play_game
from engines.rules.registry import find
from engines.rules.ruleset import Position
from engines.sandbox import BotProcess, Build, Sandbox, SandboxError
from tournaments.models import Version
from tournaments.platform.logs import about
from tournaments.services.matches.matches import MatchLease
from tournaments.services.shared.leases import Lease
from tournaments.worker.attempts import attempt, name_of
from tournaments.worker.backoff import SandboxBackoff
from tournaments.worker.broadcast import Broadcast, TurnLog, broadcast
from tournaments.worker.database import match_server
from tournaments.worker.database.matches import Matches
from tournaments.worker.heartbeat import Heartbeat

log = logging.getLogger(__name__)

Claimed = TypeVar("Claimed", bound=Lease[Any])


def play(match_id: int) -> None:
    """Play the match, if it can be claimed, and record the result of the attempt."""
    context = this_process()
    with context.taking(context.matches.claim, match_id=match_id) as lease:
        if lease is None:
            return
        with (about(match=match_id, attempt=lease.number, worker=context.name),
              broadcast(match_id, lease.number) as shown):
            _play(context, lease, shown)


def _play(context: "WorkerContext", lease: MatchLease, shown: Broadcast) -> None:
    records = attempt(lease, lambda heartbeat: context.play_games(lease, heartbeat, shown),
                      void=context.matches.void, rest=context.rest)
    if records is None:
        return
    if context.matches.finish(lease, records):
        log.info("%s: %s", name_of(lease), ", ".join(record.result.reason for record in records))
    else:
        log.warning("%s finished too late and was discarded", name_of(lease))


@dataclass(slots=True)
class WorkerContext:
    """State that a process keeps between matches: its name, an open sandbox with its backoff, its verbs of matches."""

    name: str
    sandbox: Sandbox
    matches: Matches = field(default_factory=match_server.matches)
    rest: SandboxBackoff = field(init=False)

    def __post_init__(self) -> None:
        self.rest = SandboxBackoff(self.sandbox)

    @contextmanager
    def taking(self, claim: Callable[..., Claimed | None], **pk: int) -> Iterator[Claimed | None]:
        """Yield the lease on the row with this ID, once the sandbox works and has room; None if there is none."""
        with ExitStack() as places:
            if not self.rest.until_well() or not self.rest.until_room(places):
                yield None
                return
            yield claim(worker=self.name, tier=self.sandbox.tier, **pk)

    def play_games(self, lease: MatchLease, heartbeat: Heartbeat, shown: Broadcast) -> tuple[GameRecord, GameRecord]:
        """Play both games from the match's opening, the second with seats swapped. Raises LeaseLost, SandboxError."""
        first, second = lease.work.first, lease.work.second
        return (self._play_game(lease, (first, second), heartbeat, shown.game()),
                self._play_game(lease, (second, first), heartbeat, shown.game()))

    def _play_game(self, lease: MatchLease, versions: tuple[Version, Version], heartbeat: Heartbeat,
                   turn_log: TurnLog) -> GameRecord:
        match = lease.work
        ladder = match.ladder
        control = TimeControl(ladder.base_seconds, ladder.increment_seconds, ladder.per_turn_seconds)
        players = [self.player(version, heartbeat) for version in versions]

        def on_turn(_: Position, turn: TurnRecord) -> None:
            heartbeat.check()
            turn_log.turn(turn)

        try:
            record = play_game(find(ladder.ruleset), ladder.size, (players[0], players[1]), time_control=control,
                               opening=match.opening, seed=match.seed, on_turn=on_turn, ponder=ladder.pondering,
                               tier=self.sandbox.tier)
        except HostStarved as starved:
            self.matches.note_starved(lease, versions[starved.seat])
            raise
        if record.fault is not None:
            self.excuse(*versions)
        return record

    def excuse(self, *versions: Version) -> None:
        """Raise SandboxError if files of one of these versions are missing here, which would explain its fault."""
        for version in versions:
            if self.sandbox.runtime.damaged(self._stage(version)):
                raise SandboxError(f"files of {version} are missing; did a cleaner of temporary files remove them?")

    def player(self, version: Version, heartbeat: Heartbeat) -> Player:
        """Stage the version here and return its player, killed if the lease is lost. Raises SandboxError."""
        return Player(str(version), functools.partial(self._start, self._stage(version), heartbeat),
                      lambda: self.matches.is_excusable(version))

    def _start(self, build: Build, heartbeat: Heartbeat) -> BotProcess:
        process = self.sandbox.start(build)
        heartbeat.kill_when_lost(process.pid)
        return process

    def _stage(self, version: Version) -> Build:
        """Stage the bot, as built by its check, on this machine."""
        runtime = self.sandbox.runtime
        if (found := runtime.staged_built(version.artefact_sha256)) is not None:
            return found
        return runtime.stage_built(content_of(version.artefact, str(version)), sha256=version.artefact_sha256)


def content_of(file: FieldFile, owner: str) -> bytes:
    """Return a stored archive. Raises SandboxError if the storage does not have it, which is no fault of its author."""
    try:
        with file.open("rb") as stored:
            return bytes(stored.read())
    except FileNotFoundError:
        raise SandboxError(f"the archive {file.name} of {owner} is missing from the storage: restore it from a backup"
                           ) from None


_employers: list[str] = []


def belong_to(name: str, **_: object) -> None:
    """Assign this process to the worker of that name. Takes a Celery signal's arguments."""
    _employers[:] = [name]


@functools.cache
def this_process() -> WorkerContext:
    """Return the context of this process, opened on first use; its name is `worker:process ID`.

    Raises SandboxUnavailable.
    """
    sandbox = Sandbox.open(unsafe_local=settings.UNSAFE_LOCAL)
    employer = _employers[0] if _employers else socket.gethostname()
    return WorkerContext(f"{employer}:{os.getpid()}", sandbox)
