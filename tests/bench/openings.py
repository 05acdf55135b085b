"""Measure the explorer of openings on PostgreSQL with the counts of 1,000,000 games.

    python tests/bench/openings.py [--games 1000000] [--walked 100000] [--requests 500]

Games begin with one of the site's openings and continue with the legal turns of each position in a skewed order: the
first with 38 %, and about half of them with one that follows the third. The `walked` games are played and counted by
the site's own code. Rows with more than 20 games are multiplied for the other games, and the rest are copied with
made-up keys: so the table and its index have their full size, and popular places their full counts. Pages are requested
along random walks, with turns chosen by their number of games, rendered each time. Uses its own PostgreSQL in a
temporary directory, which is removed.
"""

import statistics
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.common import options_of, quantile
from tests.bench.scale import cpu_seconds, large_site, load

RULESET, SIZE = "square-grid-hex", 11
# Games with rows of their own, to which the counts link.
REAL_GAMES = 2000
BATCH = 200


def main() -> None:
    options = options_of(
        __doc__, games=(1_000_000, "games of the table's size"), walked=(100_000, "games that are played"),
        requests=(500, "requests of each address"))
    with large_site():
        load(20, REAL_GAMES)
        from tournaments.services.ladders.ladders import create_ladder

        ladder = create_ladder(ruleset=RULESET, size=SIZE, base_seconds=10.0, increment_seconds=0.1)
        fill(ladder.pk, options.walked)
        multiply(options.games // options.walked)
        report_size(options.games)
        pages(options.requests)


def play(dice: Random, start: Any, known: dict[tuple[str, ...], Any], openings: Any) -> list[str]:
    """Return the first twelve turns of a game; positions after few turns are cached."""
    turns = list(dice.choice(openings))
    position = known.get(tuple(turns))
    if position is None:
        position = start
        for text in turns:
            position = position.play(position.parse(text))
        known[tuple(turns)] = position
    while len(turns) < 12 and position.outcome is None:
        legal = position.steps().next
        rank = int(len(legal) ** (dice.random() ** 2)) - 1
        turn = (legal[(rank * 61 + sum(position.stones.translate(_WEIGHT)) * 17) % len(legal)],)
        turns.append(position.format(turn))
        following = known.get(tuple(turns)) or position.after(turn)
        if len(turns) <= 4:
            known[tuple(turns)] = following
        position = following
    return turns


# Any function of the stones gives each position an order of its own.
_WEIGHT = bytes(3 * value % 251 for value in range(256))


def fill(ladder: int, walked: int) -> None:
    """Play the games and count them in batches, as the coordinator does."""
    from engines.rules.openings import openings as openings_of
    from engines.rules.registry import find
    from engines.rules.symmetry import path
    from ratings import openings
    from ratings.models import OpeningCount

    ruleset, dice, known, spent = find(RULESET), Random(1), {}, [0.0, 0.0]
    every, start = openings_of(ruleset, SIZE), ruleset.start(SIZE)
    for first in range(0, walked, BATCH):
        games = [(1 + number % REAL_GAMES, dice.randrange(2), dice.gauss(1600, 200), play(dice, start, known, every))
                 for number in range(first, min(first + BATCH, walked))]
        began = cpu_seconds()
        followed = [openings.Followed(game, winner, level, list(path(ruleset, SIZE, turns)))
                    for game, winner, level, turns in games]
        middle = cpu_seconds()
        openings.add(ladder_id=ladder, games=followed)
        spent = [spent[0] + middle - began, spent[1] + cpu_seconds() - middle]
    OpeningCount.objects.create(ladder_id=ladder, games=walked)
    print(f"{walked:,} games counted: processor time per game {spent[0] / walked * 1000:.2f} ms for its places, "
          f"{spent[1] / walked * 1000:.2f} ms for its rows", flush=True)


def multiply(times: int) -> None:
    """Give the table the size of this many times the games."""
    from django.db import connection

    from ratings.models import OpeningTurn

    table = OpeningTurn._meta.db_table
    with connection.cursor() as cursor:
        # The copies are consistent, so foreign keys need no checks.
        cursor.execute("SET session_replication_role = replica")
        # Popular places get more games; the others get copies with made-up keys.
        cursor.execute(f"UPDATE {table} SET games = games * %s, wins = wins * %s WHERE games > 20", [times, times])
        cursor.execute(
            f"INSERT INTO {table} (place, turn, band, ladder_id, games, wins, draws, newest) "
            "SELECT hashtextextended(place::text, n), turn, band, ladder_id, games, wins, draws, newest "
            f"FROM {table}, generate_series(1, %s) AS n WHERE games <= 20", [times - 1])
        cursor.execute("SET session_replication_role = origin")
        cursor.execute("VACUUM ANALYZE")


def report_size(games: int) -> None:
    from django.db import connection

    from ratings.models import OpeningTurn

    table = OpeningTurn._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*), pg_table_size('{table}'), pg_indexes_size('{table}') FROM {table}")
        rows, heap, index = cursor.fetchone()
    print(f"{rows:,} rows for {games:,} games ({rows / games:.1f} per game): table {heap / 1e6:,.0f} MB, index "
          f"{index / 1e6:,.0f} MB", flush=True)


def pages(requests: int) -> None:
    """Walk at random, and print the time of the database and of the whole response."""
    from django.db import connection
    from django.test import Client

    from engines.rules.registry import find
    from tournaments.selectors.ladders import openings as reads

    dice, client, ruleset = Random(2), Client(headers={"host": "localhost"}), find(RULESET)
    found: dict[str, list[float]] = {name: [] for name in ("database", "page", "page, processor", "API")}
    in_database = found["database"]

    def timed(execute: Any, *given: Any) -> Any:
        began = time.perf_counter()
        try:
            return execute(*given)
        finally:
            in_database[-1] += (time.perf_counter() - began) * 1000

    began_cpu = cpu_seconds()
    while len(in_database) < requests:
        turns: list[str] = []
        for _ in range(13):
            in_database.append(0.0)
            began, cpu = time.perf_counter(), time.process_time()
            with connection.execute_wrapper(timed):
                answer = client.get(f"/openings/{RULESET}/{SIZE}/", {"turns": " ".join(turns)})
            found["page"].append((time.perf_counter() - began) * 1000)
            found["page, processor"].append((time.process_time() - cpu) * 1000)
            assert answer.status_code == 200
            began = time.perf_counter()
            client.get(f"/api/openings/{RULESET}/{SIZE}/", {"turns": " ".join(turns)})
            found["API"].append((time.perf_counter() - began) * 1000)
            lines = reads.explore(reads.reach(ruleset, SIZE, turns)).lines
            if not lines:
                break
            turns.append(dice.choices(lines, [line.score.games for line in lines])[0].turn)
    spent = (cpu_seconds() - began_cpu) / len(in_database) * 1000
    print(f"processor time of a page, its API and the choice of a turn, with the database: {spent:.1f} ms")
    for name, milliseconds in found.items():
        print(f"{name:15} p50 {statistics.median(milliseconds):6.1f} ms   p95 {quantile(milliseconds, 0.95):6.1f} ms   "
              f"({len(milliseconds)} requests)", flush=True)


if __name__ == "__main__":
    main()
