"""Round-robin by the circle method. Pure: entrants are numbers from 0, in the order of the draw.

The circle method (É. Lucas, *Récréations mathématiques* II, 1883, "Les promenades du pensionnat") in arithmetic form:
with an odd number m of places on the circle, round r pairs x with y where x + y = r modulo m. The one place that would
meet itself is paired with the entrant in the middle of the circle, or has a bye if there is none.
"""

Pairing = tuple[int, int]


def round_robin(entrants: int, cycles: int = 1) -> list[list[Pairing]]:
    """Return rounds of (first, second) pairs: every pair once per cycle, and no entrant twice per round.

    `first` has seat 0 first. In a cycle, each entrant is first in half of its pairs, to within one half; cycles
    alternate, so that two of them are exactly even. With an odd number of entrants, one sits out each round. Raises
    ValueError for fewer than two entrants or less than one cycle.
    """
    if entrants < 2 or cycles < 1:
        raise ValueError(f"a round-robin needs at least 2 entrants and 1 cycle, not {entrants} and {cycles}")
    one = _cycle(entrants)
    reverse = [[(second, first) for first, second in pairs] for pairs in one]
    return [pairs for number in range(cycles) for pairs in (reverse if number % 2 else one)]


def _cycle(entrants: int) -> list[list[Pairing]]:
    places = entrants - 1 if entrants % 2 == 0 else entrants
    middle = entrants - 1 if entrants % 2 == 0 else None
    return [_round(number, places, middle) for number in range(places)]


def _round(number: int, places: int, middle: int | None) -> list[Pairing]:
    pairs: list[Pairing] = []
    for x in range(places):
        y = (number - x) % places
        if x == y and middle is not None:
            pairs.append((x, middle) if number % 2 else (middle, x))
        elif x < y:
            # One of the differences d and m - d is odd, and the odd one determines the first. So each entrant on the
            # circle is first against exactly half of the others.
            pairs.append((x, y) if (y - x) % 2 else (y, x))
    return pairs
