"""Verification that an event's bundle is unchanged, and that its tables follow from its games.

Pure: it also runs in the author's kit, without the site's packages (docs/decisions/0009-verify.md). It checks, in this
order: the files' hashes; every game by the rules; results.csv; the openings, if the event has a book of its own; the
standings with their tie-breaks. Rating changes, which older bundles have, are not checked: ratings no longer work so.
"""

import csv
from collections.abc import Sequence
from typing import Any, Final

from engines.records.bundle import Bundle, BundleError
from engines.records.record import GameRecord, RecordError, verify
from tournaments.formats.bundled import JSON, Bundled, Mismatch, check_book
from tournaments.formats.registry import UnknownFormat, find
from tournaments.formats.shape import check_event, check_game
from tournaments.scoring.repeats import shortened

COLUMNS: Final = ("first", "second", "result", "opening", "period")
_SCORES: Final = {0: "1", 1: "0", None: "0.5"}


def verify_bundle(path: str) -> str:
    """Return a sentence that says what was verified. Raises BundleError or Mismatch."""
    bundle = Bundle(path)
    try:
        event = bundle.json("event.json")
        check_event(event)
        games = list(_games(bundle))
        return _verify(event, games, bundle)
    except UnknownFormat as error:
        raise BundleError(f"the bundle's event cannot be verified: {error}") from None
    except ImportError as error:
        raise BundleError(f"this event's bundle needs {error.name}: pip install numpy scipy") from None
    except (BundleError, Mismatch):
        raise
    except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError) as error:
        raise BundleError(f"the bundle is not in the format that sites write: {error!r}") from error
    finally:
        bundle.close()


def result_row(game: JSON) -> tuple[str, str, str, str, str]:
    """Return a game's row of results.csv: bots by seat, the first bot's score, opening turns, rating period."""
    first, second = (seat["bot"] for seat in game["seats"])
    record = game["record"]
    period = game["period"]
    return (first, second, _SCORES[record["result"]["winner"]], " ".join(record["opening"]),
            "" if period is None else str(period))


def _verify(event: JSON, games: list[JSON], bundle: Bundle) -> str:
    _check_results(games, bundle)
    _check_games(event, games)
    check_book(event, games)
    bundled = Bundled(event, games)
    _check_standings(bundled)
    repeated = find(event["event"]["format"]).repeated_pairings(bundled)
    return (f"{event['event']['name']} verified: {len(bundle.files)} files unchanged, {len(games)} games by the rules, "
            f"standings of {len(event['entries'])} entrants as published.{repeated}")


def _games(bundle: Bundle) -> Any:
    """Replay each game by the rules, and yield the games without their records' turns."""
    for number, game in bundle.lines("games.jsonl"):
        check_game(game, f"games.jsonl, line {number}")
        where = f"games.jsonl, line {number}, game {game['game']}"
        try:
            record = GameRecord.from_dict(game["record"])
            verify(record)
        except RecordError as error:
            raise Mismatch(f"{where}: {error}") from None
        for seat, played in zip(game["seats"], record.seats, strict=True):
            build = f"{seat['name']} v{seat['version']}"
            if build != played.name:
                raise Mismatch(f"{where}: the record is of a game by {played.name}, not by {build}")
        yield {**game, "where": where, "record": {
            "ruleset": record.ruleset, "size": record.size, "opening": list(record.opening),
            "turns": shortened(turn.turn for turn in record.turns),
            "result": {"winner": record.result.winner}}}


def _check_results(games: Sequence[JSON], bundle: Bundle) -> None:
    rows = [tuple(row) for row in csv.reader(bundle.text_lines("results.csv"))]
    if not rows or rows[0] != COLUMNS:
        raise Mismatch(f"results.csv, line 1: the columns must be {','.join(COLUMNS)}")
    if len(rows) != len(games) + 1:
        raise Mismatch(f"results.csv has {len(rows) - 1} results, and games.jsonl {len(games)} games")
    for number, (row, game) in enumerate(zip(rows[1:], games, strict=True), start=2):
        if row != result_row(game):
            raise Mismatch(f"results.csv, line {number}: {','.join(row)} is not the result of game {game['game']},"
                                f" {','.join(result_row(game))}")


def _check_games(event: JSON, games: Sequence[JSON]) -> None:
    """Check that the games belong to this event: its ruleset and size, and its entrants' builds, each game once."""
    builds = {entry["bot"]: (entry["version"], entry["sha256"], entry["artefact_sha256"])
              for entry in event["entries"]}
    ladder, seen = event["ladder"], set()
    for game in games:
        if (game["record"]["ruleset"], game["record"]["size"]) != (ladder["ruleset"], ladder["size"]):
            raise Mismatch(f"{game['where']}: its ruleset or size is not that of the event")
        if (game["match"], game["number"]) in seen or game["game"] in seen:
            raise Mismatch(f"{game['where']}: it is listed twice")
        seen |= {(game["match"], game["number"]), game["game"]}
        for seat in game["seats"]:
            if builds.get(seat["bot"]) != (seat["version"], seat["sha256"], seat["artefact_sha256"]):
                raise Mismatch(f"{game['where']}: {seat['bot']} did not enter with that build")


# --- standings -------------------------------------------------------------------------------


def _check_standings(bundle: Bundled) -> None:
    event, place_of = bundle.event, bundle.place_of
    rows = {row.entrant: row for row in find(event["event"]["format"]).verified_standings(bundle)}
    tables = list(dict.fromkeys(row.table for row in rows.values()))
    order = [(tables.index(row.table), row.place) for row in (rows[place_of[line["bot"]]]
                                                              for line in event["standings"])]
    if order != sorted(order):
        raise Mismatch("event.json, standings: they are not in order of place")
    if len(event["standings"]) != len(place_of):
        raise Mismatch(f"event.json, standings: there are {len(event['standings'])} lines for {len(place_of)} "
                            "entrants")
    for line in event["standings"]:
        row = rows[place_of[line["bot"]]]
        mine = {**({"table": row.table} if row.table else {}), "place": row.place, "points": row.points,
                "wins": row.score.wins, "draws": row.score.draws, "losses": row.score.losses,
                "tie_breaks": list(row.tie_breaks)}
        for name, value in mine.items():
            if line.get(name) != value:
                raise Mismatch(f"event.json, standings: {line['bot']} has {name} {line[name]}, but its games give "
                                    f"{value}")
