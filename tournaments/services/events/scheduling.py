"""Creation of events, and the checks that every event must pass."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils.translation import gettext

from tournaments.formats import registry
from tournaments.formats.contract import Format
from tournaments.models import Entry, Event, Ladder, Series, Version
from tournaments.models.lifecycle import Seeding, VersionStatus
from tournaments.scoring.standings import TIE_BREAKS
from tournaments.selectors.events import permissions
from tournaments.selectors.shared.permissions import Forbidden, acts_for, refuse_banned
from tournaments.services.events import books
from tournaments.services.events.regulations import EventRefused, check_regulations
from tournaments.services.events.targets import MOST_MATCHES, check_target, check_within_reach
from tournaments.services.shared import audit
from tournaments.services.shared.slugs import free_slug
from tournaments.services.shared.wakeups import Step, wake

MOST_CYCLES: Final = 1000
MOST_ENTRIES: Final = 10_000
MOST_SWISS_ROUNDS: Final = 100
LONGEST_NAME: Final = 80
LONGEST_DESCRIPTION: Final = 4000
# Organisers' clocks and forms lag: a start this long ago means "now".
PAST_TOLERANCE: Final = timedelta(seconds=60)


def create_event(
    *, name: str, ladder: Ladder, versions: Sequence[Version] = (), cycles: int = 1, starts_at: datetime | None,
    created_by: AbstractBaseUser, now: datetime, seed: int, openings: bool = True,
    format: str = registry.DEFAULT,  # noqa: A002 - the name in the tables and the API
    runners: Sequence[Version] = (), swiss_rounds: int | None = None,
    seeding: str = Seeding.RATING, tie_breaks: Sequence[str] = (), rated: bool | None = None, private: bool = False,
    max_entries: int | None = None, registration_opens_at: datetime | None = None,
    registration_closes_at: datetime | None = None, description: str = "", series: Series | None = None,
    target: str = "", target_value: int | None = None, max_matches: int | None = None, max_hours: int | None = None,
    book: str = "", **regulations: Any,
) -> Event:
    """Schedule an event on a ladder; it starts automatically at `starts_at`, or at once if that is None.

    `versions` are entered at once, and so are `runners`, who play a gauntlet against all the others. With
    `registration_opens_at`, authors can enter their bots from then until `registration_closes_at`, or until the start.
    `seed` (0 to 2**63 - 1) determines everything that is drawn at random. `rated` defaults to what the organiser may
    have: only the site's organisers can hold rated events. `book` is the text of an opening book, which replaces the
    ruleset's openings; an event of a series has the book of the series. `regulations` are those of
    `check_regulations`. Raises EventRefused, BookRefused, OverEventQuota, Forbidden.
    """
    organiser = permissions.is_site_organiser(created_by, "add")
    refuse_banned(user=created_by)
    facts = check_format(format=format, cycles=cycles, swiss_rounds=swiss_rounds, seeding=seeding,
                         tie_breaks=tie_breaks, max_entries=max_entries)
    facts |= check_regulations(format, **regulations)
    facts |= check_target(format, cycles, target, target_value, max_matches, max_hours)
    title = check_text(name, description)
    start = check_start(starts_at, now)
    check_registration(registration_opens_at, registration_closes_at, start, now)
    entrants = [*versions, *(runner for runner in runners if runner not in versions)]
    _check_entrants(ladder, entrants, created_by, needed=2 if registration_opens_at is None else 0)
    _check_runners(format, runners, len(entrants), registration=registration_opens_at is not None)
    if not organiser:
        permissions.refuse_for_organisers(rated=rated)
        most = permissions.MOST_ENTRIES
        facts["max_entries"] = most if max_entries is None else min(max_entries, most)
    check_size(format, len(entrants), cycles, facts["swiss_rounds"], len(runners), facts["max_entries"], max_matches)
    check_within_reach(facts, len(entrants))
    lines = books.judged(book, ladder, openings=openings)
    with transaction.atomic():
        # This holds the lock on slugs, which also keeps two events at once from exceeding the user's limit.
        slug = free_slug(Event, title, "event")
        if not organiser:
            permissions.refuse_over_quota(created_by, cycles=cycles, max_matches=max_matches)
        event = Event.objects.create(
            slug=slug, name=title, description=description.strip(), ladder=ladder, seed=seed, openings=openings,
            rated=organiser if rated is None else rated, private=private, starts_at=start, series=series,
            registration_opens_at=registration_opens_at, registration_closes_at=registration_closes_at,
            created_by=created_by, created_at=now,
            book=books.store(lines, ladder, created_by, now) if series is None else series.book, **facts)
        Entry.objects.bulk_create(
            Entry(event=event, bot_id=version.bot_id, version=version, entered_at=now,
                  runs_the_gauntlet=version in runners) for version in entrants)
        audit.record(actor=created_by, verb="create", target=event, now=now)
        wake(Step.ANNOUNCE_EVENTS, Step.START_EVENTS)
    return event


def check_text(name: str, description: str = "", longest: int = LONGEST_NAME) -> str:
    """Return the name as it is stored.

    Raises EventRefused for a name that is empty, too long or not printable, and for a description that is too long.
    """
    title = name.strip()
    if not title or len(title) > longest:
        raise EventRefused(gettext(
            "An event's name must have 1 to %(longest)s characters, not %(count)s."), longest=longest, count=len(title))
    if not title.isprintable():
        raise EventRefused(gettext("An event's name must be one line of visible characters."))
    if len(description) > LONGEST_DESCRIPTION:
        raise EventRefused(gettext(
            "An event's description can have up to %(longest_description)s characters, not %(count)s."),
            longest_description=LONGEST_DESCRIPTION, count=len(description))
    return title


def check_format(
    *, format: str,  # noqa: A002 - as above
    cycles: int, swiss_rounds: int | None, seeding: str, tie_breaks: Sequence[str], max_entries: int | None,
) -> dict[str, Any]:
    """Return how the event is played, as the row stores it. Raises EventRefused."""
    form = _find(format)
    if seeding not in Seeding.values:
        raise EventRefused(gettext("Unknown seeding %(seeding)r: choose from %(values)s."), seeding=seeding,
                           values=", ".join(Seeding.values))
    if not 1 <= cycles <= MOST_CYCLES:
        raise EventRefused(gettext(
            "An event must have 1 to %(most_cycles)s cycles, not %(cycles)s."), most_cycles=MOST_CYCLES, cycles=cycles)
    if form.is_continuous and cycles != 1:
        raise EventRefused(gettext("An arena decides itself how often each pair meets: set the matches per pairing to "
                                   "1, not %(cycles)s."), cycles=cycles)
    if swiss_rounds is not None and not form.takes_rounds:
        raise EventRefused(gettext(
            "The number of rounds cannot be set for the format %(format)s: leave it empty."), format=gettext(form.name))
    if swiss_rounds is not None and not 1 <= swiss_rounds <= MOST_SWISS_ROUNDS:
        raise EventRefused(gettext(
            "The format %(format)s allows 1 to %(most_swiss_rounds)s rounds, not %(swiss_rounds)s."),
            format=gettext(form.name), most_swiss_rounds=MOST_SWISS_ROUNDS, swiss_rounds=swiss_rounds)
    for index, tie_break in enumerate(tie_breaks):
        if tie_break not in TIE_BREAKS:
            raise EventRefused(gettext(
                "Unknown tie-break %(tie_break)r: choose from %(tie_breaks)s."), tie_break=tie_break,
                tie_breaks=", ".join(TIE_BREAKS))
        if tie_break in tie_breaks[:index]:
            raise EventRefused(gettext("The tie-break %(tie_break)s is named twice: remove one."), tie_break=tie_break)
    if max_entries is not None and not 2 <= max_entries <= MOST_ENTRIES:
        raise EventRefused(gettext(
            "The maximum number of entries must be 2 to %(most_entries)s, not %(max_entries)s."),
            most_entries=MOST_ENTRIES, max_entries=max_entries)
    if max_entries is not None and form.most_entrants is not None and max_entries > form.most_entrants:
        raise EventRefused(gettext(
            "The format %(format)s allows up to %(most)s entries, not %(max_entries)s: hold several events, or "
            "choose another format."), format=gettext(form.name), most=form.most_entrants, max_entries=max_entries)
    return {"format": format, "cycles": cycles, "swiss_rounds": swiss_rounds, "seeding": seeding,
            "tie_breaks": list(tie_breaks), "max_entries": max_entries}


def _find(slug: str) -> Format:
    try:
        return registry.find(slug)
    except registry.UnknownFormat:
        raise EventRefused(gettext(
            "Unknown format %(format)r: choose from %(values)s."), format=slug,
            values=", ".join(registry.FORMATS)) from None


def check_plays(ladder: Ladder, version: Version) -> None:
    """Raise EventRefused for a version that is not active, or does not play the ladder's ruleset."""
    if ladder.ruleset not in version.rulesets:
        raise EventRefused(gettext(
            "%(version)s does not play %(ruleset)s, only %(rulesets)s: enter a version that does."),
            version=version, ruleset=ladder.ruleset, rulesets=", ".join(version.rulesets))
    if version.status != VersionStatus.ACTIVE:
        raise EventRefused(gettext(
            "%(version)s is %(status)s: bring it back, or enter another version of %(bot)s."), version=version,
            status=version.get_status_display().lower(), bot=version.bot.name)


