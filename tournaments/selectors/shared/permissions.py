"""Permissions: who may act for a bot, and who is banned. Pages, API and admin all ask here."""

from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext

from tournaments.models import Ban, Bot
from tournaments.models.lifecycle import VersionStatus
from tournaments.platform.refusals import Forbidden


def acts_for(user: Any, bot: Bot) -> bool:
    """Return whether this user may enter the bot, and suspend and withdraw its versions: its owner, its team, staff."""
    return user.is_authenticated and (user.is_staff or owns(user, bot))


def owns(user: Any, bot: Bot) -> bool:
    """Return whether the bot is this user's, alone or with a team.

    Only they may upload under its name; staff may not.
    """
    return bot.owner_id == user.pk or (bot.team_id is not None and bot.team.memberships.filter(user=user.pk).exists())


def own_bots(user: Any) -> QuerySet[Bot]:
    """Return the bots that this user manages as owner or in a team, for conditions on rows that belong to them."""
    return Bot.objects.filter(Q(owner=user) | Q(team__memberships__user=user))


def manager_ids(bot: Bot) -> set[int]:
    """Return the IDs of users who manage the bot as owner or in a team, and who are notified about it."""
    members = set(bot.team.memberships.values_list("user", flat=True)) if bot.team_id is not None else set()
    return members | {bot.owner_id}


def ineligible() -> Q:
    """Return the condition on event or ladder entries that the version is withdrawn, or the bot or its owner banned."""
    return Q(version__status=VersionStatus.WITHDRAWN) | under_ban("bot__")


def under_ban(at: str = "") -> Q:
    """Return the condition that a bot or its owner is banned.

    It applies to bots, or to rows that lead to a bot by `at`, such as "bot__".
    """
    bans = Ban.objects.filter(lifted_at=None)
    return (Q(**{f"{at}pk__in": bans.filter(bot__isnull=False).values("bot")})
            | Q(**{f"{at}owner__in": bans.filter(user__isnull=False).values("user")}))


def ban_of(*, user: Any = None, bot: Bot | None = None) -> Ban | None:
    """Return a ban in force of this user or bot, or None. A ban of its owner is a ban of the bot, too."""
    subject = Q()
    if user is not None:
        subject |= Q(user=user)
    if bot is not None:
        subject |= Q(bot=bot) | Q(user=bot.owner_id)
    return Ban.objects.filter(subject, lifted_at=None).select_related("bot").first() if subject else None


def require_access(user: Any, bot: Bot) -> None:
    """Raise Forbidden for a user who may not act for the bot."""
    if not acts_for(user, bot):
        raise Forbidden(gettext("%(bot)s is not your bot: only its owner and its team can manage it."), bot=bot.name)


def refuse_banned(*, user: Any = None, bot: Bot | None = None) -> None:
    """Raise Forbidden for a user or bot under a ban (`ban_of`)."""
    ban = ban_of(user=user, bot=bot)
    if ban is None:
        return
    if user is not None and ban.user_id == user.pk:
        raise Forbidden(gettext("You are banned: %(reason)s"), reason=ban.reason)
    if ban.bot_id:
        raise Forbidden(gettext("%(bot)s is banned: %(reason)s"), bot=bot.name, reason=ban.reason)
    raise Forbidden(gettext("%(bot)s's owner is banned."), bot=bot.name)
