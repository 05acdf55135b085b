"""`squarefield rate`: arguments in, JSON out."""

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
from ratings.rate.games import Games, UnreadableGames, read_games
from ratings.rate.models import by_elo, by_glicko2

_DESCRIPTION: Final = """\
Rates the players of a CSV file with one line for each game: the columns first, second and result, which is 1, 0.5 or 0
for the player named first, and if you like opening and period. An event's results.csv is such a file. Prints JSON.

davidson is the fit of the official tables: all games at once, whatever their order. elo and glicko2 go through the
periods, in the order of their names; within one, the order of the games does not matter either.

The exit status is 0, or 2 when the file cannot be rated; the message names the line."""
_REFUSED: Final = 2
# JSON has so many digits after the point as a rebuild of the official table has.
_DIGITS: Final = 6


def main(argv: Sequence[str]) -> int:
    """Rate the games of a file. Returns 0, or 2 when there is nothing to rate them by."""
    options = _parse(argv)
    if options.model == "davidson" and not (find_spec("numpy") and find_spec("scipy")):
        return _refuse("--model davidson needs numpy and scipy: pip install 'squarefield[rate]', or give --model elo "
                       "or --model glicko2, which need nothing but Python")
    name = "standard input" if options.file == "-" else repr(options.file)[1:-1]
    try:
        games = read_games(sys.stdin.buffer.read() if options.file == "-" else Path(options.file).read_bytes())
    except OSError as error:
        return _refuse(f"{name} cannot be read: {error.strerror}")
    except UnreadableGames as error:
        return _refuse(f"{name}, {error}")
    anchors = dict(options.anchor)
    for anchor in anchors:
        if anchor not in games.names:
            return _refuse(f"--anchor: {anchor!r} has no game in {name}: write the name as it is there")
    _print(_finished(_rated(games, options, anchors), games, anchors))
    return 0


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="squarefield rate", description=_DESCRIPTION,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="GAMES.csv", help="the games; - is standard input")
    parser.add_argument("--model", choices=["davidson", "elo", "glicko2"], default="davidson",
                        help="davidson (the default) needs numpy and scipy: pip install 'squarefield[rate]'")
    parser.add_argument("--k", type=_between(0.1, 400.0), metavar="K",
                        help="with elo: a constant K, such as 16, in place of the site's, which falls from 32 to 8")
    parser.add_argument("--tau", type=_between(0.1, 2.0), metavar="TAU",
                        help=f"with glicko2: how much volatilities change, {TAU:g} if it is not given")
    parser.add_argument("--anchor", type=_anchor, action="append", default=[], metavar="NAME=ELO",
                        help="give this player this rating, and shift all others with it; of several the mean counts")
    options = parser.parse_args(argv)
    for option, model in (("k", "elo"), ("tau", "glicko2")):
        if getattr(options, option) is not None and options.model != model:
            parser.error(f"--{option} is for --model {model}")
    return options


def _between(low: float, high: float) -> Callable[[str], float]:
    """What reads a number within these bounds."""
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
    try:
        elo = float(rating)
    except ValueError:
        elo = math.nan
    if not name.strip() or not abs(elo) <= 1e5:
        raise argparse.ArgumentTypeError(f"{text!r} is not a name and its rating, such as searcher-1=1500")
    return name.strip(), elo


def _rated(games: Games, options: argparse.Namespace, anchors: dict[str, float]) -> dict[str, Any]:
    """What the model says."""
    if options.model == "davidson":
        from ratings.rate.davidson import by_davidson

        return by_davidson(games, anchors)
    said = by_elo(games, options.k) if options.model == "elo" else by_glicko2(games, options.tau or TAU)
    # Both models know differences alone: to have begun elsewhere is to be shifted at the end.
    shift = [anchors[line["name"]] - line["rating"] for line in said["players"] if line["name"] in anchors]
    for line in said["players"]:
        for number in ("rating", "low", "high"):
            line[number] += math.fsum(shift) / max(len(shift), 1)
    return {"first_move_advantage": None, "draw_parameter": None} | said


def _finished(said: dict[str, Any], games: Games, anchors: dict[str, float]) -> dict[str, Any]:
    """The document: lines best first, with ranks, and numbers rounded."""
    players = [{key: _rounded(value) for key, value in line.items()} for line in said.pop("players")]
    players.sort(key=lambda line: (-line["rating"], line["name"]))
    placed = ranks({place: line["rating"] for place, line in enumerate(players)})
    notes = said.pop("notes")
    if games.unused:
        notes.append(f"columns not used: {', '.join(games.unused)}")
    return {
        "model": said.pop("model"), "games": len(games.games), "anchors": anchors,
        **{key: _rounded(value) for key, value in said.items()}, "notes": notes,
        "players": [{"rank": placed[place]} | line for place, line in enumerate(players)],
    }


def _rounded(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    # What is infinite has no number in JSON; adding 0 takes the sign off a nought.
    return round(value, _DIGITS) + 0.0 if math.isfinite(value) else None


def _print(document: dict[str, Any]) -> None:
    """A line for each entry, and for each player."""
    *entries, (_, players) = document.items()
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in entries]
    rows = [f"    {json.dumps(line)}" for line in players]
    table = "[\n" + ",\n".join(rows) + "\n  ]" if rows else "[]"
    print("{", *lines, f'  "players": {table}', "}", sep="\n")


def _refuse(message: str) -> int:
    print(f"squarefield rate: {message}", file=sys.stderr)
    return _REFUSED