def check_size(
    form: str, entrants: int, cycles: int, swiss_rounds: int | None, runners: int, max_entries: int | None,
    max_matches: int | None = None,
) -> None:
    """Raise EventRefused for more entrants than the event takes, or more matches than a site can hold."""
    if max_entries is not None and entrants > max_entries:
        raise EventRefused(gettext(
            "The event is limited to %(max_entries)s entries, but has %(entrants)s: raise the limit, or remove some."),
            max_entries=max_entries, entrants=entrants)
    format_ = registry.find(form)
    most = format_.most_entrants
    if most is not None and entrants > most:
        raise EventRefused(gettext(
            "The format %(format)s allows up to %(most)s entries, not %(entrants)s: hold several events, or "
            "choose another format."), format=gettext(format_.name), most=most, entrants=entrants)
    matches = format_.pairings(entrants, rounds=swiss_rounds, runners=runners, most=max_matches) * cycles
    if matches > MOST_MATCHES:
        raise EventRefused(
            gettext(
                "%(entrants)s bots in %(cycles)s cycles make %(matches)s matches, but at most %(most_matches)s are "
                "allowed: use fewer bots or cycles."), entrants=entrants, cycles=cycles, matches=matches,
            most_matches=MOST_MATCHES)


def _check_entrants(ladder: Ladder, versions: Sequence[Version], created_by: Any, needed: int) -> None:
    if len({version.bot_id for version in versions}) < needed:
        raise EventRefused(gettext("An event needs at least two bots, but only one is entered: enter another, or "
                                   "open registration.") if versions else
                           gettext("An event needs at least two bots, but none is entered: enter two, or open "
                                   "registration."))
    seen: set[int] = set()
    for version in versions:
        if version.bot_id in seen:
            raise EventRefused(gettext(
                "%(bot)s is entered twice: choose one version."), bot=version.bot.name)
        seen.add(version.bot_id)
        check_plays(ladder, version)
        if not acts_for(created_by, version.bot):
            raise Forbidden(gettext(
                "%(bot)s is not your bot: open registration so that its author can enter it."), bot=version.bot.name)
        # Staff may enter banned bots; the start leaves out those that are still banned then.
        if not created_by.is_staff:
            refuse_banned(bot=version.bot)


