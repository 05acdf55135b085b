"""Whether an event's bundle is as its site made it, and whether its tables follow from its games.

Pure: it runs where the author's kit does, without the site's packages (docs/decisions/0009-verify.md). In this order:
the files' hashes; every game by the rules; results.csv; the standings with their tie-breaks; the rating changes.
"""

import csv
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from types import ModuleType
from typing import Any, Final

from engines.records.bundle import Bundle, BundleError
from engines.records.record import GameRecord, RecordError, verify
from ratings import elo
from tournaments.pairing import double_knockout, knockout
from tournaments.pairing.bracket import Played
from tournaments.scoring import standings as scoring

COLUMNS: Final = ("first", "second", "result", "opening", "period")
JSON = dict[str, Any]
# A round's number, and the two bots that met in it.
Tie = tuple[int, frozenset[str]]
_SCORES: Final = {0: "1", 1: "0", None: "0.5"}
_BRACKETS: Final[dict[str, ModuleType]] = {"knockout": knockout, "double knockout": double_knockout}


class Mismatch(ValueError):
    """A bundle does not bear itself out; `str()` says where and how."""


def verify_bundle(path: str) -> str:
    """What holds, as a sentence. Raises BundleError and Contradiction."""
    bundle = Bundle(path)
    try:
        event = bundle.json("event.json")
        games = list(_games(bundle))
        return _verify(event, games, bundle)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise BundleError(f"the bundle is not of the shape that a site gives it: {error!r}") from error
    finally:
        bundle.close()


def result_row(game: JSON) -> tuple[str, str, str, str, str]:
    """A game's line of results.csv: the bots by seat, the first's score, the opening's turns, the rating period."""
    first, second = (seat["bot"] for seat in game["seats"])
    record = game["record"]
    period = game["period"]
    return (first, second, _SCORES[record["result"]["winner"]], " ".join(record["opening"]),
            "" if period is None else str(period))


def _verify(event: JSON, games: list[JSON], bundle: Bundle) -> str:
    entrants = [entry["bot"] for entry in event["entries"]]
    _check_results(games, bundle)
    _check_games(event, games)
    _check_standings(event, games, entrants)
    changes = _check_ratings(event["periods"], games)
    return (f"{event['event']['name']} holds: {len(bundle.files)} files unchanged, {len(games)} games by the rules, "
            f"standings of {len(entrants)} entrants and {changes} rating changes as published.")


def _games(bundle: Bundle) -> Any:
    """The games without their records' turns, each played again by the rules."""
    for number, game in bundle.lines("games.jsonl"):
        where = f"games.jsonl, line {number}, game {game['game']}"
        try:
            record = GameRecord.from_dict(game["record"])
            verify(record)
        except RecordError as error:
            raise Mismatch(f"{where}: {error}") from None
        for seat, played in zip(game["seats"], record.seats, strict=True):
            build = f"{seat['name']} v{seat['version']}"
            if build != played.name:
                raise Mismatch(f"{where}: the record is of {played.name}, not of {build}")
        yield {**game, "where": where, "record": {
            "ruleset": record.ruleset, "size": record.size, "opening": list(record.opening),
            "result": {"winner": record.result.winner}}}


def _check_results(games: Sequence[JSON], bundle: Bundle) -> None:
    rows = [tuple(row) for row in csv.reader(bundle.text_lines("results.csv"))]
    if not rows or rows[0] != COLUMNS:
        raise Mismatch(f"results.csv, line 1: the columns are {','.join(COLUMNS)}")
    if len(rows) != len(games) + 1:
        raise Mismatch(f"results.csv has {len(rows) - 1} results, and games.jsonl {len(games)} games")
    for number, (row, game) in enumerate(zip(rows[1:], games, strict=True), start=2):
        if row != result_row(game):
            raise Mismatch(f"results.csv, line {number}: {','.join(row)} is not the result of game {game['game']},"
                                f" {','.join(result_row(game))}")


