"""FIDE's tournament report file, TRF16, with the XX lines of pairing programs. Pure.

The columns follow FIDE Handbook C.04, Annex 2 ("Agreement on tournament report files", 2016). XXR, XXC and XXA
are from the TRF(x) of JaVaFo, which bbpPairings and py4swiss read, too: the number of rounds, the first colour, and the
virtual points.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from ratings.rate.trf_lines import POINTS

_LONGEST_NAME: Final = 33
_BYES: Final = {1.0: "U", 0.5: "H", 0.0: "Z"}


class Player(NamedTuple):
    """An entrant: its name, its rating (None without one) and its rank in the standings."""

    name: str
    rating: float | None
    rank: int


class RoundResult(NamedTuple):
    """An entrant's result in a round; entrants are numbered from 0. A bye has no opponent."""

    code: str
    opponent: int | None = None
    white: bool = False

    def __str__(self) -> str:
        if self.opponent is None:
            return f"0000 - {self.code}"
        return f"{self.opponent + 1:4d} {'w' if self.white else 'b'} {self.code}"


def bye_code(points: float) -> str:
    """Return the code of a round for which an entrant was not paired, by its match points: U, H or Z."""
    return _BYES[points]


def report(name: str, players: Sequence[Player], rounds: int, played: Sequence[Mapping[int, RoundResult]], *,
           facts: Mapping[str, str], away: frozenset[int] = frozenset(),
           virtual: Sequence[Sequence[float]] = ()) -> str:
    """Return the report after the rounds `played`, of `rounds` planned. `facts` are further lines by their number.

    An entrant without a result in a round was absent. Those who are `away` are absent in the next round, too.
    `virtual` has the virtual points for every round, by entrant.
    """
    results = [[played_round.get(number, RoundResult("Z")) for played_round in played]
               + [RoundResult("Z")] * (number in away and len(played) < rounds) for number in range(len(players))]
    lines = [f"012 {_plain(name)}", *(f"{code} {_plain(fact)}" for code, fact in facts.items()),
             *(_player(number, *line) for number, line in enumerate(zip(players, results, strict=True)))]
    lines += [f"XXA {number + 1:4d} {' '.join(f'{points:4.1f}' for points in by_round)}"
              for number, by_round in enumerate(virtual)]
    return "\n".join([*lines, f"XXR {rounds}", "XXC white1", ""])


def _player(number: int, player: Player, results: Sequence[RoundResult]) -> str:
    points = sum(POINTS[result.code] for result in results)
    rating = "" if player.rating is None else f"{min(max(round(player.rating), 0), 9999)}"
    about = f"001 {number + 1:4d}      {_plain(player.name)[:_LONGEST_NAME]:<{_LONGEST_NAME}} {rating:>4}".ljust(80)
    return f"{about}{points:4.1f} {player.rank:4d}  {'  '.join(map(str, results))}".rstrip()


def _plain(text: str) -> str:
    """Return the text on one line, in one column per character."""
    composed = unicodedata.normalize("NFC", text)
    return "".join(character if character.isprintable() else " " for character in composed)
