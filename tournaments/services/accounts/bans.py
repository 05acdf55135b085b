"""Bans of users and bots. They undo nothing: games that were played stay, and running matches are played to the end."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from tournaments.models import Ban, Bot, LadderEntry
from tournaments.platform.refusals import Refused
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.services.matches.calling_off import call_off_outside_events
from tournaments.services.shared import audit
from tournaments.services.shared.wakeups import Step, wake


class BanRefused(Refused):
    """The ban cannot be made or lifted."""


def ban(*, actor: Any, reason: str, now: datetime, user: Any = None, bot: Bot | None = None) -> Ban:
    """Keep a user or a bot from taking part until the ban is lifted. `reason` is shown to them.

    A bot, and each bot that a banned user owns, leaves its ladders and is no longer paired. After the ban, its owner or
    team must let it rejoin. Raises BanRefused, Forbidden.
    """
    _refuse_all_but_staff(actor)
    if (user is None) == (bot is None):
        raise BanRefused("A ban is of either a user or a bot: choose one.")
    if not reason.strip():
        raise BanRefused("A ban needs a reason, which is shown to the user or to the bot's owner: enter one.")
    if user is not None and user.is_staff:
        raise BanRefused(f"{user} is on the site's staff: remove the staff status first.")
    subject = user or bot
    with transaction.atomic():
        # Lock, so that of two bans at once only one succeeds. `no_key`, so that games of its bots can finish in the
        # meantime.
        locked = type(subject)._default_manager.select_for_update(no_key=True)  # noqa: SLF001 - documented Django API
        locked.get(pk=subject.pk)
        if subject.bans.filter(lifted_at=None).exists():
            raise BanRefused(f"{subject} is already banned.")
        made = Ban.objects.create(user=user, bot=bot, reason=reason.strip(), created_by=actor, created_at=now)
        theirs = Q(bot=bot) if bot is not None else Q(bot__owner=user)
        left = LadderEntry.objects.filter(theirs, active=True).update(active=False)
        banned = Bot.objects.filter(pk=bot.pk) if bot is not None else Bot.objects.filter(owner=user)
        call_off_outside_events(Q(first__bot__in=banned) | Q(second__bot__in=banned), now)
        audit.record(actor=actor, verb="ban", target=subject, now=now, reason=made.reason, left_ladders=left)
        wake(Step.WITHDRAW_ENTRIES)
    return made


def lift(*, ban: Ban, actor: Any, now: datetime) -> Ban:
    """End a ban. Raises BanRefused, Forbidden."""
    _refuse_all_but_staff(actor)
    with transaction.atomic():
        lifted = Ban.objects.filter(pk=ban.pk, lifted_at=None).update(lifted_at=now)
        ban.refresh_from_db()
        if not lifted:
            raise BanRefused(f"The {ban} was already lifted on {ban.lifted_at:%Y-%m-%d %H:%M} UTC.")
        audit.record(actor=actor, verb="lift the ban of", target=ban.user or ban.bot, now=now)
        wake(Step.PAIR_LADDERS)
    return ban


def _refuse_all_but_staff(actor: Any) -> None:
    if not actor.is_staff:
        raise Forbidden("Only the site's staff can ban and lift bans.")
