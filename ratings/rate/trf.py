"""Read the games of a FIDE tournament report (TRF16, TRF of 2026, TRF(x) of JaVaFo and bbpPairings)."""

from collections import Counter
from typing import Final

from ratings.names import tidy
from ratings.rate.games import Game, Games, UnreadableGames, decode
from ratings.rate.trf_checks import contradictions
from ratings.rate.trf_lines import POINTS, RATED, UNRATED, Report, parse

ENDINGS: Final = (".trf", ".trfx")
_SHOWN: Final = 20


def read_report(data: bytes) -> Report:
    """Read a report, and check it. Raises UnreadableGames, with one line per error."""
    report = parse(decode(data, "a report"))
    # An error in a line hides its player from the others, whose results would seem to be wrong.
    problems = sorted(report.problems or contradictions(report))
    if problems:
        more = [f"and {len(problems) - _SHOWN} further errors"] if len(problems) > _SHOWN else []
        raise UnreadableGames("\n".join([*map(str, problems[:_SHOWN]), *more]))
    return report


def read_trf(data: bytes) -> Games:
    """Read the games that were played. White has the first seat, and a round is a period. Raises UnreadableGames."""
    report = read_report(data)
    names = _names(report)
    read = Games(names=sorted(names.values()))
    place = {number: read.names.index(name) for number, name in names.items()}
    rounds = sorted({round_ for player in report.players.values() for round_, result in enumerate(player.results)
                     if result.code in RATED})
    read.periods = [str(round_ + 1) for round_ in rounds]
    left_out: Counter[str] = Counter()
    results = sorted((round_, player.number, result) for player in report.players.values()
                     for round_, result in enumerate(player.results))
    for round_, number, (code, opponent, colour) in results:
        if code in RATED and colour == "w":
            read.games.append(Game(place[number], place[opponent or 0], POINTS[code], None, rounds.index(round_)))
        elif code in UNRATED:
            left_out["games that ended before each side had moved (W, D, L)"] += colour == "w"
        elif code not in RATED:
            left_out["results without a game (forfeits, byes and absences)"] += 1
    read.notes = [f"{kind} left out: {count}" for kind, count in left_out.items() if count]
    return read


def _names(report: Report) -> dict[int, str]:
    """Return the names by number; if two players have the same name, all names are followed by their numbers."""
    names = {number: tidy(player.name) for number, player in report.players.items()}
    if len(set(names.values())) < len(names):
        return {number: f"{name} #{number}" for number, name in names.items()}
    return names