def _check_runners(form: str, runners: Sequence[Version], entrants: int, *, registration: bool) -> None:
    format_ = registry.find(form)
    if not format_.has_runners:
        if runners:
            raise EventRefused(gettext(
                "The format %(format)s has no runners: leave them out, or choose another format."),
                format=gettext(format_.name))
    elif not runners:
        raise EventRefused(gettext("The format %(format)s needs at least one runner: choose one."),
                           format=gettext(format_.name))
    elif entrants == len(runners) and not registration:
        raise EventRefused(gettext(
            "The format %(format)s needs at least one bot that is not a runner: enter one, or open registration."),
            format=gettext(format_.name))


def check_start(starts_at: datetime | None, now: datetime) -> datetime:
    """Return the start; None means now. Raises EventRefused for a start in the past."""
    if starts_at is None:
        return now
    if starts_at.utcoffset() is None:
        raise EventRefused(gettext("The start has no time zone: write it like 2030-01-31T18:00Z."))
    if starts_at < now - PAST_TOLERANCE:
        raise EventRefused(gettext(
            "The start, %(starts_at)s, is in the past; it is %(now)s. Choose a later one."),
            starts_at=f"{starts_at:%Y-%m-%d %H:%M %Z}", now=f"{now:%Y-%m-%d %H:%M %Z}")
    return max(starts_at, now)


def check_registration(opens: datetime | None, closes: datetime | None, start: datetime, now: datetime | None) -> None:
    """Raise EventRefused for registration times that are out of order, or over by `now`, if that is given."""
    if opens is None:
        if closes is not None:
            raise EventRefused(gettext("A registration deadline needs an opening: say when registration opens."))
        return
    for moment, lack in (
            (opens, gettext("The opening of registration has no time zone: write it like 2030-01-31T18:00Z.")),
            (closes or start, gettext("The deadline has no time zone: write it like 2030-01-31T18:00Z."))):
        if moment.utcoffset() is None:
            raise EventRefused(lack)
    if now is not None and closes is None and start <= now:
        raise EventRefused(gettext(
            "An event that starts at once leaves no time to enter: choose a later start, or turn registration off."))
    deadline = closes or start
    if deadline > start:
        raise EventRefused(gettext(
            "Registration must close by the start, %(start)s, not at %(deadline)s: choose an earlier deadline."),
            start=f"{start:%Y-%m-%d %H:%M %Z}", deadline=f"{deadline:%Y-%m-%d %H:%M %Z}")
    if deadline <= opens:
        raise EventRefused(gettext(
            "Registration must open before it closes, at %(deadline)s, not at %(opens)s: choose an earlier opening."),
            deadline=f"{deadline:%Y-%m-%d %H:%M %Z}", opens=f"{opens:%Y-%m-%d %H:%M %Z}")
    if now is not None and deadline <= now:
        raise EventRefused(gettext(
            "The deadline, %(deadline)s, has passed; it is %(now)s. Choose a later one."),
            deadline=f"{deadline:%Y-%m-%d %H:%M %Z}", now=f"{now:%Y-%m-%d %H:%M %Z}")
