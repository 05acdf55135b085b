"""Every status and the transitions that are permitted, in one table each.

A status is changed by one conditional UPDATE (`WHERE status IN sources`), so that of two who try, one wins.
"""

from django.db import models


class EventStatus(models.TextChoices):
    """An event's life."""

    SCHEDULED = "scheduled"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class MatchStatus(models.TextChoices):
    """A match's life."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    # Every attempt was void: the infrastructure failed, nobody lost.
    VOID = "void"
    CANCELLED = "cancelled"


class AttemptStatus(models.TextChoices):
    """An attempt's life."""

    RUNNING = "running"
    COUNTED = "counted"
    VOID = "void"


EVENT_TRANSITIONS: dict[str, tuple[str, ...]] = {
    # verb: statuses from which it may be done
    "start": (EventStatus.SCHEDULED,),
    "pause": (EventStatus.RUNNING,),
    "resume": (EventStatus.PAUSED,),
    "cancel": (EventStatus.SCHEDULED, EventStatus.RUNNING, EventStatus.PAUSED),
    "finish": (EventStatus.RUNNING,),
    # A void match of a finished event is played again.
    "reopen": (EventStatus.FINISHED,),
}

MATCH_TRANSITIONS: dict[str, tuple[str, ...]] = {
    "claim": (MatchStatus.QUEUED,),
    "finish": (MatchStatus.RUNNING,),
    "requeue": (MatchStatus.VOID,),
    "cancel": (MatchStatus.QUEUED, MatchStatus.RUNNING),
}

MATCH_ENDED = (MatchStatus.FINISHED, MatchStatus.VOID, MatchStatus.CANCELLED)
