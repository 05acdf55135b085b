"""Double elimination: an entrant is out after two losses. Pure: entrants are numbers from 0, the best seed first.

The winners' bracket is a knockout. Its losers drop into the losers' bracket, whose rounds alternate: survivors against
each other, then survivors against those who have just dropped. The winners of the two brackets meet in the grand final.
If the one from the losers' bracket wins it, each has lost once, and they meet again.
"""

from tournaments.pairing.bracket import Plan, Source, seeded


def plan(entrants: int) -> Plan:
    """Return the brackets before anything is played."""
    made = Plan(entrants)
    champion, dropped = _winners_bracket(made)
    last = _losers_bracket(made, dropped)
    level = 2 * len(dropped)
    made.add_column("grand final", "Grand final", level)
    winner, loser = made.add(champion, last, places=(1, 2))
    made.add_column("grand final", "Second grand final", level + 1)
    # The first side is again the winner of the winners' bracket, who has lost the first grand final if there is a
    # second.
    made.add(loser, winner, places=(1, 2), repeats=len(made.ties) - 1)
    return made


def _winners_bracket(made: Plan) -> tuple[Source | None, list[list[Source | None]]]:
    """Return the winner of the bracket, and the losers of each round from top to bottom."""
    sides = seeded(made.entrants)
    dropped: list[list[Source | None]] = []
    while len(sides) > 1:
        level = len(dropped) + 1
        made.add_column("winners", "Winners' final" if len(sides) == 2 else f"Winners' round {level}", level)
        pairs = [made.add(one, other) for one, other in zip(sides[::2], sides[1::2], strict=True)]
        sides = [winner for winner, _ in pairs]
        dropped.append([loser for _, loser in pairs])
    return sides[0], dropped


def _losers_bracket(made: Plan, dropped: list[list[Source | None]]) -> Source | None:
    """Return the winner of the bracket."""
    survivors = dropped[0]
    bracket_ = _LosersRounds(made)
    masks = [0]
    for fresh in dropped[1:]:
        survivors = bracket_.add(survivors[::2], survivors[1::2], last=False)
        mask = _drop_mask(len(fresh), masks)
        survivors = bracket_.add(survivors, [fresh[place ^ mask] for place in range(len(fresh))], last=len(fresh) == 1)
        masks = [known >> 1 for known in (*masks, mask)]
    return survivors[0]


class _LosersRounds:
    """Builder of the losers' bracket: counts the rounds with play, and the entrants left after each."""

    def __init__(self, made: Plan) -> None:
        self.made = made
        self.level = 1
        self.number = 1
        self.left = made.entrants

    def add(self, ones: list[Source | None], others: list[Source | None], *, last: bool) -> list[Source | None]:
        """Return a round's winners, from top to bottom. Its losers share the best place below those left."""
        pairs = list(zip(ones, others, strict=True))
        played = sum(None not in pair for pair in pairs)
        self.level += 1
        self.left -= played
        self.made.add_column("losers", "Losers' final" if last else f"Losers' round {self.number}", self.level)
        self.number += played > 0
        return [self.made.add(*pair, places=(None, self.left + 1))[0] for pair in pairs]


def _drop_mask(ties: int, masks: list[int]) -> int:
    """Return how the losers of a round cross over: the one from place p drops to place p XOR mask.

    Those who lost earlier in the part of the winners' bracket that p won are at p XOR m, for the masks m in use. The
    higher the bit in which two places differ, the later they can meet, so the nearest of them is placed as far away as
    possible. The first mask has all bits set: the usual reversal.
    """
    return max(range(ties), key=lambda mask: (sorted((mask ^ known).bit_length() for known in masks), mask))
