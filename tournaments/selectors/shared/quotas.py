"""Quotas of authors: uploads and games in 24 hours, and bytes per archive. Staff have the limit on archives only."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import inf
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext

from tournaments.models import Match, Profile, Submission
from tournaments.models.lifecycle import MatchKind, MatchStatus
from tournaments.platform.refusals import Refused
from tournaments.scoring.scores import GAMES_PER_MATCH

WINDOW: Final = timedelta(hours=24)
_OF_THE_SITE: Final = {"uploads_per_day": "UPLOADS_PER_DAY", "archive_bytes": "MAX_ARCHIVE_BYTES",
                       "games_per_day": "GAMES_PER_DAY"}
_PAYERS: Final = ("first__bot__owner", "second__bot__owner", "challenge__first__bot__owner", "candidacy__bot__owner")


class OverQuota(Refused):
    """The author has used up a quota for 24 hours."""


@dataclass(frozen=True, slots=True)
class Quota:
    """The author's quotas, and what is left of them now; None where there is no limit."""

    uploads_per_day: int | None
    uploads_left: int | None
    # Time at which the next upload becomes available; None while one is available.
    next_upload_at: datetime | None
    archive_bytes: int
    games_per_day: int | None
    games_left: int | None


def quota_of(user: Any, now: datetime) -> Quota:
    """Return the author's quotas, with what the last 24 hours have left of them."""
    archive_bytes = archive_bytes_of(user)
    if user.is_staff:
        return Quota(None, None, None, archive_bytes, None, None)
    profile = Profile.objects.filter(user=user.pk).first()
    uploads, games = _allowed(profile, "uploads_per_day"), _allowed(profile, "games_per_day")
    recent = list(Submission.objects.filter(uploader=user.pk, received_at__gt=now - WINDOW).order_by("-received_at")
                  .values_list("received_at", flat=True)[:uploads])
    left = uploads - len(recent)
    # With n uploads a day, the n-th newest one must leave the window first.
    next_upload_at = recent[-1] + WINDOW if left == 0 and recent else None
    return Quota(uploads, left, next_upload_at, archive_bytes, games, int(games_left([user.pk], now)[user.pk]))


def archive_bytes_of(user: Any) -> int:
    """Return the size of the largest archive that this user may upload.

    The site's limit protects its machines, so it applies to staff too.
    """
    return _allowed(Profile.objects.filter(user=user.pk).first(), "archive_bytes")


def refuse_over_quota(user: Any, now: datetime) -> None:
    """Raise OverQuota if the author has no upload left."""
    quota = quota_of(user, now)
    if quota.uploads_left is None or quota.uploads_left > 0:
        return
    if quota.next_upload_at is None:
        raise OverQuota(gettext(
            "Your account may not upload: its quota is 0 uploads in 24 hours. Ask the site's staff."))
    raise OverQuota(gettext(
        "Your quota of uploads in 24 hours (%(uploads_per_day)s) is used up: you can upload again at "
        "%(next_upload_at)s."), uploads_per_day=quota.uploads_per_day,
        next_upload_at=f"{quota.next_upload_at:%Y-%m-%d %H:%M %Z}")


def games_left(owner_ids: Collection[int], now: datetime) -> dict[int, float]:
    """Return how many games the bots of each of these users may still be given now; `inf` for staff.

    Games count from when they are paired: games of ladders for both owners, games of challenges and trials only for the
    owner of the bot that asked for them. A match between two bots of one owner counts once. Events have their own
    limits. Three queries, regardless of the number of users.
    """
    owners = set(owner_ids)
    unlimited = set(User.objects.filter(pk__in=owners, is_staff=True).values_list("pk", flat=True))
    given = _games_given(owners - unlimited, now)
    return {owner: inf if owner in unlimited else max(0, allowed - given[owner])
            for owner, allowed in _games_per_day(owners).items()}


def games_free_at(owner_ids: Collection[int], now: datetime) -> dict[int, datetime]:
    """Return when each of these users, who have too few games left for a match, will have enough, if ever."""
    given = _games_given(owner_ids, now)
    # This many of the oldest matches must leave the window first.
    excess = {owner: -((allowed - GAMES_PER_MATCH - given[owner]) // GAMES_PER_MATCH)
              for owner, allowed in _games_per_day(owner_ids).items() if allowed >= GAMES_PER_MATCH}
    found: dict[int, datetime] = {}
    rows = _given(owner_ids, now).order_by("created_at").values_list(*_PAYERS, "created_at")
    for *payers, created_at in rows.iterator():
        for owner in _charged(*payers) & excess.keys() - found.keys():
            excess[owner] -= 1
            if excess[owner] <= 0:
                found[owner] = created_at + WINDOW
        if len(found) == len(excess):
            break
    return found


def _games_given(owners: Collection[int], now: datetime) -> Counter[int]:
    given: Counter[int] = Counter()
    for *payers, count in _given(owners, now).order_by().values_list(*_PAYERS).annotate(Count("id")):
        for owner in _charged(*payers):
            given[owner] += count * GAMES_PER_MATCH
    return given


def _given(owners: Collection[int], now: datetime) -> QuerySet[Match]:
    """Return the matches of the last 24 hours that may count for one of these owners."""
    return (Match.objects.filter(Q(first__bot__owner__in=owners) | Q(second__bot__owner__in=owners),
                                 kind__in=[MatchKind.LADDER, MatchKind.TRIAL, MatchKind.CHALLENGE],
                                 created_at__gt=now - WINDOW)
            .exclude(status=MatchStatus.CANCELLED))


def _charged(first: int, second: int, challenger: int | None, trier: int | None) -> set[int]:
    """Return the owners for whose quota a match counts.

    A challenge or a trial counts only for the owner who asked for it, so that no one can use up another's quota.
    """
    asked = challenger or trier
    return {first, second} if asked is None else {asked}


def _games_per_day(owners: Collection[int]) -> dict[int, int]:
    profiles = {profile.user_id: profile for profile in Profile.objects.filter(user__in=owners)}
    return {owner: _allowed(profiles.get(owner), "games_per_day") for owner in owners}


def _allowed(profile: Profile | None, quota: str) -> int:
    """Return the user's own quota of that name, or else the site's."""
    own = getattr(profile, quota, None)
    return getattr(settings, _OF_THE_SITE[quota]) if own is None else own
