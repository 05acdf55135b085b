"""Retention of casual games and questions: they are deleted some months after their end."""

import logging
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings

from tournaments.models import CasualGame, Question

log = logging.getLogger(__name__)
_AT_ONCE: Final = 100


def delete_expired(now: datetime) -> int:
    """Delete casual games with their questions, and questions, that ended CASUAL_DAYS ago; return how many.

    At most a hundred of each, the oldest first; the next steps delete the rest.
    """
    if not settings.CASUAL_DAYS:
        return 0
    before = now - timedelta(days=settings.CASUAL_DAYS)
    forgotten = 0
    for model in (CasualGame, Question):
        # They end roughly in the order in which they begin, so the oldest are found without an index.
        oldest = list(model.objects.order_by("pk").values_list("pk", flat=True)[:_AT_ONCE])
        forgotten += model.objects.filter(pk__in=oldest, ended_at__lt=before).delete()[0]
    if forgotten:
        log.info("%d casual games and questions deleted: they ended more than %d days ago", forgotten,
                 settings.CASUAL_DAYS)
    return forgotten
