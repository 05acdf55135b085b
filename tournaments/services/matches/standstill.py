"""Standstills: work is queued, and no worker may take it (docs/decisions/0038).

A standstill is an alarm once it has lasted for STANDSTILL_SECONDS, so that a worker's restart is none. Each change is
made, logged and sent to staff by the one coordinator that locks the row.
"""

import logging
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import Max

from engines.rules.registry import RULESETS
from tournaments.models import LadderEntry, Question, Standstill, Submission, Worker
from tournaments.models.lifecycle import Gap
from tournaments.operations import workers
from tournaments.operations.workers import Fleet
from tournaments.selectors.ladders.pairable import able_to_play
from tournaments.selectors.shared.gaps import sentence
from tournaments.services.matches.queueing import queued
from tournaments.services.notices import outbox

log = logging.getLogger(__name__)
# Workers that start and fail again and again cause one notice per queue in this time.
QUIET: Final = timedelta(hours=1)


def watch(now: datetime) -> int:
    """Record which queues stand still, and raise and end alarms; return the number of alarms raised or ended.

    Two queries while workers take all kinds of work.
    """
    found = _found(workers.fleet(now), now)
    lasting = {row.queue: row for row in Standstill.objects.filter(ended_at=None)}
    for queue, gap in found.items():
        if queue not in lasting:
            _begin(queue, gap, now)
        elif lasting[queue].reason != gap:
            Standstill.objects.filter(queue=queue, ended_at=None).update(reason=gap)
    done = 0
    if any(row.alarmed_at is None and row.began_at <= _grace(now) for row in lasting.values()):
        done += _raise_alarms(now)
    if over := lasting.keys() - found.keys():
        done += _end(over, now)
    return done


def _found(fleet: Fleet, now: datetime) -> dict[str, Gap]:
    """Return the queues with work that no worker may take, and why. One query for each queue that may be one."""
    waiting = {**{slug: queued(slug) for slug in RULESETS},
               **{queue: model.objects.filter(status=model.WAITING).order_by()
                  for queue, model in (("submissions", Submission), ("questions", Question))}}
    found: dict[str, Gap] = {}
    for queue, rows in waiting.items():
        ruleset = queue if queue in RULESETS else None
        if gap := fleet.gap(ruleset, trusted=True):
            stands = rows.exists()
        elif gap := fleet.gap(ruleset, trusted=False):
            stands = (rows.exclude(rows.model.TRUSTED).exists()
                      or (ruleset is not None and _has_unpaired(ruleset, now)))
        if gap and stands:
            found[queue] = gap
    return found


def _has_unpaired(ruleset: str, now: datetime) -> bool:
    """Return whether ladders have bots that are not paired because no worker may play them."""
    entries = LadderEntry.objects.filter(ladder__ruleset=ruleset, ladder__is_open=True, version__trusted=False)
    return able_to_play(entries, now).order_by().exists()


def _begin(queue: str, gap: Gap, now: datetime) -> None:
    facts = {"reason": gap, "began_at": _since(gap, now), "alarmed_at": None, "ended_at": None}
    if not Standstill.objects.filter(queue=queue).exclude(ended_at=None).update(**facts):
        Standstill.objects.bulk_create([Standstill(queue=queue, **facts)], ignore_conflicts=True)


def _since(gap: Gap, now: datetime) -> datetime:
    """Return the last heartbeat of the worker that has just vanished, or `now` if none has."""
    if gap == Gap.DRAINING:
        return now
    silent = timedelta(seconds=settings.WORKER_SEEN_SECONDS)
    gone = Worker.objects.filter(seen_at__gte=now - 2 * silent).exclude(pk__in=workers.online(now).values("pk"))
    return gone.aggregate(last=Max("seen_at"))["last"] or now


def _grace(now: datetime) -> datetime:
    """Return when a standstill must have begun to be an alarm."""
    return now - timedelta(seconds=settings.STANDSTILL_SECONDS)


def _raise_alarms(now: datetime) -> int:
    with transaction.atomic():
        due = Standstill.objects.filter(ended_at=None, alarmed_at=None, began_at__lte=_grace(now))
        rows = list(due.select_for_update(skip_locked=True))
        fresh = [row for row in rows if row.notified_at is None or row.notified_at < now - QUIET]
        _update(rows, alarmed_at=now)
        _update(fresh, notified_at=now)
        _notify("standstill.began", fresh, now)
    for row in rows:
        log.warning("queue %s: no worker has been able to take its work since %s: %s", row.queue,
                    _time(row.began_at), _reason(row))
    return len(rows)


def _end(queues: Collection[str], now: datetime) -> int:
    with transaction.atomic():
        rows = list(Standstill.objects.select_for_update(skip_locked=True).filter(queue__in=queues, ended_at=None))
        alarmed = [row for row in rows if row.alarmed_at is not None]
        _update(rows, ended_at=now)
        _notify("standstill.ended", [row for row in alarmed if row.notified_at == row.alarmed_at], now)
    for row in alarmed:
        log.warning("queue %s: no worker was able to take its work since %s; this is over", row.queue,
                    _time(row.began_at))
    return len(alarmed)


def _update(rows: Sequence[Standstill], **facts: Any) -> None:
    Standstill.objects.filter(pk__in=[row.pk for row in rows]).update(**facts)


def _notify(kind: str, rows: Sequence[Standstill], now: datetime) -> None:
    """Send staff one notice about all these standstills."""
    if rows:
        outbox.alert(kind, now=now, payload={"standstills": [
            {"queue": row.queue, "reason": row.reason, "text": _reason(row), "since": row.began_at.isoformat()}
            for row in rows]})


def _reason(row: Standstill) -> str:
    return sentence(row.reason, row.queue if row.queue in RULESETS else None)


def _time(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S %Z}"
