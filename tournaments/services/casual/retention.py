"""How long what was played and asked for fun is kept: casual games and questions, gone some months after their end."""

import logging
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings

from tournaments.models import CasualGame, Question

log = logging.getLogger(__name__)
_AT_ONCE: Final = 100


def delete_expired(now: datetime) -> int:
    """Delete casual games, with their questions, and questions that ended CASUAL_DAYS ago; returns how many of both.

    A hundred of each at most, the oldest first: what there is of them in the next step is for the next step.
    """
    if not settings.CASUAL_DAYS:
        return 0
    before = now - timedelta(days=settings.CASUAL_DAYS)
    forgotten = 0
    for model in (CasualGame, Question):
        # They end about in the order in which they begin, so the oldest need no index to be found.
        oldest = list(model.objects.order_by("pk").values_list("pk", flat=True)[:_AT_ONCE])
        forgotten += model.objects.filter(pk__in=oldest, ended_at__lt=before).delete()[0]
    if forgotten:
        log.info("%d casual games and questions are forgotten: they ended more than %d days ago", forgotten,
                 settings.CASUAL_DAYS)
    return forgotten
