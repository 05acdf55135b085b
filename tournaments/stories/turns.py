"""The course of a game, from its replay document (engines.records.replay): who led, and since when."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

# A lead is clear from this difference on: of stones, of cells per side, of whatever the ruleset counts.
CLEAR_LEAD: Final = 2
# The winner of a comeback was behind by this much, for more than one turn.
COMEBACK_LEAD: Final = 3
# Or both bots themselves gave it at most this chance.
COMEBACK_CHANCE: Final = 0.2

Document = Mapping[str, Any]


def decisive_turn(document: Document) -> int:
    """Return the turn since which the winner was ahead until the end; the last turn if the measures do not say so."""
    turns, winner = document["turns"], document["result"]["winner"]
    found = len(turns)
    for number in range(len(turns), 0, -1):
        if winner is None or _leader(turns[number - 1]) != winner:
            break
        found = number
    return max(found, min(document["opening"], len(turns)))


def lead_changes(document: Document) -> int:
    """Return how often a clear lead went from one seat to the other."""
    leaders = [_leader(turn) for turn in document["turns"] if _lead(turn) >= CLEAR_LEAD]
    return sum(before != after for before, after in pairwise(leaders))


def comeback(document: Document) -> dict[str, Any] | None:
    """Return the turn at which the later winner was furthest behind, and its evidence; None unless it clearly was.

    The evidence is `chance`, the highest that either bot gave the winner there, or `counts`, the pairs of the measure
    up to the one that decides, the winner's number first.
    """
    turns, winner = document["turns"], document["result"]["winner"]
    if winner is None:
        return None
    return _doubted(turns, winner) or _behind(turns, winner)


def _doubted(turns: Sequence[Mapping[str, Any]], winner: int) -> dict[str, Any] | None:
    """One bot alone can report anything, so both must have said so, one after the other."""
    seen = [(number, turn["seat"], turn["view"]["win"] if turn["seat"] == winner else 1 - turn["view"]["win"])
            for number, turn in enumerate(turns, start=1) if "win" in turn.get("view", {})]
    agreed = [(max(before[2], after[2]), after[0]) for before, after in pairwise(seen) if before[1] != after[1]]
    chance, turn = min(agreed, default=(1.0, 0))
    return {"turn": turn, "chance": chance} if chance <= COMEBACK_CHANCE else None


def _behind(turns: Sequence[Mapping[str, Any]], winner: int) -> dict[str, Any] | None:
    deficits = [_lead(turn) if _leader(turn) == 1 - winner else 0 for turn in turns]
    lasting = [(min(before, after), number) for number, (before, after) in enumerate(pairwise(deficits), start=2)]
    deficit, turn = max(lasting, default=(0, 0))
    if deficit < COMEBACK_LEAD:
        return None
    counts = turns[turn - 1]["measure"]["counts"]
    deciding = next(place for place, (first, second) in enumerate(counts, start=1) if first != second)
    return {"turn": turn, "counts": [[pair[winner], pair[1 - winner]] for pair in counts[:deciding]]}


def _leader(turn: Mapping[str, Any]) -> int | None:
    measure = turn.get("measure")
    return measure["leader"] if measure else None


def _lead(turn: Mapping[str, Any]) -> int:
    """The lead in the pair that decides; 0 if neither leads, or if a goal can no longer be reached: that is the end."""
    measure = turn.get("measure")
    if not measure or measure["leader"] is None:
        return 0
    first, second = next((pair for pair in measure["counts"] if pair[0] != pair[1]), (0, 0))
    return 0 if first is None or second is None else abs(first - second)
