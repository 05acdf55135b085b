"""When an id that was put on a queue may be lost: of matches, submissions and questions alike."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q


def lost_before(now: datetime) -> datetime:
    """What was published before that and has not been claimed may be lost."""
    return now - timedelta(seconds=settings.REPUBLISH_SECONDS)


def unpublished(lost_before: datetime) -> Q:
    """Condition on rows: their id was never published, or so long ago that it may be lost."""
    return Q(published_at=None) | Q(published_at__lt=lost_before)
