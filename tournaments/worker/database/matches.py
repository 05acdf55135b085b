"""The verbs of a match that a worker needs, all with the shared time: here, or in the main process."""

from collections.abc import Sequence
from typing import Protocol

from engines.records.record import GameRecord
from tournaments.models import Version
from tournaments.platform.clock import shared_now
from tournaments.services.matches import starvation
from tournaments.services.matches.matches import MatchLease, claim, finish, void
from tournaments.worker.database.metadata_cache import MetadataCache


class Matches(Protocol):
    """The verbs. Each raises an error if the database fails."""

    def claim(self, *, match_id: int, worker: str, tier: str) -> MatchLease | None:
        """Claim the match; return None if that is impossible. Its ladder and its versions, with bots, are set."""

    def finish(self, lease: MatchLease, records: Sequence[GameRecord]) -> bool:
        """Record the games; return False if the attempt no longer counts."""

    def void(self, lease: MatchLease, reason: str) -> bool:
        """Give up the attempt; return False if it did not hold its match."""

    def note_starved(self, lease: MatchLease, version: Version) -> None:
        """Count the attempt as void because this version was starved."""

    def is_excusable(self, version: Version) -> bool:
        """Return whether a loss of this version can still be void because its host was starved."""


class OwnMatches:
    """The verbs by this thread's connection to the database."""

    def __init__(self) -> None:
        self._known = MetadataCache()

    def claim(self, *, match_id: int, worker: str, tier: str) -> MatchLease | None:
        lease = claim(match_id=match_id, worker=worker, tier=tier, now=shared_now())
        if lease is not None:
            self._known.complete(lease.work)
        return lease

    def finish(self, lease: MatchLease, records: Sequence[GameRecord]) -> bool:
        return finish(lease, records, shared_now())

    def void(self, lease: MatchLease, reason: str) -> bool:
        return void(lease, reason, shared_now())

    def note_starved(self, lease: MatchLease, version: Version) -> None:
        starvation.note(lease, version, shared_now())

    def is_excusable(self, version: Version) -> bool:
        return starvation.is_excusable(version, shared_now())
