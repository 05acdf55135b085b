"""Entries in an event: entering and leaving, invitations, and the order of the draw at the start."""

from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext

from ratings.models import Rating
from tournaments.formats.registry import find
from tournaments.models import Bot, Disqualification, Entry, Event, Invitation, Match, Membership, Version
from tournaments.models.lifecycle import EventStatus, Seeding
from tournaments.platform.refusals import Refused, stated
from tournaments.selectors.events.permissions import is_site_organiser, organises, refuse_stranger
from tournaments.selectors.shared.permissions import Forbidden, acts_for, ineligible, own_bots, refuse_banned
from tournaments.services.events import leagues
from tournaments.services.events.room import enter_ladder
from tournaments.services.events.scheduling import check_plays, check_size
from tournaments.services.matches.calling_off import call_off
from tournaments.services.shared import audit
from tournaments.services.shared.failures import each
from tournaments.services.shared.locks import lock_event
from tournaments.services.shared.statements import touch
from tournaments.services.shared.wakeups import Step, wake


class EntryRefused(Refused):
    """A version cannot enter or leave: the time is wrong, the bot is already entered, or the event is full or over."""


class InvitationRefused(Refused):
    """An invitation cannot be made or taken back: it exists already, is not needed, or comes too late."""


def entry_of(event: Event, bot: Bot) -> Entry:
    """Return the bot's entry in the event, with everything that verbs on entries read. Raises EntryRefused."""
    entry = event.entries.select_related("event__created_by", "bot__team", "version__bot").filter(bot=bot).first()
    if entry is None:
        raise EntryRefused(gettext("%(bot)s is not entered in %(event)s: choose one of its entrants."), bot=bot.name,
                           event=event)
    return entry


def enter_event(*, event: Event, version: Version, actor: Any, now: datetime) -> Entry:
    """Enter a version of the actor's bot. Raises EntryRefused, EventRefused, Forbidden.

    The event's organiser can also do so outside the registration window, until the event starts. An arena can be
    entered until its time is over, as the last in the draw.
    """
    if not acts_for(actor, version.bot):
        raise Forbidden(gettext(
            "%(bot)s is not your bot: only its owner and its team can enter it."), bot=version.bot.name)
    refuse_banned(user=actor, bot=version.bot)
    with transaction.atomic():
        event = lock_event(event)
        if not may_see(actor, event):
            raise Forbidden(gettext("%(event)s is private: ask its organiser for an invitation."), event=event)
        closed = registration_closed(event, now)
        late = late_entry_open(event, now)
        if closed and not ((event.status == EventStatus.SCHEDULED or late) and organises(actor, event)):
            raise EntryRefused(closed)
        check_plays(event.ladder, version)
        present = event.entries.select_related("version__bot").filter(bot=version.bot_id).first()
        if present is not None:
            raise EntryRefused(gettext(
                "%(bot)s is already entered, with version %(version)s: leave the event first to enter another "
                "version."), bot=version.bot.name, version=present.version.number)
        count = event.entries.count()
        most = find(event.format).most_entries(event.max_entries)
        if most is not None and count >= most:
            raise EntryRefused(gettext(
                "%(event)s is full: it is limited to %(most)s entries."), event=event, most=most)
        runners = event.entries.filter(runs_the_gauntlet=True).count()
        check_size(event.format, count + 1, event.cycles, event.swiss_rounds, runners, event.max_entries)
        place = event.entries.filter(place__isnull=False).count() if late else None
        entry = Entry.objects.create(event=event, bot=version.bot, version=version, place=place, entered_at=now)
        touch(event.pk)
        wake(Step.PAIR_ROUNDS)
        audit.record(actor=actor, verb="enter", target=event, now=now, version=str(version))
    return entry


