"""Openings of matches: drawn from the match's seed, among those that its two versions have not had yet."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import reduce
from operator import or_
from random import Random
from typing import Final

from django.db.models import Q

from engines.rules.openings import Bag, Opening, openings
from engines.rules.registry import find
from tournaments.models import Ladder, Match, OpeningBook
from tournaments.models.lifecycle import MatchStatus

Pair = frozenset[int]
_PAIRS_IN_QUERY: Final = 50


class Drawing:
    """The openings of matches about to be inserted. Create it and insert the matches in one transaction.

    Two versions get an opening again only after they have had all of them, on any ladders of this ruleset and size.
    Cancelled matches do not count: nothing of them was ever shown.

    Hold Lock.OPENINGS: of two events that start at once, the second must see what the first has drawn.
    """

    def __init__(self, ladder: Ladder, conditions: Iterable[Q], *, meet_once: bool = False,
                 book: OpeningBook | None = None) -> None:
        """Read the openings used so far in the matches that `conditions` select.

        Every earlier match between the versions to be paired must meet one of the conditions. With `meet_once`, no two
        versions are given more than one match. The openings are those of the `book` if there is one.
        """
        self._every = (openings(find(ladder.ruleset), ladder.size) if book is None else
                       tuple(tuple(opening) for opening in book.openings))
        self._used = _used(ladder, conditions)
        self._bags: dict[Pair, Bag] = {}
        self._meet_once = meet_once

    def draw(self, first: int, second: int, seed: int) -> Opening:
        """Return the opening of the next match between these two versions."""
        pair = frozenset((first, second))
        if self._meet_once and pair not in self._used:
            # The same opening that a bag would draw: half a million pairs that meet once need no bags.
            return self._every[int(Random(seed).random() * len(self._every))]  # noqa: S311 - reproducible draw
        if pair not in self._bags:
            self._bags[pair] = Bag(self._every, self._used[pair])
        return self._bags[pair].draw(seed)


def among(versions: Iterable[int]) -> list[Q]:
    """Return the condition that selects all matches among these versions."""
    known = list(versions)
    return [Q(first__in=known, second__in=known)]


def draw_openings(ladder: Ladder, matches: Sequence[Match]) -> None:
    """Set the openings of matches about to be inserted, all together and in order.

    Hold Lock.OPENINGS.
    """
    drawing = Drawing(ladder, between({frozenset((match.first_id, match.second_id)) for match in matches}))
    for match in matches:
        match.opening = list(drawing.draw(match.first_id, match.second_id, match.seed))


def between(pairs: Collection[Pair]) -> Iterator[Q]:
    """Yield conditions that select the matches of exactly these pairs, read by index regardless of other matches."""
    conditions = [Q(first__in=pair, second__in=pair) for pair in pairs]
    for start in range(0, len(conditions), _PAIRS_IN_QUERY):
        yield reduce(or_, conditions[start:start + _PAIRS_IN_QUERY])


def _used(ladder: Ladder, conditions: Iterable[Q]) -> dict[Pair, list[Opening]]:
    """Return the openings that pairs of versions have had so far in the matches that these conditions select."""
    used: dict[Pair, list[Opening]] = defaultdict(list)
    # Filtered here: a join would tempt PostgreSQL to read every match that the ladder has ever had.
    alike = set(Ladder.objects.filter(ruleset=ladder.ruleset, size=ladder.size).values_list("pk", flat=True))
    earlier = Match.objects.exclude(status=MatchStatus.CANCELLED)
    for condition in conditions:
        found = earlier.filter(condition).order_by("pk").values_list("ladder", "first", "second", "opening")
        for played_on, first, second, opening in found.iterator():
            if played_on in alike:
                used[frozenset((first, second))].append(tuple(opening))
    return used
