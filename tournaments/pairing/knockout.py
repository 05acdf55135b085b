"""Single elimination: an entrant that loses a tie is out. Pure: entrants are numbers from 0, the best seed first.

The tie for third place, if wanted, is played together with the final.
"""

from tournaments.pairing.bracket import Plan, Source, seeded

_NAMES = {2: "Final", 4: "Semi-finals", 8: "Quarter-finals"}


def plan(entrants: int, *, third_place: bool = False) -> Plan:
    """Return the bracket before anything is played."""
    made = Plan(entrants)
    sides = seeded(entrants)
    losers: list[Source | None] = []
    level = 0
    while len(sides) > 1:
        level += 1
        made.add_column("knockout", _NAMES.get(len(sides), f"Round of {len(sides)}"), level)
        # Its losers place below all entrants still in after this column, of which there are as many as ties.
        ends = (1, 2) if len(sides) == 2 else (None, len(sides) // 2 + 1)
        contested = third_place and len(sides) == 4 and entrants >= 4
        pairs = [made.add(one, other, places=(None, None) if contested else ends)
                 for one, other in zip(sides[::2], sides[1::2], strict=True)]
        sides = [winner for winner, _ in pairs]
        losers = [loser for _, loser in pairs] if contested else losers
    if losers:
        made.add_column("third place", "Third place", level)
        made.add(*losers, places=(3, 4))
    return made