def leave_event(*, entry: Entry, actor: Any, now: datetime) -> None:
    """Delete an entry before the start; after it, pair the entrant no longer and call off its open matches.

    The bot's owner, its team and the event's organiser can do this; an actor of None is the service itself. Raises
    EntryRefused, Forbidden.
    """
    if actor is not None and not acts_for(actor, entry.bot) and not organises(actor, entry.event):
        raise Forbidden(gettext(
            "%(bot)s is not your bot: only its owner, its team and the organiser can withdraw it."), bot=entry.bot.name)
    with transaction.atomic():
        event = lock_event(entry.event)
        if event.status in (EventStatus.FINISHED, EventStatus.CANCELLED):
            raise EntryRefused(gettext(
                "%(event)s is %(status)s: it is too late to leave it."), event=event,
                status=event.get_status_display().lower())
        if event.status == EventStatus.SCHEDULED:
            gone = Entry.objects.filter(pk=entry.pk).delete()[0]
        else:
            gone = Entry.objects.filter(pk=entry.pk, left_at=None).update(left_at=now)
            call_off(Match.objects.filter(Q(first=entry.version_id) | Q(second=entry.version_id), event=event), now)
        if not gone:
            raise EntryRefused(gettext("%(bot)s has already left %(event)s."), bot=entry.bot.name, event=event)
        touch(event.pk)
        audit.record(actor=actor, verb="leave", target=event, now=now, version=str(entry.version))


def return_to_event(*, entry: Entry, actor: Any, now: datetime) -> None:
    """Let an entrant that left a running arena play on; it keeps its points. Raises EntryRefused, Forbidden.

    The bot's owner, its team and the event's organiser can do this.
    """
    if not acts_for(actor, entry.bot) and not organises(actor, entry.event):
        raise Forbidden(gettext(
            "%(bot)s is not your bot: only its owner, its team and the organiser can bring it back."),
            bot=entry.bot.name)
    refuse_banned(user=actor, bot=entry.bot)
    with transaction.atomic():
        event = lock_event(entry.event)
        if not late_entry_open(event, now):
            raise EntryRefused(gettext("%(bot)s cannot return to %(event)s: only an arena whose time is not over takes "
                                       "entrants back."), bot=entry.bot.name, event=event)
        if Disqualification.objects.filter(entry=entry).exists():
            raise EntryRefused(gettext("%(bot)s is disqualified from %(event)s and cannot return."), bot=entry.bot.name,
                               event=event)
        if entry.place is None:
            raise EntryRefused(gettext("%(bot)s could not play when %(event)s started, and has no place in it."),
                               bot=entry.bot.name, event=event)
        check_plays(event.ladder, entry.version)
        if not Entry.objects.filter(pk=entry.pk, left_at__isnull=False).update(left_at=None):
            raise EntryRefused(gettext("%(bot)s has not left %(event)s."), bot=entry.bot.name, event=event)
        touch(event.pk)
        audit.record(actor=actor, verb="return to", target=event, now=now, version=str(entry.version))
        wake(Step.PAIR_ROUNDS)


def withdraw_ineligible(now: datetime) -> int:
    """Remove ineligible entries, such as withdrawn versions, from the running events; return how many."""
    going_on = Entry.objects.filter(ineligible(), event__status__in=[EventStatus.RUNNING, EventStatus.PAUSED],
                                    left_at=None, place__isnull=False)
    return each("withdraw entries", going_on.select_related("event__ladder", "bot", "version__bot"),
                partial(_leave, now=now), now=now)


def _leave(entry: Entry, *, now: datetime) -> bool:
    try:
        leave_event(entry=entry, actor=None, now=now)
    except EntryRefused:
        # It left, or the event ended, in the meantime.
        return False
    return True


def settle(event: Event, now: datetime) -> list[Entry]:
    """Give the entrants of an event that is about to start their places; return those who play, in order.

    Entries that can no longer play leave without a place. If the event's series enters the bots of its ladder, that
    happens here. In a league, so does the division of the entrants, and those of the highest division are returned.
    Call it in a transaction.
    """
    # The lower divisions of a league have their entrants already.
    if event.series is not None and event.series.enter_ladder and event.division == 0:
        enter_ladder(event, now)
    starts_season = event.series is not None and event.series.division_size is not None and event.division == 0
    if starts_season:
        leagues.refresh_versions(event)
    unfit_ones = set(event.entries.filter(ineligible()).values_list("pk", flat=True))
    event.entries.filter(pk__in=unfit_ones).update(left_at=now)
    entries = [entry for entry in event.entries.select_related("bot", "version").order_by("pk")
               if entry.pk not in unfit_ones]
    Random(event.seed).shuffle(entries)  # noqa: S311 - reproducible draw, not a secret
    if event.seeding == Seeding.RATING:
        values = dict(Rating.objects.filter(ladder=event.ladder_id, bot__entries__event=event)
                      .values_list("bot", "value"))
        # The sort is stable: entrants without a rating follow the others, in their random order.
        entries.sort(key=lambda entry: -values.get(entry.bot_id, float("-inf")))
    if starts_season:
        entries = leagues.split(event, entries, now)
    for place, entry in enumerate(entries):
        entry.place = place
    Entry.objects.bulk_update(entries, ["place"], batch_size=200)
    return entries


