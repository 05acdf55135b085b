"""Cache of rows that a worker reads only once, which saves queries for each match.

The limit for a claim and a finish in docs/reference/benchmarks.md ("Claims, pairing") is measured with it.
"""

from dataclasses import dataclass, field
from typing import Final

from tournaments.models import Ladder, Match, Version

# A version takes about 4 kB.
MOST: Final = 2000


@dataclass(slots=True)
class MetadataCache:
    """Ladders, and versions with their bots; the facts that a match needs of them never change."""

    ladders: dict[int, Ladder] = field(default_factory=dict)
    versions: dict[int, Version] = field(default_factory=dict)

    def complete(self, match: Match) -> None:
        """Set the ladder and the versions of the match, reading only those that are not cached."""
        if match.ladder_id not in self.ladders:
            self.ladders |= Ladder.objects.in_bulk([match.ladder_id])
        pair = [match.first_id, match.second_id]
        if unknown := [pk for pk in pair if pk not in self.versions]:
            if len(self.versions) >= MOST:
                self.versions, unknown = {}, pair
            self.versions |= Version.objects.select_related("bot").order_by().in_bulk(unknown)
        match.ladder = self.ladders[match.ladder_id]
        match.first, match.second = (self.versions[pk] for pk in pair)
