"""Which opening a match gets: drawn from its seed, among those that its two versions have not had yet."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from engines.openings import Bag, Opening, openings
from engines.registry import find
from tournaments.lifecycle import MatchStatus
from tournaments.models import Ladder, Match

Pair = frozenset[int]


def draw_openings(ladder: Ladder, matches: Sequence[Match]) -> None:
    """Set the openings of matches that are about to be inserted, in their order.

    Two versions get none a second time, on whatever ladders of this ruleset and size they meet, before they have had
    all of them. Matches that were cancelled do not count: nothing of them was ever shown.

    Hold Lock.OPENINGS: of two events that start at once, the second must see what the first has drawn.
    """
    every = openings(find(ladder.ruleset), ladder.size)
    used = _used(ladder, {version for match in matches for version in (match.first_id, match.second_id)})
    bags: dict[Pair, Bag] = {}
    for match in matches:
        pair = frozenset((match.first_id, match.second_id))
        if pair not in bags:
            bags[pair] = Bag(every, used[pair])
        match.opening = list(bags[pair].draw(match.seed))


def _used(ladder: Ladder, versions: Iterable[int]) -> dict[Pair, list[Opening]]:
    """The openings that each pair of these versions has had so far."""
    used: dict[Pair, list[Opening]] = defaultdict(list)
    earlier = (Match.objects.exclude(status=MatchStatus.CANCELLED)
               .filter(ladder__ruleset=ladder.ruleset, ladder__size=ladder.size,
                       first__in=versions, second__in=versions))
    for first, second, opening in earlier.order_by("pk").values_list("first", "second", "opening").iterator():
        used[frozenset((first, second))].append(tuple(opening))
    return used
