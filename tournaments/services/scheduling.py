"""Creating an event, and what no event can be."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from tournaments import formats
from tournaments.lifecycle import EventFormat, Seeding, VersionStatus
from tournaments.models import Entry, Event, Ladder, Series, Version
from tournaments.scoring.standings import TIE_BREAKS
from tournaments.services import audit, organising
from tournaments.services.errors import Refused
from tournaments.services.rights import Forbidden, acts_for, refuse_banned
from tournaments.services.slugs import free_slug

MOST_CYCLES: Final = 1000
MOST_MATCHES: Final = 500_000
MOST_ENTRIES: Final = 10_000
MOST_SWISS_ROUNDS: Final = 100
LONGEST_NAME: Final = 80
LONGEST_DESCRIPTION: Final = 4000
# Organisers' clocks and forms lag: a start this long ago means "now".
PAST_TOLERANCE: Final = timedelta(seconds=60)


class EventRefused(Refused):
    """An event that cannot be scheduled: too few entrants, a start in the past, a bot that does not play."""


def create_event(
    *, name: str, ladder: Ladder, versions: Sequence[Version] = (), cycles: int = 1, starts_at: datetime | None,
    created_by: AbstractBaseUser, now: datetime, seed: int, openings: bool = True,
    format: str = EventFormat.ROUND_ROBIN,  # noqa: A002 - the word of the tables and the API
    runners: Sequence[Version] = (), swiss_rounds: int | None = None,
    seeding: str = Seeding.RATING, tie_breaks: Sequence[str] = (), rated: bool | None = None, private: bool = False,
    max_entries: int | None = None, registration_opens_at: datetime | None = None,
    registration_closes_at: datetime | None = None, description: str = "", series: Series | None = None,
) -> Event:
    """Schedule an event on a ladder; it starts by itself at `starts_at`, or at once for None.

    `versions` are entered at once, and so are `runners`, who run a gauntlet against all the others. With
    `registration_opens_at` authors enter theirs from then until `registration_closes_at`, or the start.
    `seed` (0 to 2**63 - 1) draws everything that is drawn by lot. `rated` is by default what the organiser may
    have: only the site's organisers hold rated events. Raises EventRefused, OverEventQuota, Forbidden.
    """
    organiser = organising.organises_all(created_by, "add")
    refuse_banned(user=created_by)
    facts = check_format(format=format, cycles=cycles, swiss_rounds=swiss_rounds, seeding=seeding,
                         tie_breaks=tie_breaks, max_entries=max_entries)
    title = check_text(name, description)
    start = _check_start(starts_at, now)
    _check_registration(registration_opens_at, registration_closes_at, start, now)
    entrants = [*versions, *(runner for runner in runners if runner not in versions)]
    _check_entrants(ladder, entrants, created_by, needed=2 if registration_opens_at is None else 0)
    _check_runners(format, runners, len(entrants), registration=registration_opens_at is not None)
    if rated and not organiser:
        raise Forbidden("Only the site's organisers hold events whose games are rated; yours can be unrated.")
    if not organiser:
        most = organising.MOST_ENTRIES
        facts["max_entries"] = most if max_entries is None else min(max_entries, most)
    check_size(format, len(entrants), cycles, facts["swiss_rounds"], len(runners), facts["max_entries"])
    with transaction.atomic():
        # Holds the lock on slugs, under which nobody holds one event too many.
        slug = free_slug(Event, title, "event")
        if not organiser:
            organising.refuse_over_quota(created_by, cycles=cycles)
        event = Event.objects.create(
            slug=slug, name=title, description=description.strip(), ladder=ladder, seed=seed, openings=openings,
            rated=organiser if rated is None else rated, private=private, starts_at=start, series=series,
            registration_opens_at=registration_opens_at, registration_closes_at=registration_closes_at,
            created_by=created_by, created_at=now, **facts)
        Entry.objects.bulk_create(
            Entry(event=event, bot_id=version.bot_id, version=version, entered_at=now,
                  runs_the_gauntlet=version in runners) for version in entrants)
        audit.record(actor=created_by, verb="create", target=event, now=now)
    return event


def check_text(name: str, description: str = "", longest: int = LONGEST_NAME) -> str:
    """The name as it is kept. Raises EventRefused for one too long or empty, or for a description too long."""
    title = name.strip()
    if not title or len(title) > longest:
        raise EventRefused(f"An event's name has 1 to {longest} characters, not {len(title)}.")
    if len(description) > LONGEST_DESCRIPTION:
        raise EventRefused(f"An event's description has up to {LONGEST_DESCRIPTION:,} characters, "
                           f"not {len(description):,}.")
    return title


def check_format(
    *, format: str,  # noqa: A002 - likewise
    cycles: int, swiss_rounds: int | None, seeding: str, tie_breaks: Sequence[str], max_entries: int | None,
) -> dict[str, Any]:
    """How the event is played, as the row keeps it. Raises EventRefused."""
    if format not in EventFormat.values:
        raise EventRefused(f"There is no format {format!r}; there are {', '.join(EventFormat.values)}.")
    if seeding not in Seeding.values:
        raise EventRefused(f"Entrants are seeded by {' or by '.join(Seeding.values)}, not by {seeding!r}.")
    if not 1 <= cycles <= MOST_CYCLES:
        raise EventRefused(f"An event has 1 to {MOST_CYCLES:,} cycles, not {cycles:,}.")
    if swiss_rounds is not None and format != EventFormat.SWISS:
        raise EventRefused(f"Only a Swiss is given a number of rounds; a {format} has as many as its entries make.")
    if swiss_rounds is not None and not 1 <= swiss_rounds <= MOST_SWISS_ROUNDS:
        raise EventRefused(f"A Swiss has 1 to {MOST_SWISS_ROUNDS} rounds, not {swiss_rounds:,}.")
    for index, tie_break in enumerate(tie_breaks):
        if tie_break not in TIE_BREAKS:
            raise EventRefused(f"There is no tie-break {tie_break!r}; there are {', '.join(TIE_BREAKS)}.")
        if tie_break in tie_breaks[:index]:
            raise EventRefused(f"The tie-break {tie_break} is named twice.")
    if max_entries is not None and not 2 <= max_entries <= MOST_ENTRIES:
        raise EventRefused(f"An event takes 2 to {MOST_ENTRIES:,} entries, not {max_entries:,}.")
    if format == EventFormat.SWISS and max_entries is not None and max_entries > formats.MOST_IN_SWISS:
        raise EventRefused(f"A Swiss takes up to {formats.MOST_IN_SWISS} entries, not {max_entries:,}: hold several, "
                           "or choose another format.")
    return {"format": format, "cycles": cycles, "swiss_rounds": swiss_rounds, "seeding": seeding,
            "tie_breaks": list(tie_breaks), "max_entries": max_entries}


def check_plays(ladder: Ladder, version: Version) -> None:
    """Raise EventRefused for a version that is not ready to play, or does not play the ladder's ruleset."""
    if ladder.ruleset not in version.rulesets:
        raise EventRefused(f"{version} does not play {ladder.ruleset}; it plays "
                           f"{', '.join(version.rulesets)}: enter a version that does.")
    if version.status != VersionStatus.ACTIVE:
        raise EventRefused(f"{version} is {version.get_status_display().lower()}: bring it back, or enter another "
                           f"version of {version.bot.name}.")


