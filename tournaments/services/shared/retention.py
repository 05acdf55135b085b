"""Retention: rows of growing tables are deleted some days after their last use, in small batches.

docs/reference/data-and-keys.md says how long each table keeps its rows. Matches, games and counted attempts are stored
permanently, because ratings are recomputed from them; so is the audit log, from which only the tables' owner deletes.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from django.conf import settings

from tournaments.models import Attempt, CasualGame, Delivery, Question
from tournaments.models.lifecycle import AttemptStatus
from tournaments.services.shared.locks import unlocked

log = logging.getLogger(__name__)
_AT_ONCE: Final = 100


@dataclass(frozen=True, slots=True)
class Retention:
    """Rows that are deleted some days after their end: the setting with the days, and the query for a batch."""

    what: str
    setting: str
    model: Any
    expired: Callable[[datetime], Sequence[int]]


def _in_order(model: Any, ended: str, before: datetime) -> Sequence[int]:
    """Return the IDs of those of the oldest rows that ended before then.

    They end roughly in the order in which they begin, so the oldest are found without an index.
    """
    oldest = list(model.objects.order_by("pk").values_list("pk", flat=True)[:_AT_ONCE])
    return list(model.objects.filter(pk__in=oldest, **{f"{ended}__lt": before}).values_list("pk", flat=True))


def _void(before: datetime) -> Sequence[int]:
    """Return the IDs of void attempts that ended before then. They have an index, because most attempts count."""
    void = Attempt.objects.filter(status=AttemptStatus.VOID, ended_at__lt=before)
    return list(void.order_by("ended_at").values_list("pk", flat=True)[:_AT_ONCE])


RETENTIONS: Final = (
    Retention("casual games", "CASUAL_DAYS", CasualGame, partial(_in_order, CasualGame, "ended_at")),
    Retention("questions", "CASUAL_DAYS", Question, partial(_in_order, Question, "ended_at")),
    # By their creation, because those of a paused webhook may never end. All others end within about two days.
    Retention("notices", "DELIVERY_DAYS", Delivery, partial(_in_order, Delivery, "created_at")),
    Retention("void attempts", "VOID_ATTEMPT_DAYS", Attempt, _void),
)


def delete_expired(now: datetime) -> int:
    """Delete the rows whose retention has ended, with the rows that belong to them; return how many.

    At most a hundred of each table, the oldest first; the next steps delete the rest.
    """
    deleted = 0
    for retention in RETENTIONS:
        days = getattr(settings, retention.setting)
        if days > 0 and (expired := retention.expired(now - timedelta(days=days))):
            count, _ = retention.model.objects.filter(pk__in=unlocked(retention.model.objects.filter(
                pk__in=expired))).delete()
            log.info("%d rows of %s deleted: they are older than %d days", count, retention.what, days)
            deleted += count
    return deleted
