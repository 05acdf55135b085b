"""Reads about rounds, across events."""

from typing import Any

from django.db.models import Count, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from tournaments.models import Bye, Match, Round
from tournaments.models.lifecycle import MATCH_ENDED
from tournaments.selectors.events.events import visible_events
from tournaments.selectors.matches.games import matches


def rounds(user: Any) -> QuerySet[Round]:
    """Return the rounds that this user may see, newest first, with byes, `matches_total` and `matches_ended`."""
    return (Round.objects.filter(visible_events(user, "event")).select_related("event")
            .prefetch_related(Prefetch("byes", Bye.objects.select_related("entry__bot").order_by("entry")), "changes")
            .annotate(matches_total=_matches(Q()), matches_ended=_matches(Q(status__in=MATCH_ENDED)))
            .order_by("-id"))


def whole_rounds(user: Any) -> QuerySet[Round]:
    """Return the rounds of `rounds` with their matches, by number."""
    return rounds(user).prefetch_related(Prefetch("matches", matches(user).order_by("number")))


def _matches(condition: Q) -> Coalesce:
    counted = (Match.objects.filter(condition, round=OuterRef("pk")).order_by().values("round")
               .annotate(count=Count("pk")).values("count"))
    return Coalesce(Subquery(counted), 0)
