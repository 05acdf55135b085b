"""Double knockout: an entrant is out after losing two ties. Pure."""

from tournaments.formats.brackets import Bracket
from tournaments.pairing import double_knockout
from tournaments.pairing.bracket import Plan


class DoubleKnockout(Bracket):
    """Double elimination. The last pairing is played only if the first grand final does not decide the event."""

    slug = "double knockout"
    name = "Double knockout"
    # On the winners' side, and in both grand finals. An entrant that meets another on the losers' side eliminates it.
    most_ties_of_a_pair = 3

    def pairings(self, entrants: int, *, rounds: int | None = None, runners: int = 0, most: int | None = None) -> int:
        return 2 * entrants - 1 if entrants > 1 else 0

    def plan(self, entrants: int) -> Plan:
        return double_knockout.plan(entrants)