def entrants_manager_ids(event: Event) -> set[int]:
    """Return the IDs of the users who manage the entered bots: owners and team members."""
    bots = Bot.objects.filter(entries__event=event)
    return {*bots.values_list("owner", flat=True),
            *Membership.objects.filter(team__bots__in=bots).values_list("user", flat=True)}


def start_blocker(event: Event, entries: list[Entry]) -> str:
    """Return why the event cannot be held with these entrants; empty if it can."""
    if len(entries) < 2:
        return (gettext("an event needs at least two entrants, but only one entered") if entries else
                gettext("an event needs at least two entrants, but none entered"))
    runners = sum(entry.runs_the_gauntlet for entry in entries)
    form = find(event.format)
    if form.has_runners and not 0 < runners < len(entries):
        return stated(gettext("the format %(format)s needs at least one runner and at least one other entrant"),
                      format=gettext(form.name))
    return ""


def invite(*, event: Event, user: User, actor: Any, now: datetime) -> Invitation:
    """Let a user see a private event and enter it. Raises InvitationRefused, Forbidden."""
    refuse_stranger(actor, event)
    refuse_banned(user=actor)
    if not event.private:
        raise InvitationRefused(gettext(
            "%(event)s is public: no invitation is needed."), event=event)
    if event.status != EventStatus.SCHEDULED:
        raise InvitationRefused(gettext(
            "%(event)s is %(status)s: entries are closed."), event=event, status=event.get_status_display().lower())
    try:
        with transaction.atomic():
            invitation = Invitation.objects.create(event=event, user=user, created_at=now)
            audit.record(actor=actor, verb="invite", target=event, now=now, user=user.get_username())
    except IntegrityError:
        raise InvitationRefused(gettext("%(user)s is already invited."), user=user) from None
    return invitation


def uninvite(*, event: Event, user: User, actor: Any, now: datetime) -> None:
    """Take back the invitation of a user who manages none of the entered bots.

    Raises InvitationRefused, Forbidden.
    """
    refuse_stranger(actor, event)
    with transaction.atomic():
        # A team's bots too: otherwise its members could not see an event that their bot plays in.
        entered = event.entries.filter(bot__in=own_bots(user)).select_related("bot").first()
        if entered is not None:
            raise InvitationRefused(gettext(
                "%(bot)s is entered, and %(user)s manages it: withdraw it from %(event)s first."), user=user,
                bot=entered.bot.name, event=event)
        if not Invitation.objects.filter(event=event, user=user).delete()[0]:
            raise InvitationRefused(gettext("%(user)s is not invited."), user=user)
        audit.record(actor=actor, verb="uninvite", target=event, now=now, user=user.get_username())


def may_see(user: Any, event: Event) -> bool:
    """Return whether this user may see the event; anyone may, unless it is private."""
    return (not event.private or organises(user, event) or is_site_organiser(user)
            or (user.is_authenticated and event.invitations.filter(user=user).exists()))


def late_entry_open(event: Event, now: datetime) -> bool:
    """Return whether a running event still takes late entries: it is an arena whose time is not over."""
    return (event.status in (EventStatus.RUNNING, EventStatus.PAUSED) and find(event.format).is_continuous
            and event.started_at is not None and now < event.started_at + timedelta(minutes=event.minutes))


def registration_closed(event: Event, now: datetime) -> str:
    """Return why authors cannot enter now, as a sentence; empty if they can."""
    late = late_entry_open(event, now)
    if event.status != EventStatus.SCHEDULED and not late:
        return stated(gettext("%(event)s is %(status)s: entries are closed."), event=event,
                      status=event.get_status_display().lower())
    if event.registration_opens_at is None:
        return stated(gettext("%(event)s has no open registration: only its organiser can enter bots."), event=event)
    if now < event.registration_opens_at:
        return stated(gettext("Registration for %(event)s opens at %(at)s."), event=event,
                      at=f"{event.registration_opens_at:%Y-%m-%d %H:%M %Z}")
    if late:
        return ""
    deadline = event.registration_closes_at or event.starts_at
    if now >= deadline:
        return stated(gettext(
            "Registration for %(event)s closed at %(at)s: until the event starts, only its organiser can enter bots."),
            event=event, at=f"{deadline:%Y-%m-%d %H:%M %Z}")
    return ""

