"""Divisions of a league: who moves up and down between seasons. Pure: bots are any hashable values."""

from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from typing import Final, TypeVar

# All divisions of a season start in one transaction, and one page shows them.
MOST_DIVISIONS: Final = 50

Bot = TypeVar("Bot", bound=Hashable)


def next_divisions(tables: Sequence[Sequence[Bot]], entrants: Sequence[Bot], *, size: int,
                   moves: int) -> list[list[Bot]]:
    """Return the divisions of the next season, highest first.

    `tables` are the final tables of the last season, highest division first. `entrants` are the bots of the next
    season by rating, best first: bots of the tables that are not among them have left, and the others are newcomers.

    Bots that left are removed first. Then the last `moves` of each division change places with the first `moves` of
    the next one, or as many as half of the smaller of the two allows. Newcomers follow in the order of rating. The
    whole order is then cut into divisions of `size` bots, so that the next bots in order fill the places of bots that
    left. A lowest division with fewer than 2 * `moves` bots joins the one above, which may therefore have up to
    2 * `moves` - 1 bots more than `size`. If there are too many bots for MOST_DIVISIONS, the lowest division has the
    rest.
    """
    playing = set(entrants)
    stayed = [left for table in tables if (left := [bot for bot in table if bot in playing])]
    known = {bot for table in stayed for bot in table}
    order = [bot for table in _exchanged(stayed, moves) for bot in table]
    order += [bot for bot in entrants if bot not in known]
    divisions = [order[start:start + size] for start in range(0, len(order), size)]
    while len(divisions) > MOST_DIVISIONS or (len(divisions) > 1 and len(divisions[-1]) < 2 * moves):
        last = divisions.pop()
        divisions[-1] += last
    return divisions


def moves_of(tables: Sequence[Sequence[Bot]], divisions: Sequence[Sequence[Bot]]) -> Mapping[Bot, str]:
    """Return the move of each bot of `tables` to the next season's `divisions`: up, down, stays or leaves."""
    after = {bot: level for level, division in enumerate(divisions) for bot in division}
    return {bot: "leaves" if bot not in after else
            "up" if after[bot] < level else "down" if after[bot] > level else "stays"
            for level, table in enumerate(tables) for bot in table}


def _exchanged(tables: Sequence[Sequence[Bot]], moves: int) -> list[list[Bot]]:
    """Return the divisions after the exchange: relegated bots, then those that stay, then promoted ones."""
    sizes = [len(table) for table in tables]
    across = [min(moves, upper // 2, lower // 2) for upper, lower in pairwise(sizes)]
    result = []
    for level, table in enumerate(tables):
        up = across[level - 1] if level else 0
        down = across[level] if level < len(across) else 0
        relegated = tables[level - 1][sizes[level - 1] - up:] if level else []
        promoted = tables[level + 1][:down] if down else []
        result.append([*relegated, *table[up:len(table) - down], *promoted])
    return result
