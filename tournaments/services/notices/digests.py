"""News for followers: the coordinator compares each followed bot and event with the state that its follower has seen.

A digest and the new state are written in one transaction, so news is neither lost nor written twice. After a digest,
the same thing makes no other one for `WINDOW`: its news is collected.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from django.db import transaction

from tournaments.models import Follow
from tournaments.selectors.notices import states
from tournaments.selectors.notices.news import Reports, digest, readable
from tournaments.selectors.notices.states import State
from tournaments.services.notices import outbox
from tournaments.services.shared.failures import each
from tournaments.services.shared.wakeups import Step

WINDOW: Final = timedelta(hours=1)
_AT_ONCE: Final = 500


def tell_followers(now: datetime) -> int:
    """Write the digests that are due; return their number."""
    due = list(Follow.objects.filter(due_at__lte=now, user__is_active=True).order_by("pk").values_list("pk", flat=True))
    reports = Reports()
    return sum(_tell(due[start:start + _AT_ONCE], reports, now) for start in range(0, len(due), _AT_ONCE))


def _tell(batch: Sequence[int], reports: Reports, now: datetime) -> int:
    follows = list(Follow.objects.filter(pk__in=batch).select_related("user", "bot", "event").order_by("pk"))
    bots = states.of_bots({follow.bot_id for follow in follows if follow.bot_id is not None}, now)
    events = states.of_events({follow.event_id for follow in follows if follow.event_id is not None})
    current = {follow.pk: events[follow.event_id] if follow.bot_id is None else bots[follow.bot_id]
               for follow in follows}
    changed = [follow for follow in follows if current[follow.pk] != follow.seen]
    return each(Step.TELL_FOLLOWERS, changed, partial(_report, current, reports, now), now=now)


def _report(current: dict[int, State], reports: Reports, now: datetime, follow: Follow) -> bool:
    """Write the follower's digest, if there is news for them, and the state that they have then seen."""
    state = current[follow.pk]
    items = readable(follow.user, reports.items(follow, state))
    facts = {"seen": states.remembered(follow.seen, state), **({"due_at": now + WINDOW} if items else {})}
    with transaction.atomic():
        # Another coordinator may have been faster: it has written the same digest.
        held = Follow.objects.select_for_update().filter(pk=follow.pk).first()
        if held is None or held.seen != follow.seen:
            return False
        Follow.objects.filter(pk=follow.pk).update(**facts)
        if items:
            outbox.tell_follower(follow.user_id, payload=digest(follow, items), now=now)
    return bool(items)
