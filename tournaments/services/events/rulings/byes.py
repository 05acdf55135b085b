"""Byes that entrants of a Swiss request, and the rounds that a late entrant has missed."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext

from tournaments.models import Bye, ByeRequest, Entry, Event, Round
from tournaments.models.lifecycle import EventStatus
from tournaments.platform.refusals import Refused
from tournaments.selectors.events.permissions import organises
from tournaments.selectors.shared.permissions import Forbidden, acts_for, refuse_banned
from tournaments.services.events.regulations import MOST_ROUNDS
from tournaments.services.shared import audit
from tournaments.services.shared.locks import lock_event
from tournaments.services.shared.statements import touch


class ByeRefused(Refused):
    """A bye cannot be requested: the event grants none, the round is paired, or the entrant has used its byes."""


def request_bye(*, entry: Entry, number: int, actor: Any, now: datetime) -> ByeRequest:
    """Sit out round `number` of a Swiss, which is not paired yet, for the event's points for a bye.

    The bot's owner, its team and the organiser can do this. Raises ByeRefused, Forbidden.
    """
    if not acts_for(actor, entry.bot) and not organises(actor, entry.event):
        raise Forbidden(gettext(
            "%(bot)s is not your bot: only its owner, its team and the organiser can request a bye for it."),
            bot=entry.bot.name)
    refuse_banned(user=actor, bot=entry.bot)
    with transaction.atomic():
        event = lock_event(entry.event)
        # Read again under the lock: the entrant may have left.
        entry = event.entries.select_related("bot", "version__bot").get(pk=entry.pk)
        _check(event, entry, number)
        request = ByeRequest.objects.create(entry=entry, number=number, requested_by=actor, requested_at=now)
        touch(event.pk)
        audit.record(actor=actor, verb="request a bye in", target=event, now=now, version=str(entry.version),
                     round=number)
    return request


def miss_rounds(entry: Entry, event: Event) -> None:
    """Record the rounds that a late entrant has missed, with the event's points for a bye."""
    Bye.objects.bulk_create(Bye(round=row, entry=entry, points=event.bye_points)
                            for row in Round.objects.filter(event=event))


def last_round(event: Event) -> int:
    """Return the number of the last round that is paired; 0 before the first."""
    return event.rounds.aggregate(last=Max("number"))["last"] or 0


def _check(event: Event, entry: Entry, number: int) -> None:
    if event.status in (EventStatus.FINISHED, EventStatus.CANCELLED) or entry.left_at is not None:
        raise ByeRefused(gettext("%(bot)s no longer plays in %(event)s: it needs no bye."), bot=entry.bot.name,
                         event=event)
    if not event.byes_allowed:
        raise ByeRefused(gettext("%(event)s grants no requested byes."), event=event)
    paired = last_round(event)
    if number <= paired:
        raise ByeRefused(gettext(
            "Round %(number)s of %(event)s is already paired: request a bye for round %(next)s or later."),
            number=number, event=event, next=paired + 1)
    rounds = event.swiss_rounds or MOST_ROUNDS
    if number > rounds:
        raise ByeRefused(gettext("%(event)s has at most %(rounds)s rounds: there is no round %(number)s."), event=event,
                         rounds=rounds, number=number)
    requested = list(ByeRequest.objects.filter(entry=entry).values_list("number", flat=True))
    if number in requested:
        raise ByeRefused(gettext("%(bot)s already has a bye in round %(number)s."), bot=entry.bot.name, number=number)
    if len(requested) >= event.byes_allowed:
        raise ByeRefused(gettext(
            "%(bot)s has already requested %(count)s byes, and %(event)s grants no more to an entrant."),
            bot=entry.bot.name, count=len(requested), event=event)
