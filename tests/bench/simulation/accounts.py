"""Accounts of a run of tests/bench/simulation/fleet.py: what the hosts noted, against what the database says."""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Note = list[Any]


def notes(logs: Iterable[Path]) -> list[Note]:
    """Return the lines of all hosts: [what, time, facts…]. The last line of a killed host may be cut off."""
    found = []
    for log in logs:
        for line in log.read_text().splitlines():
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
    return found


def times(some: Iterable[Note], begin: float, end: float) -> dict[str, list[float]]:
    """Return, for the notes of that time, the seconds of each kind by name."""
    found: dict[str, list[float]] = {"claim": [], "age": [], "finish": [], "beat": [], "renew": []}
    for what, at, *facts in some:
        if not begin <= at < end:
            continue
        if what == "claim":
            found["claim"].append(facts[0])
            found["age"].append(facts[1])
        elif what == "finish":
            found["finish"].append(facts[1])
        elif what in {"beat", "renew"}:
            found[what].append(facts[0])
    return found


def settle(some: Iterable[Note]) -> tuple[int, int, str]:
    """Return how many matches were lost and how many done twice, and a sentence with the numbers behind that.

    Lost are those that a host finished and the database does not have as finished, and those that are still running
    although all hosts have stopped and all leases have run out. Done twice are those that two hosts finished, or that
    have more than one counted attempt, two games or four sides.
    """
    from django.db.models import Count

    from tournaments.models import Attempt, Game, Match, Side

    said = Counter(facts[0] for what, _, *facts in some if what == "finish")
    finished = set(Match.objects.filter(status="finished").values_list("pk", flat=True))
    running = Match.objects.filter(status="running").count()
    counted = Attempt.objects.filter(status="counted").count()
    games, sides = Game.objects.count(), Side.objects.count()
    odd = Game.objects.order_by().values("match").annotate(number=Count("pk")).exclude(number=2).count()
    lost = len(said.keys() - finished) + running + sum(max(0, wanted - found) for wanted, found in (
        (len(finished), counted), (2 * len(finished), games), (4 * len(finished), sides)))
    twice = sum(number - 1 for number in said.values()) + odd + sum(max(0, found - wanted) for wanted, found in (
        (len(finished), counted), (2 * len(finished), games), (4 * len(finished), sides)))
    voids = Attempt.objects.filter(status="void").count()
    return lost, twice, (f"{len(finished)} matches finished, {len(said)} reported by hosts, {running} still running; "
                         f"{counted} attempts counted, {voids} void; {games} games, {sides} sides")
