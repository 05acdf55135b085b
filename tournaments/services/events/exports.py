"""Games and events as files that other programs read."""

import csv
import io
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Any

from engines.records.bundle import BundleWriter, json_bytes
from engines.records.record import GameRecord, RecordError
from engines.records.sgf import NoSgf, has_sgf, sgf
from engines.rules.errors import TurnError
from ratings.models import Rating
from tournaments.formats import registry as formats
from tournaments.formats.swiss.reporting import trf
from tournaments.formats.swiss.standard import Swiss
from tournaments.formats.verification import COLUMNS, result_row
from tournaments.models import Event, Game
from tournaments.models.lifecycle import EventStatus
from tournaments.pairing.trf import Player
from tournaments.platform.refusals import Refused
from tournaments.selectors.events.bundles import event_json, games_json
from tournaments.selectors.events.history.reading import history_of
from tournaments.selectors.events.tables import standings

_ENDED = (EventStatus.FINISHED, EventStatus.CANCELLED)


class ExportRefused(Refused):
    """The game or the event cannot be exported in this form, or not yet."""


def game_sgf(game: Game) -> str:
    """Return the game as SGF. Raises ExportRefused for a ruleset without SGF, and for a game under older rules."""
    match = game.match
    try:
        return sgf(GameRecord.from_dict(game.record), event=game.event.name if game.event else "",
                   round_name=str(match.round.number) if match.round else "", date=f"{game.ended_at:%Y-%m-%d}")
    except NoSgf as error:
        raise ExportRefused(str(error)) from error
    except (RecordError, TurnError) as error:
        raise ExportRefused("The game was recorded under older rules and has no SGF: use its JSON record.") from error


def event_bundle(event: Event) -> IO[bytes]:
    """Return the bundle of an event that has ended, as a temporary file, positioned at its beginning.

    The file is deleted when it is closed. `squarefield verify` replays and rates the games. Raises ExportRefused for an
    event that has not ended.
    """
    if event.status not in _ENDED:
        raise ExportRefused(f"{event.name} is {event.get_status_display().lower()}: its bundle is available once it "
                            "has ended.")
    target = tempfile.TemporaryFile()  # noqa: SIM115 - the response closes it
    with BundleWriter(target) as bundle:
        results = io.StringIO(newline="")
        bundle.add("event.json", [json_bytes(event_json(event)) + b"\n"])
        bundle.add("games.jsonl", _lines(event, results))
        bundle.add("results.csv", [results.getvalue().encode()])
        if has_sgf(event.ladder.ruleset):
            for game in games_json(event):
                with suppress(RecordError, TurnError):  # recorded under older rules: only the record describes it
                    bundle.add(f"sgf/{game['game']}.sgf", [_sgf_of(event, game)])
    # No lock is held for that long; the event's revision shows whether it has changed.
    if Event.objects.filter(pk=event.pk, revision=event.revision, status=event.status).count() == 0:
        target.close()
        raise ExportRefused(f"{event.name} changed while its bundle was made: try again.")
    target.seek(0)
    return target


def event_trf(event: Event) -> str:
    """Return the event as a FIDE report. Raises ExportRefused for other formats, and before the event has started."""
    form = formats.find(event.format)
    if not isinstance(form, Swiss):
        raise ExportRefused(f"{event.name} is a {form.name.lower()}: only a Swiss has a FIDE report (TRF).")
    table = [line for line in standings(event) if line.entry.place is not None]
    if event.started_at is None or not table:
        raise ExportRefused(f"{event.name} has not started: its FIDE report (TRF) is available after the draw.")
    table.sort(key=lambda line: line.entry.place or 0)
    bots = [line.entry.bot for line in table]
    ratings = dict(Rating.objects.filter(ladder=event.ladder, bot__in=bots).values_list("bot", "value"))
    players = [Player(line.entry.bot.name, ratings.get(line.entry.bot_id), line.row.place) for line in table]
    facts = {"042": f"{event.started_at:%Y/%m/%d}",
             "052": f"{event.ended_at:%Y/%m/%d}" if event.ended_at else "",
             "062": str(len(players)), "072": str(len(ratings)), "092": f"Individual: {form.name} system (Dutch)",
             "122": event.ladder.name}
    return trf(event.name, form, history_of(event), players, {code: fact for code, fact in facts.items() if fact})


def _lines(event: Event, results: IO[str]) -> Iterator[bytes]:
    """Yield the games as lines of JSON, and write each game's result as CSV."""
    table = csv.writer(results, lineterminator="\n")
    table.writerow(COLUMNS)
    for game in games_json(event):
        table.writerow(result_row(game))
        yield json_bytes(game) + b"\n"


def _sgf_of(event: Event, game: dict[str, Any]) -> bytes:
    return sgf(GameRecord.from_dict(game["record"]), event=event.name, round_name=str(game["round"]),
               date=game["ended_at"][:10]).encode()
