"""Round-robin: each entrant plays every other. Pure."""

from collections.abc import Iterable

from tournaments.formats.contract import Scheduled
from tournaments.formats.history import Due, History
from tournaments.pairing.round_robin import round_robin


class RoundRobin(Scheduled):
    """A format in which each pair meets once per cycle."""

    slug = "round-robin"
    name = "Round-robin"
    suits_divisions = True

    def pairings(self, entrants: int, *, rounds: int | None = None, runners: int = 0, most: int | None = None) -> int:
        return entrants * (entrants - 1) // 2

    def first_rounds(self, history: History) -> Iterable[Due]:
        schedule = round_robin(history.entrants, history.cycles)
        return (Due(number, pairs) for number, pairs in enumerate(schedule, start=1))
