"""Changes by hand of a round's pairings, which releases up to 1.0 allowed and bundles name. Pure.

A change is a pair of entrants that are to meet, or an entrant and None, which is the bye. Their opponents then meet, so
that every entrant stays in the round once.
"""

from dataclasses import dataclass

from tournaments.pairing.round_robin import Pairing

Change = tuple[int, int | None]


class Unchangeable(ValueError):
    """The change does not fit the round: an entrant is not in it, meets itself, or the two meet anyway."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A round's pairs, the top board first, and the entrant with the bye."""

    pairs: tuple[Pairing, ...]
    bye: int | None = None

    def opponent(self, entrant: int) -> int | None:
        """Return the opponent, or None for the bye. Raises Unchangeable for an entrant that is not in the round."""
        if entrant == self.bye:
            return None
        for pair in self.pairs:
            if entrant in pair:
                return pair[1] if pair[0] == entrant else pair[0]
        raise Unchangeable(f"entrant {entrant} is not paired in this round")

    def swap(self, change: Change) -> tuple[int, int]:
        """Return the two entrants that exchange their places, so that those of the change meet. Raises Unchangeable."""
        one, other = change
        rival = self.opponent(one)
        if one == other:
            raise Unchangeable(f"entrant {one} cannot meet itself")
        if rival == other:
            raise Unchangeable(f"entrants {one} and {other} already meet")
        if other is None:
            if self.bye is None:
                raise Unchangeable("the round has no bye")
            return one, self.bye
        third = self.opponent(other)
        if rival is not None:
            return rival, other
        assert third is not None  # Only one of them has the bye.
        return one, third

    def changed(self, change: Change) -> "Plan":
        """Return the round after the change; boards and seats stay where they are. Raises Unchangeable."""
        one, other = self.swap(change)
        new = {one: other, other: one}
        return Plan(tuple((new.get(first, first), new.get(second, second)) for first, second in self.pairs),
                    None if self.bye is None else new.get(self.bye, self.bye))