def _check_games(event: JSON, games: Sequence[JSON]) -> None:
    """That the games are of this event: its ruleset and size, its entrants in the builds that entered, each once."""
    builds = {entry["bot"]: (entry["version"], entry["sha256"], entry["artefact_sha256"])
              for entry in event["entries"]}
    ladder, seen = event["ladder"], set()
    for game in games:
        if (game["record"]["ruleset"], game["record"]["size"]) != (ladder["ruleset"], ladder["size"]):
            raise Mismatch(f"{game['where']}: it is of another ruleset or size than the event")
        if (game["match"], game["number"]) in seen or game["game"] in seen:
            raise Mismatch(f"{game['where']}: it is there twice")
        seen |= {(game["match"], game["number"]), game["game"]}
        for seat in game["seats"]:
            if builds.get(seat["bot"]) != (seat["version"], seat["sha256"], seat["artefact_sha256"]):
                raise Mismatch(f"{game['where']}: {seat['bot']} did not enter as that build")


# --- standings -------------------------------------------------------------------------------


def _check_standings(event: JSON, games: Sequence[JSON], entrants: Sequence[str]) -> None:
    place_of = {bot: place for place, bot in enumerate(entrants)}
    counted = Counter((place_of[game["seats"][0]["bot"]], place_of[game["seats"][1]["bot"]],
                       game["record"]["result"]["winner"]) for game in games)
    tallies = [scoring.Tally(*key, count) for key, count in counted.items()]
    rows = {row.entrant: row for row in _rows(event, tallies, place_of, games)}
    if [line["bot"] for line in event["standings"]] != sorted(
            (line["bot"] for line in event["standings"]), key=lambda bot: rows[place_of[bot]].place):
        raise Mismatch("event.json, standings: they are not in the order of the places")
    if len(event["standings"]) != len(entrants):
        raise Mismatch(f"event.json, standings: there are {len(event['standings'])} lines for {len(entrants)} "
                            "entrants")
    for line in event["standings"]:
        row = rows[place_of[line["bot"]]]
        mine = {"place": row.place, "points": row.points, "wins": row.score.wins, "draws": row.score.draws,
                "losses": row.score.losses, "tie_breaks": list(row.tie_breaks)}
        for name, value in mine.items():
            if line[name] != value:
                raise Mismatch(f"event.json, standings: {line['bot']} has {name} {line[name]}, and its games make "
                                    f"{value}")


def _rows(event: JSON, tallies: Sequence[scoring.Tally], place_of: Mapping[str, int],
          games: Sequence[JSON]) -> list[scoring.Row]:
    about, entrants = event["event"], list(place_of.values())
    if about["format"] in _BRACKETS and entrants:
        return _bracket_rows(event, tallies, place_of, games)
    if about["format"] != "swiss" or not entrants:
        return scoring.standings(entrants, tallies, tie_breaks=about["tie_breaks"])
    aside = {frozenset(place_of[bot] for bot in pair) for pair in event["aside"]}
    unplayed = [scoring.Unplayed(place_of[lost["bot"]], lost["result"],
                                 None if lost["opponent"] is None else place_of[lost["opponent"]],
                                 voluntary=lost["voluntary"], for_good=lost["for_good"]) for lost in event["unplayed"]]
    return scoring.standings(
        entrants, tallies, tie_breaks=about["tie_breaks"], unplayed=unplayed, aside=aside, by_match=True,
        games_per_match=scoring.GAMES_PER_MATCH * about["cycles"])


def _bracket_rows(event: JSON, tallies: Sequence[scoring.Tally], place_of: Mapping[str, int],
                  games: Sequence[JSON]) -> list[scoring.Row]:
    """By the places that the bracket gives to those who advanced, stage by stage, as their games let them."""
    stages = [[place_of[bot] for bot in stage] for stage in event["stages"]]
    scored = _points_by_tie(games)
    try:
        played = Played(_BRACKETS[event["event"]["format"]].plan(len(place_of)), ())
        for number, stage in enumerate(stages, start=1):
            due = played.next_stage()
            _check_stage(event, number, due.ties if due else (), frozenset(stage), scored)
            played.play(stage)
        placed = played.placings()
    except ValueError as error:
        raise Mismatch(f"event.json, stages: {error}") from None
    decided = {entrant: place for place, entrant in placed}
    rows = scoring.standings(list(place_of.values()), tallies)
    for row in rows:
        row.place, row.tie_breaks = decided.get(row.entrant, 1), ()
    return rows


