"""Measure `squarefield verify` for large bundles, and whether its time per game stays constant as they grow.

    python tests/bench/verify.py [--games 10000 100000] [--format "double knockout"]

The bundles are of knockouts, whose ties are half as many as their games, on Square Grid Hex 3×3, with everything that
a site writes into them. Creating them is not measured. The seconds are CPU time, since the verifier waits for nothing
else; the ratio compares the time per game with that of the first size.
"""

import csv
import io
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.common import options_of

RECORDS = 100
JSON = dict[str, Any]


def main() -> None:
    options = options_of(__doc__, games=([10_000, 100_000], "approximate games per bundle"),
                         format=(("knockout", "double knockout"), "format of the events"))
    from tournaments.formats.verification import verify_bundle

    first = None
    for games in options.games:
        with tempfile.NamedTemporaryFile(suffix=".zip") as file:
            made = write(file, games, options.format)
            started = time.process_time()
            verify_bundle(file.name)
            seconds = time.process_time() - started
        first = first or seconds / made
        print(f"{made:,} games: {seconds:.1f} s, {seconds / made * 1e6:.0f} µs per game, ratio "
              f"{seconds / made / first:.2f}", flush=True)


def write(file: Any, about: int, format_: str) -> int:
    """Write the bundle of an event with about this many games; return their number."""
    from engines.records.bundle import BundleWriter, json_bytes
    from tournaments.formats.verification import COLUMNS, result_row
    from tournaments.pairing import double_knockout, knockout

    bracket, entrants = (knockout, about // 2 + 1) if format_ == "knockout" else (double_knockout, about // 4 + 1)
    games, stages = play(bracket, entrants)
    results = io.StringIO(newline="")
    table = csv.writer(results, lineterminator="\n")
    table.writerows([COLUMNS, *map(result_row, games)])
    with BundleWriter(file) as bundle:
        bundle.add("event.json", [json_bytes(event(bracket, format_, entrants, stages, games))])
        bundle.add("games.jsonl", (json_bytes(game) + b"\n" for game in games))
        bundle.add("results.csv", [results.getvalue().encode()])
    file.flush()
    return len(games)


def play(bracket: ModuleType, entrants: int) -> tuple[list[JSON], list[list[int]]]:
    """Return all games of the event, and the winners of each stage."""
    from tournaments.pairing.bracket import Played

    records = recorded()
    games: list[JSON] = []
    stages: list[list[int]] = []
    # The bracket is queried once for each stage, as on the site.
    while (due := Played(bracket.plan(entrants), stages).next_stage()) is not None:
        winners = []
        for number, pair in enumerate(due.ties, start=1):
            points = Counter(dict.fromkeys(pair, 0.0))
            for seats in (pair, pair[::-1]):
                record = records[len(games) % RECORDS]
                winner = record["result"]["winner"]
                points[seats[winner]] += 1.0
                games.append({
                    "game": len(games) + 1, "match": len(games) // 2 + 1, "round": len(stages) + 1, "pairing": number,
                    "number": 1 + len(games) % 2, "period": len(stages) + 1, "ended_at": "2026-11-20T12:00:00+00:00",
                    "seats": [build(seat) for seat in seats],
                    "record": {**record, "seats": [{**played, "name": f"{name(seat)} v1"} for played, seat in zip(
                        record["seats"], seats, strict=True)]}})
            winners.append(points.most_common(1)[0][0])
        stages.append(winners)
    return games, stages


def recorded() -> list[JSON]:
    """Return games to choose from, none of them a draw."""
    from random import Random

    from engines.records.record import EndedBy, GameRecord, Result, SeatRecord, TurnRecord, name_cells
    from engines.records.time_control import ClockKind, TimeControl
    from engines.rules.registry import find

    empty = GameRecord(
        ruleset="square-grid-hex", size=3, time_control=TimeControl(5.0, 0.1), clock=ClockKind.CPU, tier="standard",
        seats=(SeatRecord("a"), SeatRecord("b")), opening=(), turns=(), result=Result(0, EndedBy.RULE, "connection"))
    made = []
    for seed in range(RECORDS):
        dice, turns, position = Random(seed), [], find(empty.ruleset).start(empty.size)
        while (outcome := position.outcome) is None:
            turn = position.random_turn(dice)
            turns.append(TurnRecord(position.format(turn), 0.1, 0.1))
            position = position.play(turn)
        result = Result(outcome.winner, EndedBy.RULE, outcome.reason, name_cells(outcome.cells, 3), outcome.counts)
        made.append(replace(empty, turns=tuple(turns), result=result).to_dict())
    return made


def name(entrant: int) -> str:
    return f"bot-{entrant}"


def build(entrant: int) -> JSON:
    return {"bot": name(entrant), "name": name(entrant), "version": 1, "sha256": "0" * 64, "artefact_sha256": "1" * 64}


def event(bracket: ModuleType, format_: str, entrants: int, stages: Sequence[Sequence[int]],
          games: Sequence[JSON]) -> JSON:
    """Return the verified part of event.json, in the format of `tournaments.selectors.events.bundles`."""
    return {
        "event": {"name": "Large", "format": format_, "cycles": 1, "tie_breaks": []},
        "ladder": {"ruleset": "square-grid-hex", "size": 3},
        "entries": [{**build(entrant), "left_at": None} for entrant in range(entrants)],
        "stages": [[name(entrant) for entrant in stage] for stage in stages],
        "standings": list(standings(bracket, entrants, stages, games)),
    }


def standings(bracket: ModuleType, entrants: int, stages: Sequence[Sequence[int]],
              games: Sequence[JSON]) -> Iterator[JSON]:
    from tournaments.pairing.bracket import Played

    wins, losses = Counter[str](), Counter[str]()
    for game in games:
        winner = game["record"]["result"]["winner"]
        wins[game["seats"][winner]["bot"]] += 1
        losses[game["seats"][1 - winner]["bot"]] += 1
    for place, entrant in Played(bracket.plan(entrants), stages).placings():
        bot = name(entrant)
        yield {"place": place, "bot": bot, "points": float(wins[bot]), "wins": wins[bot], "draws": 0,
               "losses": losses[bot], "tie_breaks": []}


if __name__ == "__main__":
    main()
