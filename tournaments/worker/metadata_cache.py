"""Cache of rows that a worker process reads only once, which saves queries for each match.

The limit for a claim and a finish in docs/reference/benchmarks.md ("Claims, pairing") is measured with it.
"""

from dataclasses import dataclass, field

from tournaments.models import Ladder, Match, Version


@dataclass(slots=True)
class MetadataCache:
    """Ladders, and versions with their bots; the facts that a match needs of them never change.

    A process is replaced after about a hundred matches, so no entry is ever evicted.
    """

    ladders: dict[int, Ladder] = field(default_factory=dict)
    versions: dict[int, Version] = field(default_factory=dict)

    def complete(self, match: Match) -> None:
        """Set the ladder and the versions of the match, reading only those that are not cached."""
        if match.ladder_id not in self.ladders:
            self.ladders |= Ladder.objects.in_bulk([match.ladder_id])
        pair = [match.first_id, match.second_id]
        if unknown := [pk for pk in pair if pk not in self.versions]:
            self.versions |= Version.objects.select_related("bot").order_by().in_bulk(unknown)
        match.ladder = self.ladders[match.ladder_id]
        match.first, match.second = (self.versions[pk] for pk in pair)
