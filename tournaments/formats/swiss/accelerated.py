"""Accelerated Swiss: in the first half of the rounds, the upper half of the draw gets virtual points. Pure.

FIDE Handbook C.04.5.1, Baku acceleration. Everything else is as in a Swiss: virtual points affect only the pairings,
and appear in no table, tie-break or bundle.
"""

from functools import lru_cache

from tournaments.formats.swiss.standard import Swiss
from tournaments.pairing.baku import Baku
from tournaments.pairing.swiss import NoPairing, SwissPairings, SwissRound, next_round


class AcceleratedSwiss(Swiss):
    """A Swiss in which the better seeds meet each other in the early rounds."""

    slug = "accelerated swiss"
    name = "Accelerated Swiss"

    def paired(self, entrants: int, rounds: int, played: tuple[SwissRound, ...], absent: frozenset[int],
               apart: frozenset[frozenset[int]]) -> SwissPairings | None:
        return _paired(entrants, rounds, played, absent, apart)

    def virtual_points(self, entrants: int, rounds: int) -> list[list[float]]:
        baku = Baku(entrants, rounds)
        return [[baku.points(number, entrant) for number in range(1, rounds + 1)] for entrant in range(entrants)]


@lru_cache(maxsize=16)
def _paired(entrants: int, rounds: int, played: tuple[SwissRound, ...], absent: frozenset[int],
            apart: frozenset[frozenset[int]]) -> SwissPairings | None:
    try:
        return next_round(entrants, rounds, played, absent, Baku(entrants, rounds), apart)
    except NoPairing:
        return None