def check_size(
    form: str, entrants: int, cycles: int, swiss_rounds: int | None, runners: int, max_entries: int | None,
) -> None:
    """Raise EventRefused for more entrants than the event takes, or more matches than a site can hold."""
    if max_entries is not None and entrants > max_entries:
        raise EventRefused(f"The event takes {max_entries:,} entries, and {entrants:,} entered.")
    if form == EventFormat.SWISS and entrants > formats.MOST_IN_SWISS:
        raise EventRefused(f"A Swiss takes up to {formats.MOST_IN_SWISS} entries, not {entrants:,}: hold several, or "
                           "choose another format.")
    matches = formats.pairings_of(form, entrants, swiss_rounds=swiss_rounds, runners=runners) * cycles
    if matches > MOST_MATCHES:
        raise EventRefused(
            f"{entrants} bots in {cycles} cycles make {matches:,} matches; {MOST_MATCHES:,} are allowed.")


def _check_entrants(ladder: Ladder, versions: Sequence[Version], created_by: Any, needed: int) -> None:
    if len({version.bot_id for version in versions}) < needed:
        raise EventRefused(f"An event needs at least two bots, and {len(versions) or 'none'} entered."
                           if len(versions) < 2 else "An event needs at least two bots, and only one entered.")
    seen: set[int] = set()
    for version in versions:
        if version.bot_id in seen:
            raise EventRefused(f"{version.bot.name} is entered twice; a bot enters an event with one version.")
        seen.add(version.bot_id)
        check_plays(ladder, version)
        if not acts_for(created_by, version.bot):
            raise Forbidden(f"{version.bot.name} is not your bot: open registration, and its author may enter it.")


def _check_runners(form: str, runners: Sequence[Version], entrants: int, *, registration: bool) -> None:
    if form != EventFormat.GAUNTLET:
        if runners:
            raise EventRefused(f"Only a gauntlet is run by somebody; in a {form} nobody is.")
    elif not runners:
        raise EventRefused("A gauntlet needs at least one bot that runs it.")
    elif entrants == len(runners) and not registration:
        raise EventRefused("A gauntlet needs at least one bot that does not run it, for the others to meet.")


def _check_start(starts_at: datetime | None, now: datetime) -> datetime:
    if starts_at is None:
        return now
    if starts_at.utcoffset() is None:
        raise EventRefused("The start needs a time zone, such as 2030-01-31T18:00Z.")
    if starts_at < now - PAST_TOLERANCE:
        raise EventRefused(f"The start, {starts_at:%Y-%m-%d %H:%M %Z}, is in the past; it is {now:%Y-%m-%d %H:%M %Z}.")
    return max(starts_at, now)


def _check_registration(opens: datetime | None, closes: datetime | None, start: datetime, now: datetime) -> None:
    if opens is None:
        if closes is not None:
            raise EventRefused("A deadline needs a registration: say when it opens.")
        return
    for moment, what in ((opens, "opening of registration"), (closes or start, "deadline")):
        if moment.utcoffset() is None:
            raise EventRefused(f"The {what} needs a time zone, such as 2030-01-31T18:00Z.")
    deadline = closes or start
    if deadline > start:
        raise EventRefused(f"Registration closes before the start, {start:%Y-%m-%d %H:%M %Z}, "
                           f"not at {deadline:%Y-%m-%d %H:%M %Z}.")
    if deadline <= opens:
        raise EventRefused(f"Registration opens before it closes, at {deadline:%Y-%m-%d %H:%M %Z}, "
                           f"not at {opens:%Y-%m-%d %H:%M %Z}.")
    if deadline <= now:
        raise EventRefused(f"The deadline, {deadline:%Y-%m-%d %H:%M %Z}, is over; it is {now:%Y-%m-%d %H:%M %Z}. "
                           "An event with registration needs a start to come.")
