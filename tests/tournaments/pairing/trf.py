"""FIDE's report format (TRF16), limited to what the tests need: the pairings of each round and their results."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tournaments.pairing.swiss import SwissMatch, SwissPairings, SwissRound
from tournaments.scoring.standings import Tally, Unplayed

POINTS = {"1": 1.0, "=": 0.5, "0": 0.0, "+": 1.0, "-": 0.0, "U": 1.0, "H": 0.5, "Z": 0.0}
_FIRST_RESULT, _RESULT_WIDTH = 91, 10
# Requested byes, absences and forfeited games: the player was absent.
_VOLUNTARY = "HZ-"


class Result(NamedTuple):
    """A player's result in a round; players are numbered from 0."""

    opponent: int | None
    colour: str
    code: str

    @property
    def played(self) -> bool:
        return self.opponent is not None and self.code in "1=0"


def read(path: Path) -> list[list[Result]]:
    """Return each player's results, by number and round."""
    lines = {int(line[4:8]): line.rstrip() for line in path.read_text().splitlines() if line.startswith("001")}
    return [[_result(lines[number][at:at + 8]) for at in range(_FIRST_RESULT, len(lines[number]), _RESULT_WIDTH)]
            for number in sorted(lines)]


def _result(text: str) -> Result:
    opponent, colour, code = text.split()
    return Result(int(opponent) - 1 if int(opponent) else None, colour, code)


def history(players: list[list[Result]]) -> list[SwissRound]:
    """Return the rounds in the form that the pairing code takes."""
    return [_round([results[number] for results in players]) for number in range(len(players[0]))]


def _round(results: list[Result]) -> SwissRound:
    matches = tuple(SwissMatch(player, result.opponent, (POINTS[result.code], POINTS[results[result.opponent].code]),
                               result.played)
                    for player, result in enumerate(results) if result.opponent is not None and result.colour == "w")
    byes = [player for player, result in enumerate(results) if result.code == "U"]
    return SwissRound(matches, byes[0] if byes else None)


def absent(players: list[list[Result]], number: int) -> set[int]:
    """Return the players who were not paired in a round."""
    return {player for player, results in enumerate(players)
            if results[number].opponent is None and results[number].code != "U"}


def tallies(players: list[list[Result]], *, forfeits_are_games: bool = False) -> list[Tally]:
    """Return one tally per game."""
    winners = {1.0: 0, 0.5: None, 0.0: 1}
    return [Tally(player, result.opponent, winners[POINTS[result.code]], 1)
            for player, results in enumerate(players) for result in results
            if result.colour == "w" and (result.played or (forfeits_are_games and result.opponent is not None))]


def unplayed(players: list[list[Result]]) -> list[Unplayed]:
    """Return the rounds decided without play. A player absent until the end counts as withdrawn."""
    return [Unplayed(player, POINTS[result.code], result.opponent, voluntary=result.code in _VOLUNTARY,
                     for_good=result.code in "HZ" and all(later.code in _VOLUNTARY for later in results[number:]))
            for player, results in enumerate(players) for number, result in enumerate(results) if not result.played]


def write(entrants: int, rounds: int, played: list[SwissRound], away: set[int],
          virtual: Sequence[Sequence[float]] = ()) -> str:
    """Return a report from which other programs pair the next round, with virtual points by player and round."""
    lines = [_line(player, [_code(player, round_) for round_ in played] + ["0000 - Z"] * (player in away))
             for player in range(entrants)]
    lines += [f"XXA {player + 1:4d} {' '.join(f'{points:4.1f}' for points in by_round)}"
              for player, by_round in enumerate(virtual)]
    return "\n".join([*lines, f"XXR {rounds}", "XXC white1", ""])


def _line(player: int, results: list[str]) -> str:
    points = sum(POINTS[result[-1]] for result in results)
    name = f"001 {player + 1:4d} m    {player}".ljust(48) + "2000".ljust(32)
    return f"{name}{points:4.1f} {player + 1:4d}".ljust(_FIRST_RESULT) + "  ".join(results)


def _code(player: int, round_: SwissRound) -> str:
    codes = {1.0: "1", 0.5: "=", 0.0: "0"}
    for match in round_.matches:
        if player == match.first:
            return f"{match.second + 1:4d} w {codes[match.scores[0]]}"
        if player == match.second:
            return f"{match.first + 1:4d} b {codes[match.scores[1]]}"
    return "0000 - U" if player == round_.bye else "0000 - Z"


def as_set(pairings: SwissPairings | SwissRound) -> set[tuple[int, int | None]]:
    """Return pairs and bye regardless of their order."""
    pairs = (pairings.pairs if isinstance(pairings, SwissPairings)
             else [(match.first, match.second) for match in pairings.matches])
    return {*pairs} | ({(pairings.bye, None)} if pairings.bye is not None else set())
