"""Reads about events: which ones a user may see, series, entries, schedule, void attempts."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, Count, Exists, F, OuterRef, Prefetch, Q, QuerySet, Subquery, When

from tournaments.formats.registry import find
from tournaments.models import Attempt, Bye, ChangedPairing, Entry, Event, Game, Invitation, Match, Round, Series
from tournaments.models.lifecycle import MATCH_ENDED, AttemptStatus, EventStatus, MatchStatus
from tournaments.pairing.bracket import Column
from tournaments.selectors.events.history.reading import history_of
from tournaments.selectors.events.permissions import OPEN, is_site_organiser
from tournaments.selectors.events.progress import Progress, progress
from tournaments.selectors.events.tables import (
    Standing,
    champions,
    crosstable,
    has_crosstable,
    standings,
    tie_break_columns,
)
from tournaments.selectors.shared.cache import cached
from tournaments.selectors.shared.readable import READABLE_EVENT

__all__ = ["Progress", "RoundSummary", "Standing", "bracket", "byes", "champions", "changes", "crosstable", "current",
           "entries", "etag", "events", "has_crosstable", "matches_of", "progress", "round_summaries", "rounds",
           "series", "standings", "tie_break_columns", "unannounced", "unfinished_matches", "upcoming",
           "visible_events", "visible_to", "void_attempts"]

@dataclass(frozen=True, slots=True)
class RoundSummary:
    """A round, with the number of its matches, and of those that have ended."""

    pk: int
    number: int
    label: str
    total: int
    ended: int
    apart_relaxed: bool = False


def events() -> QuerySet[Event]:
    """Return all events that can be read, with their ladders, newest first; private ones too (see `visible_to`)."""
    return (Event.objects.filter(READABLE_EVENT).select_related("ladder", "created_by", "series", "book")
            .defer("book__openings"))


def visible_to(user: Any) -> QuerySet[Event]:
    """Return the events that this user may see, newest first: public ones, their own, and those with an invitation."""
    return events().filter(visible_events(user))


def visible_events(user: Any, at: str = "") -> Q:
    """Return the condition that this user may see an event. `at` is the path to it, such as `match__event`.

    If the path can lead to no event, as from a ladder's match, rows without an event are visible to everyone.
    """
    if is_site_organiser(user):
        return Q()
    if not at:
        public, mine, invited = Q(private=False), Q(created_by=user.pk), "pk__in"
    else:
        public = Q(**{f"{at}__isnull": True}) | Q(**{f"{at}__private": False})
        mine, invited = Q(**{f"{at}__created_by": user.pk}), f"{at}__in"
    if not user.is_authenticated:
        return public
    return public | mine | Q(**{invited: Invitation.objects.filter(user=user).values("event")})


def current() -> QuerySet[Event]:
    """Return public events that are running or paused."""
    return events().filter(private=False, status__in=[EventStatus.RUNNING, EventStatus.PAUSED])


def upcoming() -> QuerySet[Event]:
    """Return public events that are scheduled, the next one first."""
    return events().filter(private=False, status=EventStatus.SCHEDULED).order_by("starts_at", "id")


def series(user: Any) -> QuerySet[Series]:
    """Return the series that this user may see, active ones first; see `every_series`."""
    mine_or_public = Q(private=False) | Q(created_by=user.pk)
    return every_series() if is_site_organiser(user) else every_series().filter(mine_or_public)


def every_series() -> QuerySet[Series]:
    """Return all series, active ones first, each with its next two runs.

    `announced_run_at` is the start of the announced event, `following_run_at` the start of the one after it; None if
    there is no such event.
    """
    announced = (Event.objects.filter(series=OuterRef("pk"), status=EventStatus.SCHEDULED).order_by("starts_at")
                 .values("starts_at")[:1])
    return Series.objects.annotate(
        announced_run_at=Subquery(announced), following_run_at=Case(When(active=True, then=F("next_run_at"))),
    ).select_related("ladder", "created_by", "book").defer("book__openings").order_by("-active", "slug")


def unannounced(now: datetime) -> QuerySet[Series]:
    """Return the active series without an event to come.

    `in_season` says whether it is a league whose season has not ended: the next one is announced afterwards.
    """
    of_series = Event.objects.filter(series=OuterRef("pk"))
    return Series.objects.filter(~Exists(of_series.filter(starts_at__gt=now)), active=True, next_run_at__isnull=False
                                 ).annotate(in_season=Q(Exists(of_series.filter(status__in=OPEN)),
                                                        division_size__isnull=False))


def entries(event: Event) -> QuerySet[Entry]:
    """Return the entries in the order of the draw; before the start, in the order in which they were made."""
    return event.entries.select_related("bot__owner", "version__bot").order_by("place", "id")


def bracket(event: Event) -> list[Column]:
    """Return a knockout's columns to draw, with entrants as places; none for other formats or before the start."""
    format_ = find(event.format)
    return format_.columns(history_of(event)) if format_.is_bracket and event.started_at is not None else []


