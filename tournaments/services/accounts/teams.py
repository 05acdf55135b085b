"""Teams, which own bots together: creating a team, its members, and its bots."""

from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext

from ratings.names import key, looks, tidy
from tournaments.models import Bot, Membership, Team
from tournaments.models.lifecycle import Role
from tournaments.platform.refusals import Refused
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.services.shared import audit
from tournaments.services.shared.locks import Lock, hold
from tournaments.services.shared.slugs import free_slug

LONGEST_NAME: Final = 50
MOST_TEAMS: Final = 20
MOST_MEMBERS: Final = 50


class TeamRefused(Refused):
    """The team cannot be created or changed in this way."""


def found_team(*, name: str, founder: Any, now: datetime) -> Team:
    """Create a team whose captain is its founder. Raises TeamRefused."""
    title = tidy(name)
    if not 1 <= len(title) <= LONGEST_NAME or not title.isprintable():
        raise TeamRefused(gettext(
            "A team's name must have 1 to %(longest_name)s visible characters, unlike %(name)r."),
            longest_name=LONGEST_NAME, name=name[:60])
    with transaction.atomic():
        slug = free_slug(Team, title, "team")
        look = looks(title)
        for other in Team.objects.values_list("name", flat=True):
            if key(other) == key(title):
                raise TeamRefused(gettext("A team with the name %(title)s already exists: choose another name."),
                                  title=title)
            if looks(other) & look:
                raise TeamRefused(gettext(
                    "The name %(title)s looks like that of the team %(other)s: choose another name."), title=title,
                    other=other)
        if Membership.objects.filter(user=founder).count() >= MOST_TEAMS:
            raise TeamRefused(gettext(
                "You are in %(most_teams)s teams, the most allowed: leave one first."), most_teams=MOST_TEAMS)
        team = Team.objects.create(slug=slug, name=title, created_at=now)
        Membership.objects.create(team=team, user=founder, role=Role.CAPTAIN, joined_at=now)
        audit.record(actor=founder, verb="found", target=team, now=now)
    return team


def add_member(*, team: Team, user: Any, actor: Any, now: datetime) -> Membership:
    """Let a user manage the team's bots. Captains and staff can do this. Raises Forbidden and TeamRefused."""
    _refuse_unless_captain(team, actor)
    with transaction.atomic():
        _lock(team)
        if team.memberships.filter(user=user).exists():
            raise TeamRefused(gettext("%(user)s is already in %(team)s."), user=user, team=team)
        if team.memberships.count() >= MOST_MEMBERS:
            raise TeamRefused(gettext(
                "%(team)s has %(most_members)s members, the most allowed: remove one first."), team=team,
                most_members=MOST_MEMBERS)
        membership = Membership.objects.create(team=team, user=user, role=Role.MEMBER, joined_at=now)
        audit.record(actor=actor, verb="add a member to", target=team, now=now, member=user.get_username())
    return membership


def appoint_captain(*, team: Team, user: Any, actor: Any, now: datetime) -> Membership:
    """Make a member an additional captain. Captains and staff can do this. Raises Forbidden and TeamRefused."""
    _refuse_unless_captain(team, actor)
    with transaction.atomic():
        _lock(team)
        membership = _membership(team, user)
        membership.role = Role.CAPTAIN
        membership.save(update_fields=["role"])
        audit.record(actor=actor, verb="appoint a captain of", target=team, now=now, member=user.get_username())
    return membership


def remove_member(*, team: Team, user: Any, actor: Any, now: datetime) -> None:
    """End a membership: users can end their own, captains and staff any. The last one to leave disbands the team.

    Bots of a former member stay in the team until their owner takes them back. Raises Forbidden and TeamRefused.
    """
    if user.pk != actor.pk:
        _refuse_unless_captain(team, actor)
    with transaction.atomic():
        _lock(team)
        membership = _membership(team, user)
        others = team.memberships.exclude(pk=membership.pk)
        if others and not others.filter(role=Role.CAPTAIN).exists():
            raise TeamRefused(gettext(
                "%(user)s is the only captain of %(team)s: appoint another captain first."), user=user, team=team)
        audit.record(actor=actor, verb="leave" if user.pk == actor.pk else "remove a member from", target=team,
                     now=now, member=user.get_username())
        membership.delete()
        if not others:
            team.bots.update(team=None)
            Team.objects.filter(pk=team.pk).delete()


def give_bot(*, bot: Bot, team: Team | None, actor: Any, now: datetime) -> Bot:
    """Let a team's members manage the bot like its owner, or with None only the owner again.

    The bot's owner, who must be in the team, and staff can do this. Raises Forbidden and TeamRefused.
    """
    if bot.owner_id != actor.pk and not actor.is_staff:
        raise Forbidden(gettext(
            "%(bot)s is not your bot: only its owner, %(owner)s, can give it to a team."), bot=bot.name,
            owner=bot.owner)
    with transaction.atomic():
        if team is not None:
            _lock(team)
            if not team.memberships.filter(user=bot.owner_id).exists():
                raise TeamRefused(gettext(
                    "%(owner)s is not in %(team)s: choose a team that the bot's owner is in."), owner=bot.owner,
                    team=team)
        Bot.objects.filter(pk=bot.pk).update(team=team)
        bot.refresh_from_db()
        audit.record(actor=actor, verb="give to a team" if team else "take back from its team", target=bot, now=now,
                     team=team.name if team else None)
    return bot


def is_captain(team: Team, user: Any) -> bool:
    """Return whether this user can change the team's members: captains and staff can."""
    return user.is_authenticated and (
        user.is_staff or team.memberships.filter(user=user, role=Role.CAPTAIN).exists())


def _refuse_unless_captain(team: Team, actor: Any) -> None:
    if not is_captain(team, actor):
        raise Forbidden(gettext("Only captains of %(team)s can change its members."), team=team)


def _lock(team: Team) -> None:
    """Lock the team, because two captains who leave at once would leave none. Raises TeamRefused if it is gone."""
    hold(Lock.TEAMS, team.pk)
    if not Team.objects.filter(pk=team.pk).exists():
        raise TeamRefused(gettext("%(team)s has been disbanded."), team=team)


def _membership(team: Team, user: Any) -> Membership:
    membership = team.memberships.filter(user=user).first()
    if membership is None:
        raise TeamRefused(gettext("%(user)s is not in %(team)s."), user=user, team=team)
    return membership
