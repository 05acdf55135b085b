"""Contents of an event's bundle, as JSON data: the event with its published tables, and its games.

`tournaments.formats.verification` recomputes the tables from these facts: keep the two together.
"""

from collections.abc import Iterator
from typing import Any

from django.db.models import Max

from engines.rules import registry as rulesets
from engines.sandbox.isolation.limits import Tier
from tournaments.formats import registry as formats
from tournaments.models import ChangedPairing, Entry, Event, Game, Match
from tournaments.selectors.events import tables
from tournaments.selectors.events.history.reading import history_of
from tournaments.selectors.events.history.ties import byes_of

JSON = dict[str, Any]
_GAMES_AT_ONCE = 100


def event_json(event: Event) -> JSON:
    """Return the event: how it is played, its entrants, results without play, its table."""
    ladder = event.ladder
    entries = list(event.entries.filter(place__isnull=False).order_by("place")
                   .select_related("bot", "version", "disqualification"))
    slugs = {entry.bot_id: entry.bot.slug for entry in entries}
    form = formats.find(event.format)
    facts = form.bundle_facts(history_of(event, with_known=True), list(slugs.values())) if entries else {}
    return {
        "event": {"slug": event.slug, "name": event.name, "status": event.status, "format": event.format,
                  "cycles": event.cycles, "seed": event.seed, "rated": event.rated, "withdrawals": event.withdrawals,
                  "tie_breaks": tables.tie_breaks_of(event), "started_at": _time(event.started_at),
                  "ended_at": _time(event.ended_at)},
        "ladder": {"slug": ladder.slug, "ruleset": ladder.ruleset, "rules": rulesets.find(ladder.ruleset).version,
                   "size": ladder.size,
                   "base_seconds": ladder.base_seconds, "increment_seconds": ladder.increment_seconds,
                   "per_turn_seconds": ladder.per_turn_seconds, "pondering": ladder.pondering},
        "entries": [{**_version(entry.version, entry.bot), "runs_the_gauntlet": entry.runs_the_gauntlet,
                     "left_at": _time(entry.left_at), "disqualified": _ruling(entry)} for entry in entries],
        "byes": [[number, entries[place].bot.slug] for number, places in sorted(byes_of(event)[0].items())
                 for place in sorted(places)],
        **facts,
        **({"changed_pairings": changes} if (changes := _changes(event)) else {}),
        **({} if event.book is None else {"book": {"sha256": event.book.digest, "openings": event.book.openings}}),
        "standings": [_line(standing) for standing in tables.standings(event)],
    }


def games_json(event: Event) -> Iterator[JSON]:
    """Yield the games by match and number: what was played, by which builds, and the whole record."""
    games = (Game.objects.filter(event=event).order_by("match_id", "number").defer("stderr0", "stderr1")
             .select_related("seat0__bot", "seat1__bot", "match__round", "attempt"))
    for game in games.iterator(chunk_size=_GAMES_AT_ONCE):
        match = game.match
        yield {
            "game": game.pk, "match": match.pk, "round": match.round.number, "pairing": match.number,
            "number": game.number, "period": _period(game), "ended_at": _time(game.ended_at),
            "seats": [_version(version, version.bot) for version in (game.seat0, game.seat1)], "record": game.record,
        }


def _ruling(entry: Entry) -> JSON | None:
    ruling = getattr(entry, "disqualification", None)
    if ruling is None:
        return None
    paired = Match.objects.filter(event=entry.event_id, created_at__lte=ruling.ruled_at)
    return {"reason": ruling.reason, "annulled": ruling.annulled,
            # The last round that was paired before.
            "round": paired.aggregate(last=Max("round__number"))["last"] or 0}


def _changes(event: Event) -> list[JSON]:
    """Return the organiser's changes of pairings, in order."""
    rows = ChangedPairing.objects.filter(round__event=event).order_by("round__number", "number")
    return [{"round": number, "first": first, "second": second, "reason": reason} for number, first, second, reason in
            rows.values_list("round__number", "first__bot__slug", "second__bot__slug", "reason")]


def _line(standing: tables.Standing) -> JSON:
    row = standing.row
    return {**({"table": row.table} if row.table else {}), "place": row.place, "bot": standing.entry.bot.slug,
            "points": row.points, "wins": row.score.wins, "draws": row.score.draws, "losses": row.score.losses,
            "tie_breaks": list(row.tie_breaks)}


def _period(game: Game) -> int | None:
    """Return the rating period of the game; None for a game that was played without any isolation."""
    return None if game.attempt.tier == Tier.UNSAFE_LOCAL else game.match.rating_period


def _version(version: Any, bot: Any) -> JSON:
    return {"bot": bot.slug, "name": bot.name, "version": version.number, "sha256": version.sha256,
            "artefact_sha256": version.artefact_sha256}


def _time(moment: Any) -> str | None:
    return None if moment is None else moment.isoformat()
