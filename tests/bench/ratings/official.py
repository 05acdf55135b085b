"""Measure the cost of an official table for the coordinator, with its database: counting, computing and comparing.

    python tests/bench/ratings/official.py [--versions 2000] [--opponents 100] [--postgres]

Every version has played this many others near it, in ten games from five openings. fit.py times only the arithmetic.
"""

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.bench.common import options_of, site
from tests.bench.matchmaking import populate

MATCHES_IN_PERIOD = 500


def main() -> None:
    options = options_of(__doc__, versions=(2000, "players in the table"), opponents=(100, "opponents of each player"),
                         postgres=(False, "use a temporary PostgreSQL instead of SQLite"))
    with site(postgres=options.postgres, redis=False):
        from django.utils import timezone

        populate(options.versions, timezone.now())
        measure(options.opponents)


def measure(opponents: int) -> None:
    from django.db import transaction
    from django.utils import timezone

    from ratings import counting
    from ratings.models import OfficialLine, OfficialTable, PairCounts, Statistics
    from tournaments.models import Ladder, Version
    from tournaments.selectors.ladders.comparisons import compare
    from tournaments.services.ladders.official import compute_due

    ladder, versions = Ladder.objects.get(), list(Version.objects.order_by("pk").values_list("pk", flat=True))
    OfficialTable.objects.all().delete()
    with transaction.atomic():
        say("recounting all games", lambda: counting.count_again(
            ladder_id=ladder.pk, period=1, games=games(versions, opponents), now=timezone.now()))
    print(f"{Statistics.objects.get().games:,} games, {PairCounts.objects.count():,} pairs", flush=True)
    say("first table", lambda: compute_due(timezone.now()))
    dice = Random(3)
    for number in (2, 3):
        meetings = [played(dice, *dice.sample(versions, 2), opening) for opening in range(MATCHES_IN_PERIOD)]
        period = [game for pair in meetings for game in pair]
        with transaction.atomic():
            say(f"counting {len(period):,} games more", lambda number=number, period=period: counting.count_period(
                ladder_id=ladder.pk, number=number, games=period, due_at=timezone.now()))
        say("recomputed table", lambda: compute_due(timezone.now()))
    lines = list(OfficialLine.objects.order_by("rank").select_related("version"))
    for what, place in (("neighbours", 1), ("the best and the worst", -1), ("two others", len(lines) // 2)):
        say(f"comparing {what}", lambda place=place: compare(ladder, lines[0].version, lines[place].version))


def games(versions: list[int], opponents: int) -> Iterator[Any]:
    """Yield ten games of each pair, sorted by pair."""
    dice = Random(2)
    for place, low in enumerate(versions):
        for high in versions[place + 1:place + 1 + opponents // 2]:
            for opening in range(5):
                yield from played(dice, low, high, opening)


def played(dice: Random, one: int, other: int, opening: int) -> list[Any]:
    """Return a match in which the first seat wins more often, and every tenth game is drawn."""
    from ratings.counting import Played

    return [Played(first, second, dice.choices((0, 1, None), (5, 4, 1))[0], [f"o{opening}"])
            for first, second in ((one, other), (other, one))]


def say(what: str, work: Callable[[], Any]) -> None:
    """Run it, and print the time."""
    wall, began = time.perf_counter(), time.process_time()
    work()
    print(f"{what:28} {time.perf_counter() - wall:8.3f} s, CPU of this process {time.process_time() - began:8.3f} s",
          flush=True)


if __name__ == "__main__":
    main()
