"""Who may act for what. Every door asks here: pages, API, admin."""

from typing import Any

from django.db.models import Q
from django.utils.translation import gettext

from tournaments.models import Ban, Bot
from tournaments.models.lifecycle import VersionStatus
from tournaments.platform.refusals import Forbidden


def acts_for(user: Any, bot: Bot) -> bool:
    """Whether this person may enter the bot, rest and withdraw its versions: its owner, its team, staff."""
    return user.is_authenticated and (user.is_staff or owns(user, bot))


def owns(user: Any, bot: Bot) -> bool:
    """Whether the bot is this person's, alone or with a team. Its name is theirs to upload under, not the staff's."""
    return bot.owner_id == user.pk or (bot.team_id is not None and bot.team.memberships.filter(user=user.pk).exists())


def own_bots(user: Any) -> Q:
    """Condition on bots: those that this person acts for as owner or in a team."""
    return Q(owner=user) | Q(team__memberships__user=user)


def manager_ids(bot: Bot) -> set[int]:
    """Ids of the users who act for the bot as owner or in a team: who is told of what happens to it."""
    members = set(bot.team.memberships.values_list("user", flat=True)) if bot.team_id is not None else set()
    return members | {bot.owner_id}


def ineligible() -> Q:
    """Condition on entries of events or ladders: the version is withdrawn, or the bot or its owner is banned."""
    return (Q(version__status=VersionStatus.WITHDRAWN)
            | Q(bot__bans__isnull=False, bot__bans__lifted_at=None)
            | Q(bot__owner__bans__isnull=False, bot__owner__bans__lifted_at=None))


def require_access(user: Any, bot: Bot) -> None:
    """Raise Forbidden for somebody who does not act for the bot."""
    if not acts_for(user, bot):
        raise Forbidden(gettext("%(bot)s is not your bot: only its owner and its team act for it."), bot=bot.name)


def refuse_banned(*, user: Any = None, bot: Bot | None = None) -> None:
    """Raise Forbidden for a person or bot under a ban that stands. A ban of its owner is one of the bot, too."""
    subject = Q()
    if user is not None:
        subject |= Q(user=user)
    if bot is not None:
        subject |= Q(bot=bot) | Q(user=bot.owner_id)
    ban = Ban.objects.filter(subject, lifted_at=None).select_related("bot").first() if subject else None
    if ban is None:
        return
    if user is not None and ban.user_id == user.pk:
        raise Forbidden(gettext("You are banned: %(reason)s"), reason=ban.reason)
    if ban.bot_id:
        raise Forbidden(gettext("%(bot)s is banned: %(reason)s"), bot=bot.name, reason=ban.reason)
    raise Forbidden(gettext("%(bot)s's owner is banned."), bot=bot.name)
