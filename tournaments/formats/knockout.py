"""Knockout: an entrant that loses a tie is out. Pure."""

from tournaments.formats.brackets import Bracket
from tournaments.pairing import knockout
from tournaments.pairing.bracket import Plan


class Knockout(Bracket):
    """Single elimination, without a tie for third place."""

    slug = "knockout"
    name = "Knockout"

    def pairings(self, entrants: int, *, rounds: int | None = None, runners: int = 0, most: int | None = None) -> int:
        return max(0, entrants - 1)

    def plan(self, entrants: int) -> Plan:
        return knockout.plan(entrants)
