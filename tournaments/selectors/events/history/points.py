"""Game points of matches, by match and version."""

from collections import defaultdict
from collections.abc import Mapping

from tournaments.models import Event, Game


def points_of(event: Event) -> Mapping[tuple[int, int], float]:
    """Return the points of each version in each match of the event, 0 if it has none."""
    points: dict[tuple[int, int], float] = defaultdict(float)
    for match, seat0, seat1, winner in (Game.objects.filter(event=event)
                                        .values_list("match", "seat0", "seat1", "winner")):
        points[match, seat0] += 0.5 if winner is None else float(winner == 0)
        points[match, seat1] += 0.5 if winner is None else float(winner == 1)
    return points
