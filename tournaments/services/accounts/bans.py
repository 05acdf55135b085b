"""Bans of people and bots. They take nothing back: what was played stays played, and what runs is played out."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from tournaments.models import Ban, Bot, LadderEntry
from tournaments.platform.refusals import Refused
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.services.matches.calling_off import call_off_outside_events
from tournaments.services.shared import audit


class BanRefused(Refused):
    """There is nothing to ban or to lift, or it would be unwise."""


def ban(*, actor: Any, reason: str, now: datetime, user: Any = None, bot: Bot | None = None) -> Ban:
    """Keep a person or a bot from taking part until the ban is lifted. `reason` is told to them.

    A bot, and each bot that a banned person owns, leaves its ladders: it is not paired any more. After the ban its
    people let it join again. Raises BanRefused, Forbidden.
    """
    _refuse_all_but_staff(actor)
    if (user is None) == (bot is None):
        raise BanRefused("A ban is of a person or of a bot, one of them.")
    if not reason.strip():
        raise BanRefused("A ban needs a reason, which its subject is told.")
    if user is not None and user.is_staff:
        raise BanRefused(f"{user} is of the site's staff: take that from the account first.")
    subject = user or bot
    with transaction.atomic():
        # The lock: of two who ban the same at once, one does. `no_key`: games of its bots are finished meanwhile.
        locked = type(subject)._default_manager.select_for_update(no_key=True)  # noqa: SLF001 - Django's way
        locked.get(pk=subject.pk)
        if subject.bans.filter(lifted_at=None).exists():
            raise BanRefused(f"{subject} is banned already.")
        made = Ban.objects.create(user=user, bot=bot, reason=reason.strip(), created_by=actor, created_at=now)
        theirs = Q(bot=bot) if bot is not None else Q(bot__owner=user)
        left = LadderEntry.objects.filter(theirs, active=True).update(active=False)
        banned = Bot.objects.filter(pk=bot.pk) if bot is not None else Bot.objects.filter(owner=user)
        call_off_outside_events(Q(first__bot__in=banned) | Q(second__bot__in=banned), now)
        audit.record(actor=actor, verb="ban", target=subject, now=now, reason=made.reason, left_ladders=left)
    return made


def lift(*, ban: Ban, actor: Any, now: datetime) -> Ban:
    """End a ban. Raises BanRefused, Forbidden."""
    _refuse_all_but_staff(actor)
    with transaction.atomic():
        lifted = Ban.objects.filter(pk=ban.pk, lifted_at=None).update(lifted_at=now)
        ban.refresh_from_db()
        if not lifted:
            raise BanRefused(f"The {ban} was lifted on {ban.lifted_at:%Y-%m-%d %H:%M} UTC.")
        audit.record(actor=actor, verb="lift the ban of", target=ban.user or ban.bot, now=now)
    return ban


def _refuse_all_but_staff(actor: Any) -> None:
    if not actor.is_staff:
        raise Forbidden("Only the site's staff bans and lifts bans.")
