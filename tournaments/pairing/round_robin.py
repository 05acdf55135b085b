"""Round-robin by the circle method. Pure: entrants are numbers from 0, as drawn.

The circle method (É. Lucas, *Récréations mathématiques* II, 1883, "Les promenades du pensionnat") in arithmetic
form: with an odd number m of places on the circle, round r pairs x with y where x + y = r modulo m, and the one
place that meets itself gets the entrant in the middle of the circle, or a bye when there is none.
"""

Pairing = tuple[int, int]


def round_robin(entrants: int, cycles: int = 1) -> list[list[Pairing]]:
    """Rounds of (first, second) pairs: every pair once a cycle, nobody twice in a round.

    `first` has seat 0 first. In a cycle everyone is first in half of its pairs, give or take one half; cycles
    alternate, so that two of them are exactly even. With an odd number of entrants one sits out each round.
    Raises ValueError for fewer than two entrants or less than one cycle.
    """
    if entrants < 2 or cycles < 1:
        raise ValueError(f"a round-robin has at least 2 entrants and 1 cycle, not {entrants} and {cycles}")
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
            # Of the differences d and m - d one is odd: the odd one names the first, so everyone on the circle is
            # first against exactly half of the others.
            pairs.append((x, y) if (y - x) % 2 else (y, x))
    return pairs