def _points_by_tie(games: Sequence[JSON]) -> Mapping[Tie, Counter[str]]:
    """The points of every bot in the games of each tie."""
    scored: defaultdict[Tie, Counter[str]] = defaultdict(Counter)
    for game in games:
        bots, winner = [seat["bot"] for seat in game["seats"]], game["record"]["result"]["winner"]
        points = scored[game["round"], frozenset(bots)]
        for seat, bot in enumerate(bots):
            points[bot] += 0.5 if winner is None else float(winner == seat)
    return scored


def _check_stage(event: JSON, number: int, ties: Sequence[tuple[int, int]], winners: Collection[int],
                 scored: Mapping[Tie, Counter[str]]) -> None:
    """Refuse a stage in which somebody advances who has fewer points than an opponent that has not left."""
    for pair in ties:
        entries = [event["entries"][place] for place in pair]
        bots = [entry["bot"] for entry in entries]
        points = scored.get((number, frozenset(bots)), Counter())
        for seat, bot in enumerate(bots):
            other = 1 - seat
            if pair[seat] in winners and points[bot] < points[bots[other]] and entries[other]["left_at"] is None:
                raise Mismatch(f"event.json, stages: in round {number} of {' and '.join(bots)} the one with fewer "
                                    "points advances")


# --- ratings ---------------------------------------------------------------------------------


def _check_ratings(periods: Sequence[JSON], games: Sequence[JSON]) -> int:
    """Rate every period again from what its bots had before; returns how many changes there are."""
    after: dict[str, elo.Standing] = {}
    changes = 0
    games_of: defaultdict[int, list[JSON]] = defaultdict(list)
    for game in games:
        games_of[game["period"]].append(game)
    for period in periods:
        name = f"event.json, rating period {period['number']}"
        before = {bot: elo.Standing(facts["rating"], games=facts["games"]) for bot, facts in period["before"].items()}
        for bot, standing in before.items():
            # Nothing was played in between: what a period left is what the next one begins with.
            if bot in after and after[bot].games == standing.games and after[bot].value != standing.value:
                raise Mismatch(f"{name}: {bot} begins with {standing.value}, and had {after[bot].value}")
        bots = {bot: number for number, bot in enumerate(before)}
        mine, left = _rated(games_of[period["number"]], bots, before, name)
        if period["changes"] != [[game, mine[game]] for game, _ in period["changes"]] or len(
                period["changes"]) != len(mine):
            wrong = next((game for game, made in period["changes"] if mine.get(game) != made), "missing")
            raise Mismatch(f"{name}: the rating changes of game {wrong} do not follow from its result")
        after |= left
        changes += 2 * len(mine)
    return changes


def _rated(games: Sequence[JSON], bots: Mapping[str, int], before: Mapping[str, elo.Standing],
           name: str) -> tuple[dict[int, dict[str, float]], dict[str, elo.Standing]]:
    results = []
    for game in games:
        pair = [seat["bot"] for seat in game["seats"]]
        if not bots.keys() >= set(pair):
            raise Mismatch(f"{name}: it has no rating before of {' or '.join(pair)}")
        winner = game["record"]["result"]["winner"]
        results.append(elo.Result(game["game"], (bots[pair[0]], bots[pair[1]]),
                                  0.5 if winner is None else 1.0 - winner))
    slugs = list(bots)
    changes, left = elo.rate_period({bots[bot]: standing for bot, standing in before.items()}, results)
    mine: dict[int, dict[str, float]] = {}
    for change in changes:
        mine.setdefault(change.game, {})[slugs[change.player]] = change.change
    return mine, {slugs[player]: standing for player, standing in left.items()}
