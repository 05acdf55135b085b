"""How many distinct openings an event has, and how many it needs so that no two entrants play one twice."""

from dataclasses import dataclass

from engines.rules.openings import openings
from engines.rules.registry import find as ruleset_of
from tournaments.formats.registry import find as format_of
from tournaments.models import Event, Ladder


@dataclass(frozen=True, slots=True)
class Openings:
    """`distinct` openings, of which two entrants need at most `needed`: one for each of their matches."""

    distinct: int
    needed: int

    @property
    def repeat(self) -> bool:
        """Whether two entrants may get the same opening twice, so that deterministic bots repeat their games."""
        return self.distinct < self.needed


def of_ladder(ladder: Ladder) -> int:
    """Return the number of openings of the ladder's ruleset and size; 1 if there is only the empty board."""
    return len(openings(ruleset_of(ladder.ruleset), ladder.size))


def of_event(event: Event) -> Openings:
    """Return the openings of an event; without random openings, the empty board is the only one."""
    distinct = event.book.count if event.book else of_ladder(event.ladder) if event.openings else 1
    return Openings(distinct, format_of(event.format).most_matches_of_a_pair(event.cycles))
