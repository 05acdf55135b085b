"""Changes by hand of a round's pairings, and what they break. Pure.

A change is a pair of entrants that are to meet, or an entrant and None, which is the bye. Their opponents then meet, so
that every entrant stays in the round once.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from tournaments.pairing.round_robin import Pairing
from tournaments.pairing.swiss import SwissRound

Change = tuple[int, int | None]
REMATCH, TOGETHER, SCORES, SEATS, BYE = "rematch", "together", "scores", "seats", "bye"
# FIDE Handbook C.04.1, articles 6 and 7: no colour three times in a row, and at most two games more with one colour.
_IN_A_ROW: Final = 3
_MOST_MORE: Final = 2


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


class Warning(NamedTuple):  # noqa: A001 - the word of the pages and the API
    """A rule that a change breaks, its entrants, and a number: earlier round, points apart, or games more."""

    kind: str
    entrants: tuple[int, ...]
    number: float


def warnings(before: Plan, after: Plan, played: Sequence[SwissRound], *,
             together: Collection[frozenset[int]] = ()) -> list[Warning]:
    """Return what the new pairs of `after` break. `together` are the pairs that should not meet in this round."""
    found: list[Warning] = []
    points, seats = _points(played), _seats(played)
    same = {frozenset(pair) for pair in before.pairs}
    for pair in after.pairs:
        if frozenset(pair) in same:
            continue
        met = [number for number, round_ in enumerate(played, start=1) for match in round_.matches
               if match.played and {match.first, match.second} == {*pair}]
        if met:
            found.append(Warning(REMATCH, pair, met[-1]))
        if frozenset(pair) in together:
            found.append(Warning(TOGETHER, pair, 0))
        apart = abs(points.get(pair[0], 0.0) - points.get(pair[1], 0.0))
        if apart:
            found.append(Warning(SCORES, pair, apart))
        for seat, entrant in enumerate(pair):
            had = [*seats.get(entrant, ()), seat]
            more = abs(2 * sum(had) - len(had))
            if more > _MOST_MORE or (len(had) >= _IN_A_ROW and len(set(had[-_IN_A_ROW:])) == 1):
                found.append(Warning(SEATS, (entrant,), seat + 1))
    if after.bye is not None and after.bye != before.bye:
        earlier = [number for number, round_ in enumerate(played, start=1) if _had_gift(round_, after.bye)]
        if earlier:
            found.append(Warning(BYE, (after.bye,), earlier[-1]))
    return found


def _had_gift(round_: SwissRound, entrant: int) -> bool:
    """Whether the entrant won the round without play."""
    return round_.bye == entrant or any(
        not match.played and dict(zip((match.first, match.second), match.scores, strict=True)).get(entrant) == 1
        for match in round_.matches)


def _points(played: Sequence[SwissRound]) -> dict[int, float]:
    points: dict[int, float] = {}
    for round_ in played:
        gained = [*round_.rests, *([(round_.bye, 1.0)] if round_.bye is not None else [])]
        for match in round_.matches:
            gained += zip((match.first, match.second), match.scores, strict=True)
        for entrant, score in gained:
            points[entrant] = points.get(entrant, 0.0) + score
    return points


def _seats(played: Sequence[SwissRound]) -> dict[int, list[int]]:
    """Return the seats of each entrant's first games, round by round; 0 moved first."""
    seats: dict[int, list[int]] = {}
    for round_ in played:
        for match in round_.matches:
            if match.played:
                seats.setdefault(match.first, []).append(0)
                seats.setdefault(match.second, []).append(1)
    return seats
