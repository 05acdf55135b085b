"""What a worker process does with a match id: claim, play both games in sandboxes, finish; or void, when it fails."""

import functools
import logging
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.conf import settings

from engines.records.record import GameRecord, TurnRecord
from engines.records.time_control import TimeControl
from engines.referee.host import HostStarved
from engines.referee.play import Player, play_game
from engines.rules.registry import find
from engines.rules.ruleset import Position
from engines.sandbox import BotProcess, Build, Sandbox, SandboxError
from tournaments.models import Version
from tournaments.platform.clock import shared_now
from tournaments.platform.logs import about
from tournaments.services.matches import starvation
from tournaments.services.matches.matches import MatchLease, claim, finish, void
from tournaments.services.shared.leases import Lease
from tournaments.worker.attempts import attempt, name_of
from tournaments.worker.backoff import SandboxBackoff
from tournaments.worker.broadcast import Broadcast, TurnLog, broadcast
from tournaments.worker.heartbeat import Heartbeat
from tournaments.worker.metadata_cache import MetadataCache

log = logging.getLogger(__name__)

Claimed = TypeVar("Claimed", bound=Lease[Any])


def play(match_id: int) -> None:
    """Play the match, if it can be claimed, and record how the attempt ended."""
    desk = this_process()
    lease = desk.take(claim, match_id=match_id)
    if lease is None:
        return
    with (about(match=match_id, attempt=lease.number, worker=desk.name),
          broadcast(match_id, lease.number) as shown):
        _play(desk, lease, shown)


def _play(desk: "WorkerContext", lease: MatchLease, shown: Broadcast) -> None:
    records = attempt(lease, lambda heartbeat: desk.play_games(lease, heartbeat, shown), void=void, rest=desk.rest)
    if records is None:
        return
    if finish(lease, records, shared_now()):
        log.info("%s: %s", name_of(lease), ", ".join(record.result.reason for record in records))
    else:
        log.warning("%s came too late and is discarded", name_of(lease))


@dataclass(slots=True)
class WorkerContext:
    """What a process keeps from match to match: its name, an open sandbox and how that is, and what it has read."""

    name: str
    sandbox: Sandbox
    known: MetadataCache = field(default_factory=MetadataCache)
    rest: SandboxBackoff = field(init=False)

    def __post_init__(self) -> None:
        self.rest = SandboxBackoff(self.sandbox)

    def take(self, claim: Callable[..., Claimed | None], **pk: int) -> Claimed | None:
        """The lease on the row with this id, once the sandbox works; None when it cannot be claimed."""
        if not self.rest.until_well():
            return None
        return claim(worker=self.name, tier=self.sandbox.tier, now=shared_now(), **pk)

    def play_games(self, lease: MatchLease, heartbeat: Heartbeat, shown: Broadcast) -> tuple[GameRecord, GameRecord]:
        """Both games from the match's opening, the second with seats exchanged. Raises LeaseLost and SandboxError."""
        self.known.complete(lease.work)
        first, second = lease.work.first, lease.work.second
        return (self._play_game(lease, (first, second), heartbeat, shown.game()),
                self._play_game(lease, (second, first), heartbeat, shown.game()))

    def _play_game(self, lease: MatchLease, versions: tuple[Version, Version], heartbeat: Heartbeat,
                   journal: TurnLog) -> GameRecord:
        match = lease.work
        ladder = match.ladder
        control = TimeControl(ladder.base_seconds, ladder.increment_seconds, ladder.per_turn_seconds)
        players = [self.player(version, heartbeat) for version in versions]

        def on_turn(_: Position, turn: TurnRecord) -> None:
            heartbeat.check()
            journal.turn(turn)

        try:
            record = play_game(find(ladder.ruleset), ladder.size, (players[0], players[1]), time_control=control,
                               opening=match.opening, seed=match.seed, on_turn=on_turn, ponder=ladder.pondering,
                               tier=self.sandbox.tier)
        except HostStarved as starved:
            starvation.note(lease, versions[starved.seat], shared_now())
            raise
        if record.fault is not None:
            self.excuse(*versions)
        return record

    def excuse(self, *versions: Version) -> None:
        """Raise SandboxError when one of these is at fault because its files are gone from this machine."""
        for version in versions:
            if self.sandbox.runtime.damaged(self._stage(version)):
                raise SandboxError(f"files of {version} are gone: is it a cleaner of temporary files?")

    def player(self, version: Version, heartbeat: Heartbeat) -> Player:
        """The version, staged on this machine, to be killed when the lease is lost. Raises SandboxError."""
        return Player(str(version), functools.partial(self._start, self._stage(version), heartbeat),
                      lambda: starvation.is_excusable(version, shared_now()))

    def _start(self, build: Build, heartbeat: Heartbeat) -> BotProcess:
        process = self.sandbox.start(build)
        heartbeat.kill_when_lost(process.pid)
        return process

    def _stage(self, version: Version) -> Build:
        """The bot on this machine, as its check built it once for all."""
        runtime = self.sandbox.runtime
        if (found := runtime.staged_built(version.artefact_sha256)) is not None:
            return found
        with version.artefact.open("rb") as artefact:
            content = artefact.read()
        return runtime.stage_built(content, sha256=version.artefact_sha256)


_employers: list[str] = []


def belong_to(name: str, **_: object) -> None:
    """This process plays for the worker of that name. Takes a Celery signal's arguments."""
    _employers[:] = [name]


@functools.cache
def this_process() -> WorkerContext:
    """The desk of the running process, opened on first use: `worker's name:process id`. Raises SandboxUnavailable."""
    sandbox = Sandbox.open(unsafe_local=settings.UNSAFE_LOCAL)
    employer = _employers[0] if _employers else socket.gethostname()
    return WorkerContext(f"{employer}:{os.getpid()}", sandbox)
