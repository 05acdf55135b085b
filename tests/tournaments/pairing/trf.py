"""FIDE's report format (TRF16), as read by the tests: the pairings of each round and their results."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from py4swiss.engines import DutchEngine
from py4swiss.trf import TrfParser

from ratings.rate.trf_lines import POINTS
from tournaments.pairing.swiss import SwissMatch, SwissPairings, SwissRound
from tournaments.pairing.trf import Player, RoundResult, report
from tournaments.scoring.standings import Tally, Unplayed

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
    return report("Cup", [Player(str(number), 2000.0, number + 1) for number in range(entrants)], rounds,
                  [_results(round_) for round_ in played], facts={}, away=frozenset(away), virtual=virtual)


def _results(round_: SwissRound) -> dict[int, RoundResult]:
    codes = {1.0: "1", 0.5: "=", 0.0: "0"}
    results = {} if round_.bye is None else {round_.bye: RoundResult("U")}
    for match in round_.matches:
        results[match.first] = RoundResult(codes[match.scores[0]], match.second, white=True)
        results[match.second] = RoundResult(codes[match.scores[1]], match.first)
    return results


def as_set(pairings: SwissPairings | SwissRound) -> set[tuple[int, int | None]]:
    """Return pairs and bye regardless of their order."""
    pairs = (pairings.pairs if isinstance(pairings, SwissPairings)
             else [(match.first, match.second) for match in pairings.matches])
    return {*pairs} | ({(pairings.bye, None)} if pairings.bye is not None else set())


def paired_by_py4swiss(text: str, folder: Path) -> set[tuple[int, int | None]]:
    """Let py4swiss check the report strictly, and return the pairs and bye of the next round, white first."""
    path = folder / "report.trf"
    path.write_text(text)
    return {(pairing.white - 1, pairing.black - 1 if pairing.black else None)
            for pairing in DutchEngine.generate_pairings(TrfParser.parse(path, strict=True))}
