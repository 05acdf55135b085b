"""Play on an open ladder: joining, leaving, changing the version that plays, and ending a suspension."""

from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext

from ratings.models import OfficialLine
from tournaments.models import Bot, Ladder, LadderEntry, Version
from tournaments.models.lifecycle import MatchKind, VersionStatus
from tournaments.platform.refusals import Refused
from tournaments.selectors.shared.permissions import refuse_banned, require_access
from tournaments.services.ladders.rating import refit
from tournaments.services.matches.calling_off import call_off_outside_events
from tournaments.services.shared import audit
from tournaments.services.shared.wakeups import Step, wake

# Reset for a new version: its count of matches, so that it is paired first, and its health.
_FRESH: Final = {"matches": 0, "firsts": 0, "faults": 0, "probe_at": None, "rests": 0}


class LadderPlayRefused(Refused):
    """The bot cannot do this on the ladder: it does not play there, already does, or the ladder is closed."""


def join(*, actor: Any, ladder: Ladder, version: Version, now: datetime) -> LadderEntry:
    """Let the version play for its bot on the ladder from now on, in place of the bot's previous version.

    Raises Forbidden, LadderPlayRefused.
    """
    require_access(actor, version.bot)
    refuse_banned(user=actor, bot=version.bot)
    refuse_unplayable(ladder, version)
    if not ladder.is_open:
        raise LadderPlayRefused(gettext(
            "%(ladder)s is closed: only events use it. Choose another ladder."), ladder=ladder.name)
    with transaction.atomic():
        wake(Step.PAIR_LADDERS)
        entry, new = LadderEntry.objects.select_for_update().get_or_create(
            ladder=ladder, bot=version.bot,
            defaults={"version": version, "joined_at": now, "version_since": now, "waiting_since": now})
        if not new and entry.active and entry.version_id == version.pk:
            raise LadderPlayRefused(gettext(
                "%(version)s already plays on %(ladder)s."), version=version, ladder=ladder.name)
        verb = "join"
        if not new:
            verb = "change version" if entry.active else "join"
            _change(entry, version, now)
        rate_by(entry, now)
        audit.record(actor=actor, verb=verb, target=entry, now=now, ladder=ladder.slug, version=version.number)
    return entry


def leave(*, actor: Any, ladder: Ladder, bot: Bot, now: datetime) -> LadderEntry:
    """Take the bot off the ladder. It keeps its rating; running matches are played to the end.

    Raises Forbidden, LadderPlayRefused.
    """
    require_access(actor, bot)
    with transaction.atomic():
        entry = lock_place(ladder, bot)
        LadderEntry.objects.filter(pk=entry.pk).update(active=False)
        entry.active = False
        call_off_outside_events(_on_its_ladder(entry), now)
        audit.record(actor=actor, verb="leave", target=entry, now=now, ladder=ladder.slug)
    return entry


def bring_back(*, actor: Any, ladder: Ladder, bot: Bot, now: datetime) -> LadderEntry:
    """End a suspension after faults before a probe does. Raises Forbidden, LadderPlayRefused."""
    require_access(actor, bot)
    with transaction.atomic():
        entry = lock_place(ladder, bot)
        if entry.probe_at is None:
            raise LadderPlayRefused(gettext(
                "%(bot)s is not suspended on %(ladder)s: it need not be brought back."), bot=bot.name,
                ladder=ladder.name)
        LadderEntry.objects.filter(pk=entry.pk).update(probe_at=None, faults=0, waiting_since=now)
        entry.refresh_from_db(fields=["probe_at", "faults", "waiting_since"])
        audit.record(actor=actor, verb="bring back", target=entry, now=now, ladder=ladder.slug)
        wake(Step.PAIR_LADDERS)
    return entry


def take_over(version: Version, now: datetime) -> int:
    """Let a newly accepted version play on its bot's ladders whose ruleset it plays; return on how many.

    The previous version stays where the new one does not play the ruleset, and where the new one must first be tried
    against an active version (`trials.begin`).
    """
    with transaction.atomic():
        changed = [entry for entry in lock_places(bot=version.bot_id)
                   if entry.ladder.ruleset in version.rulesets and entry.version_id != version.pk
                   and not (entry.on_trial and entry.version.status == VersionStatus.ACTIVE)]
        for entry in changed:
            change_over(entry, version, now)
    return len(changed)


def change_over(entry: LadderEntry, version: Version, now: datetime) -> None:
    """Put the version in this place, which is locked, as an action of the service itself."""
    _change(entry, version, now)
    audit.record(actor=None, verb="change version", target=entry, now=now, ladder=entry.ladder.slug,
                 version=version.number)


def lock_places(**where: Any) -> list[LadderEntry]:
    """Lock the active entries that meet these conditions, in one order; return them with ladder and version.

    The conditions must be on the entries' own columns. The rows are locked first and then read: PostgreSQL loses a row
    that it has waited for if a joined row has changed.
    """
    ids = list(LadderEntry.objects.select_for_update().filter(**where, active=True).order_by("pk")
               .values_list("pk", flat=True))
    return list(LadderEntry.objects.select_related("ladder", "bot", "version__bot").filter(pk__in=ids).order_by("pk"))


def lock_place(ladder: Ladder, bot: Bot) -> LadderEntry:
    """Lock and return the bot's place on the ladder. Raises LadderPlayRefused if it has none now."""
    places = lock_places(ladder=ladder, bot=bot)
    if not places:
        raise LadderPlayRefused(gettext("%(bot)s is not on %(ladder)s: let it join first."), bot=bot.name,
                                ladder=ladder.name)
    return places[0]


def refuse_unplayable(ladder: Ladder, version: Version) -> None:
    """Raise LadderPlayRefused for a version that is not active, or does not play the ladder's ruleset."""
    if ladder.ruleset not in version.rulesets:
        raise LadderPlayRefused(gettext(
            "%(version)s does not play %(ruleset)s, only %(rulesets)s: choose a version that does."),
            version=version, ruleset=ladder.ruleset, rulesets=", ".join(version.rulesets))
    if version.status != VersionStatus.ACTIVE:
        raise LadderPlayRefused(gettext(
            "%(version)s is %(status)s: bring it back, or choose another version."), version=version,
            status=version.get_status_display().lower())


def _change(entry: LadderEntry, version: Version, now: datetime) -> None:
    """Put the version in the entry, which is locked. If it is the same version, its counts stay as they were."""
    facts: dict[str, Any] = {"active": True, "waiting_since": now}
    if entry.version_id != version.pk:
        facts |= {"version": version, "version_since": now, **_FRESH}
    for name, value in facts.items():
        setattr(entry, name, value)
    entry.save(update_fields=list(facts))
    call_off_outside_events(_on_its_ladder(entry), now)


def rate_by(entry: LadderEntry, now: datetime) -> None:
    """Give the bot the rating of the version in the entry, if that has been rated: a new version has not."""
    if OfficialLine.objects.filter(table__ladder=entry.ladder_id, version=entry.version_id).exists():
        refit(entry.ladder_id, now)


def _on_its_ladder(entry: LadderEntry) -> Q:
    """Return the condition on the bot's matches on this ladder. A trial replaces those that it loses."""
    return Q(kind__in=[MatchKind.LADDER, MatchKind.TRIAL], ladder=entry.ladder_id) & (
        Q(first__bot=entry.bot_id) | Q(second__bot=entry.bot_id))
