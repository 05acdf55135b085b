"""Conduct of bots on ladders: three faults in a row suspend a bot until a probe match shows that it is healthy."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from engines.records.record import EndedBy
from tournaments.models import Game, LadderEntry, Match
from tournaments.models.lifecycle import MatchKind
from tournaments.selectors.shared.permissions import manager_ids
from tournaments.services.notices import outbox
from tournaments.services.shared import audit

FAULTS_IN_ROW: Final = 3
FIRST_REST: Final = timedelta(minutes=10)
LONGEST_REST: Final = timedelta(days=1)


def record_conduct(match: Match, games: Sequence[Game], now: datetime) -> None:
    """Record how the two bots of a match behaved. Call it in the transaction that finishes the match.

    Only ladder matches count, and only for a version that still plays on the ladder.
    """
    if match.kind != MatchKind.LADDER:
        return
    entries = (LadderEntry.objects.filter(ladder=match.ladder_id, active=True,
                                          version__in=[match.first_id, match.second_id])
               .select_for_update(of=("self",)).select_related("ladder", "version", "bot__team").order_by("pk"))
    for entry in entries:
        faults = [_fault(game, entry.version_id) for game in games]
        if entry.probe_at is None:
            _note_healthy(entry, faults, now)
        elif match.created_at >= entry.probe_at:
            _note_probe(entry, faults, now)
        # Matches paired before the suspension began say nothing new.


def rest_after(rests: int) -> timedelta:
    """Return the length of a suspension after this many earlier ones: ten minutes, doubled each time, up to a day."""
    return min(FIRST_REST * 2 ** min(rests, 16), LONGEST_REST)


def _fault(game: Game, version: int) -> str:
    """Return the fault by which the version lost the game; "" if it did not lose by a fault."""
    if game.ended_by != EndedBy.CONDUCT or game.winner is None:
        return ""
    loser = game.seat1_id if game.winner == 0 else game.seat0_id
    return game.reason if loser == version else ""


def _note_healthy(entry: LadderEntry, faults: Sequence[str], now: datetime) -> None:
    before = entry.faults
    for fault in faults:
        entry.faults = entry.faults + 1 if fault else 0
        if entry.faults == FAULTS_IN_ROW:
            _rest(entry, f"{FAULTS_IN_ROW} games in a row lost by its fault, most recently: {fault}", now)
            return
    if entry.faults != before:
        entry.save(update_fields=["faults"])


def _note_probe(entry: LadderEntry, faults: Sequence[str], now: datetime) -> None:
    fault = next(filter(None, faults), "")
    if fault:
        _rest(entry, f"its probe match was lost by its fault: {fault}", now)
        return
    entry.probe_at, entry.faults = None, 0
    entry.save(update_fields=["probe_at", "faults"])
    audit.record(actor=None, verb="end rest", target=entry, now=now, ladder=entry.ladder.slug)
    outbox.emit("version.well", to=manager_ids(entry.bot), payload=_payload(entry), now=now)


def _rest(entry: LadderEntry, reason: str, now: datetime) -> None:
    entry.probe_at = now + rest_after(entry.rests)
    entry.faults = FAULTS_IN_ROW
    entry.rests += 1
    entry.save(update_fields=["probe_at", "faults", "rests"])
    until = entry.probe_at.isoformat()
    audit.record(actor=None, verb="rest", target=entry, now=now, ladder=entry.ladder.slug, reason=reason, until=until)
    outbox.emit("version.rested", to=manager_ids(entry.bot), now=now,
                payload={**_payload(entry), "reason": reason, "until": until})


def _payload(entry: LadderEntry) -> dict[str, object]:
    return {"bot": entry.bot.slug, "version": entry.version.number, "ladder": entry.ladder.slug}
