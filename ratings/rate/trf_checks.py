"""Find contradictions between the lines of a report."""

from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from ratings.rate.trf_lines import POINTS, Player, Problem, Report, Result, column_of

# The codes that the opponent can have.
_OTHER_SIDE: Final = {"1": "0", "0": "1", "=": "=", "W": "L", "L": "W", "D": "D", "+": "-", "-": "+-"}


def contradictions(report: Report) -> Iterator[Problem]:
    """Yield what the lines contradict: each other, or the players, the number of rounds, the points and the ranks."""
    if not report.players:
        yield Problem(1, 1, "there is no player: write one line 001 per player")
    for player in report.players.values():
        for round_, result in enumerate(player.results):
            if result.opponent is not None:
                yield from _pairing(report, player, round_, result)
        if report.rounds and len(player.results) > report.rounds[1]:
            yield Problem(player.line, column_of(report.rounds[1]),
                          f"there is a result in round {report.rounds[1] + 1}, but line {report.rounds[0]} says "
                          f"{report.rounds[1]} rounds: correct the number of rounds, or remove the result")
        if report.own_points:
            yield from _points(player, report.virtual.get(player.number, []))
    for line, column, number in report.named:
        if number not in report.players:
            yield Problem(line, column, f"the player {number} does not exist: correct the number, or add its line 001")
    yield from _ranks(list(report.players.values()))


def _pairing(report: Report, player: Player, round_: int, result: Result) -> Iterator[Problem]:
    column, number = column_of(round_), result.opponent
    if number == player.number:
        yield Problem(player.line, column, f"player {number} plays against itself in round {round_ + 1}: correct the "
                                           "opponent")
        return
    other = report.players.get(number or 0)
    if other is None:
        yield Problem(player.line, column, f"the opponent {number} of round {round_ + 1} does not exist: correct the "
                                           "number, or add its line 001")
        return
    theirs = other.results[round_] if round_ < len(other.results) else Result("Z")
    if theirs.opponent != player.number:
        yield Problem(player.line, column,
                      f"player {player.number} meets {number} in round {round_ + 1}, but in line {other.line}, player "
                      f"{number} meets {theirs.opponent or 'no one'}: correct one of the lines")
    elif player.number < other.number:
        if result.colour == theirs.colour != "-":
            yield Problem(player.line, column + 5, f"in round {round_ + 1}, line {other.line} has the colour "
                                                   f"{result.colour}, too: correct one of the lines")
        if theirs.code not in _OTHER_SIDE[result.code]:
            yield Problem(player.line, column + 7,
                          f"the result {result.code} of round {round_ + 1} contradicts the result {theirs.code} in "
                          f"line {other.line}: correct one of the lines")


def _points(player: Player, virtual: list[float]) -> Iterator[Problem]:
    """Compare the points with the results. During a tournament, byes of the next round and virtual points may count."""
    sums = list(accumulate((POINTS[result.code] for result in player.results), initial=0.0))
    paired = max((number for number, result in enumerate(player.results, 1) if result.opponent is not None), default=0)
    right = {total + extra for total in sums[paired:] for extra in (0.0, *virtual)}
    if player.points not in right:
        yield Problem(player.line, 81, f"player {player.number} has {player.points:g} points, but results worth "
                                       f"{sums[-1]:g}: correct the points or a result")


def _ranks(players: list[Player]) -> Iterator[Problem]:
    """Yield the first rank that does not follow those before it. Equal players share a rank; the next ones are free."""
    ranked = sorted((player.rank, player) for player in players if player.rank is not None)
    if not ranked:
        return
    for player in players:
        if player.rank is None:
            yield Problem(player.line, 86, "the rank is missing, but others have one: write it, or remove them all")
            return
    expected = 0
    for place, (rank, player) in enumerate(ranked, 1):
        expected = expected if rank == expected else place
        if rank != expected:
            yield Problem(player.line, 86, f"the rank {rank} does not follow the ranks of the others: number them from "
                                           "1 in the columns 86 to 89; equal players share the first of their ranks")
            return
