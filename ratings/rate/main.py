"""The command line of `squarefield rate`, which prints JSON."""

import argparse
import json
import math
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from ratings.elo import ranks
from ratings.glicko2 import TAU
from ratings.names import tidy
from ratings.rate.games import Games, UnreadableGames, alike, read_games
from ratings.rate.models import by_elo, by_glicko2
from ratings.rate.trf import ENDINGS, read_trf

_DESCRIPTION: Final = """\
Rate the players of a CSV file with one game per line and the columns first, second and result (1, 0.5 or 0 for the
first player); the columns opening, period and rated (yes or no) are optional. The results.csv of an event or a ladder
is such a file. A file named *.trf or *.trfx is read as a FIDE tournament report. Prints JSON.

davidson is the fit of a ladder's ratings: all games at once, in any order. elo and glicko2 process the periods in the
order of their names; within a period, the order of the games does not matter.

The exit status is 0, or 2 if the file cannot be rated; the error message names the line. A report is checked as a
whole, and each error names its line and column."""
_REFUSED: Final = 2
# Decimal places in the JSON, the same as in the official tables.
_DIGITS: Final = 6


def main(argv: Sequence[str]) -> int:
    """Rate the games of a file. Returns the exit status: 0, or 2 if they cannot be rated."""
    options = _parse(argv)
    if options.model == "davidson" and not (find_spec("numpy") and find_spec("scipy")):
        return _refuse("--model davidson needs numpy and scipy: run pip install numpy scipy, or use "
                       "--model elo or --model glicko2, which need only Python")
    name = "standard input" if options.file == "-" else repr(options.file)[1:-1]
    try:
        data = sys.stdin.buffer.read() if options.file == "-" else Path(options.file).read_bytes()
        games = read_trf(data) if options.trf else read_games(data, options.official)
    except OSError as error:
        return _refuse(f"{name} cannot be read: {error.strerror}")
    except UnreadableGames as error:
        return _refuse("\n".join(f"{name}, {line}" for line in str(error).split("\n")))
    anchors = dict(options.anchor)
    for anchor in anchors:
        if anchor not in games.names:
            return _refuse(f"--anchor: {anchor!r} has no games in {name}: write the name exactly as in the file")
    _print(_finished(_rated(games, options, anchors), games, anchors))
    return 0


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="squarefield rate", description=_DESCRIPTION,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE", help="GAMES.csv, or a report such as cup.trf; - for standard input")
    parser.add_argument("--trf", action="store_true", help="read a FIDE tournament report, whatever the file's name")
    parser.add_argument("--model", choices=["davidson", "elo", "glicko2"], default="davidson",
                        help="rating model; davidson (the default) needs numpy and scipy: pip install "
                             "numpy scipy")
    parser.add_argument("--k", type=_between(0.1, 400.0), metavar="K",
                        help="with elo: constant K, such as 16 (default: from 32 for a newcomer to 8 after 150 games)")
    parser.add_argument("--tau", type=_between(0.1, 2.0), metavar="TAU",
                        help=f"with glicko2: limit on changes of the volatility (default: {TAU:g})")
    parser.add_argument("--anchor", type=_anchor, action="append", default=[], metavar="NAME=ELO",
                        help="fix this player's rating and shift all others with it; several anchors match on average")
    parser.add_argument("--official", type=int, metavar="PERIOD",
                        help="reproduce a ladder's official table from its results.csv: rate each version on its own, "
                             "by the rated games up to this period, which the table names")
    options = parser.parse_args(argv)
    for option, model in (("k", "elo"), ("tau", "glicko2"), ("official", "davidson")):
        if getattr(options, option) is not None and options.model != model:
            parser.error(f"--{option} is for --model {model}")
    options.trf = options.trf or options.file.casefold().endswith(ENDINGS)
    if options.trf and options.official is not None:
        parser.error("--official is for a ladder's results.csv, not for a report")
    return options


def _between(low: float, high: float) -> Callable[[str], float]:
    """An argument type: a number within these bounds."""
    def number(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number from {low:g} to {high:g}")
        return value

    return number


def _anchor(text: str) -> tuple[str, float]:
    name, _, rating = text.rpartition("=")
    name = tidy(name)
    try:
        elo = float(rating)
    except ValueError:
        elo = math.nan
    if not name or not abs(elo) <= 1e5:
        raise argparse.ArgumentTypeError(f"{text!r} is not a name with a rating, such as searcher-1=1500")
    return name, elo


def _rated(games: Games, options: argparse.Namespace, anchors: dict[str, float]) -> dict[str, Any]:
    """The results of the chosen model."""
    if options.model == "davidson":
        from ratings.rate.davidson import by_davidson

        return by_davidson(games, anchors)
    said = by_elo(games, options.k) if options.model == "elo" else by_glicko2(games, options.tau or TAU)
    # Both models depend only on differences, so shifting the results is the same as starting elsewhere.
    shift = [anchors[line["name"]] - line["rating"] for line in said["players"] if line["name"] in anchors]
    for line in said["players"]:
        for number in ("rating", "low", "high"):
            line[number] += math.fsum(shift) / max(len(shift), 1)
    return {"first_move_advantage": None, "draw_parameter": None} | said


def _finished(said: dict[str, Any], games: Games, anchors: dict[str, float]) -> dict[str, Any]:
    """The final document: players best first, with ranks and rounded numbers."""
    players = [{key: _rounded(value) for key, value in line.items()} for line in said.pop("players")]
    players.sort(key=lambda line: (-line["rating"], line["name"]))
    placed = ranks({place: line["rating"] for place, line in enumerate(players)})
    notes = said.pop("notes") + games.notes + alike(games.names)
    if games.unrated:
        notes.append(f"games left out because they are unrated or later than --official: {games.unrated}")
    if games.unused:
        notes.append(f"unused columns: {', '.join(games.unused)}")
    return {
        "model": said.pop("model"), "games": len(games.games), "anchors": anchors,
        **{key: _rounded(value) for key, value in said.items()}, "notes": notes,
        "players": [{"rank": placed[place]} | line for place, line in enumerate(players)],
    }


def _rounded(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    # JSON has no infinity, so None; adding 0 turns -0.0 into 0.0.
    return round(value, _DIGITS) + 0.0 if math.isfinite(value) else None


def _print(document: dict[str, Any]) -> None:
    """Print one line per entry and per player."""
    *entries, (_, players) = document.items()
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in entries]
    rows = [f"    {json.dumps(line)}" for line in players]
    table = "[\n" + ",\n".join(rows) + "\n  ]" if rows else "[]"
    print("{", *lines, f'  "players": {table}', "}", sep="\n")


def _refuse(message: str) -> int:
    print(f"squarefield rate: {message}", file=sys.stderr)
    return _REFUSED