def changes(round_: RoundSummary) -> QuerySet[ChangedPairing]:
    """Return the organiser's changes of the round's pairings, in order."""
    return (ChangedPairing.objects.filter(round=round_.pk).select_related("first__bot", "second__bot")
            .order_by("number"))


def byes(round_: RoundSummary) -> QuerySet[Bye]:
    """Return the byes of the round, which include walkovers without a match, by place."""
    return Bye.objects.filter(round=round_.pk).select_related("entry__bot").order_by("entry__place")


def rounds(event: Event) -> QuerySet[Round]:
    """Return the schedule: rounds with their matches, both versions and their bots."""
    matches = Match.objects.select_related("first__bot", "second__bot").prefetch_related(
        Prefetch("games", Game.objects.order_by("number").defer("record", "stderr0", "stderr1")))
    return event.rounds.prefetch_related(Prefetch("matches", matches.order_by("number")))


def round_summaries(event: Event) -> list[RoundSummary]:
    """Return the event's rounds by number."""
    ended = Count("matches", filter=Q(matches__status__in=MATCH_ENDED))
    counted = event.rounds.order_by("number").annotate(total=Count("matches"), ended=ended)
    return [RoundSummary(*row) for row in cached(
        event, "rounds", lambda: list(counted.values_list("pk", "number", "label", "total", "ended", "apart_relaxed")))]


def matches_of(round_: RoundSummary) -> list[Match]:
    """Return a round's matches by number: their status, their bots' names, and how their games ended."""
    games = Game.objects.order_by("number").only("match", "number", "seat0", "seat1", "winner", "ended_by", "reason",
                                                 "plies")
    matches = list(Match.objects.filter(round=round_.pk).order_by("number").select_related("first__bot", "second__bot")
                   .only("status", "held", "attempt", "ruleset", "first__bot__name", "second__bot__name")
                   .prefetch_related(Prefetch("games", games)))
    for match in matches:
        for game in match.games.all():
            # Reuse the same rows, so that the games need not load them again.
            game.seat0, game.seat1 = ((match.first, match.second) if game.seat0_id == match.first_id
                                      else (match.second, match.first))
    return matches


def void_attempts(event: Event) -> QuerySet[Attempt]:
    """Return attempts that the infrastructure spoiled, newest first, with their reasons."""
    return (Attempt.objects.filter(match__event=event, status=AttemptStatus.VOID)
            .select_related("match__first__bot", "match__second__bot").order_by("-id"))


def etag(event: Event) -> str:
    """Return a tag that changes whenever something that the event's pages show may have changed."""
    return f"event-{event.pk}-{event.status}-{event.revision}"


def unfinished_matches(event: Event) -> int:
    """Return how many matches have not ended."""
    return Match.objects.filter(Q(status=MatchStatus.QUEUED) | Q(status=MatchStatus.RUNNING),
                                event=event).count()
