"""Reads about users: profiles, uploads and teams."""

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.db.models import Count, QuerySet

from tournaments.models import Membership, Submission, Team


def people() -> QuerySet[User]:
    """Return all users whose account is open, with their profiles."""
    return User.objects.filter(is_active=True).select_related("profile")


def uploads_of(user: AbstractBaseUser) -> QuerySet[Submission]:
    """Return this user's uploads, newest first."""
    return Submission.objects.filter(uploader=user.pk).select_related("version__bot").defer("log", "stderr")


def teams() -> QuerySet[Team]:
    """Return all teams by name, each with `member_count` and `bot_count`."""
    return Team.objects.order_by("name").annotate(member_count=Count("memberships", distinct=True),
                                                  bot_count=Count("bots", distinct=True))


def memberships_of(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Membership]:
    """Return this user's memberships, by name of the team."""
    return Membership.objects.filter(user=user.pk).select_related("team").order_by("team__name")


def members_of(team: Team) -> QuerySet[Membership]:
    """Return the team's memberships, captains first."""
    return team.memberships.select_related("user").order_by("role", "joined_at", "id")
