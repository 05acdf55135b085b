"""Who plays on an open ladder, and as which version: joining, leaving, changing over, coming back from a rest."""

from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext

from tournaments.models import Bot, Ladder, LadderEntry, Version
from tournaments.models.lifecycle import MatchKind, VersionStatus
from tournaments.platform.refusals import Refused
from tournaments.selectors.shared.permissions import refuse_banned, require_access
from tournaments.services.matches.calling_off import call_off_outside_events
from tournaments.services.shared import audit

# What begins anew with a version: its count of matches, which puts it first, and its health.
_FRESH: Final = {"matches": 0, "firsts": 0, "faults": 0, "probe_at": None, "rests": 0}


class LadderPlayRefused(Refused):
    """The bot cannot do this on the ladder: it does not play there, is there already, or the ladder is closed."""


def join(*, actor: Any, ladder: Ladder, version: Version, now: datetime) -> LadderEntry:
    """Let the version play for its bot on the ladder from now on; one that played there before makes room for it.

    Raises Forbidden, LadderPlayRefused.
    """
    require_access(actor, version.bot)
    refuse_banned(user=actor, bot=version.bot)
    refuse_unplayable(ladder, version)
    if not ladder.is_open:
        raise LadderPlayRefused(gettext(
            "%(ladder)s is closed: it is played on in events only."), ladder=ladder.name)
    with transaction.atomic():
        entry, new = LadderEntry.objects.select_for_update().get_or_create(
            ladder=ladder, bot=version.bot,
            defaults={"version": version, "joined_at": now, "version_since": now, "waiting_since": now})
        if not new and entry.active and entry.version_id == version.pk:
            raise LadderPlayRefused(gettext(
                "%(version)s plays on %(ladder)s already."), version=version, ladder=ladder.name)
        verb = "join"
        if not new:
            verb = "change version" if entry.active else "join"
            _change(entry, version, now)
        audit.record(actor=actor, verb=verb, target=entry, now=now, ladder=ladder.slug, version=version.number)
    return entry


def leave(*, actor: Any, ladder: Ladder, bot: Bot, now: datetime) -> LadderEntry:
    """Take the bot off the ladder. It keeps its rating; matches that have begun are played to their end.

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
    """End the rest that faults have brought, before a probe does. Raises Forbidden, LadderPlayRefused."""
    require_access(actor, bot)
    with transaction.atomic():
        entry = lock_place(ladder, bot)
        if entry.probe_at is None:
            raise LadderPlayRefused(gettext(
                "%(bot)s is not rested on %(ladder)s: it is paired as it is."), bot=bot.name, ladder=ladder.name)
        LadderEntry.objects.filter(pk=entry.pk).update(probe_at=None, faults=0, waiting_since=now)
        entry.refresh_from_db(fields=["probe_at", "faults", "waiting_since"])
        audit.record(actor=actor, verb="bring back", target=entry, now=now, ladder=ladder.slug)
    return entry


def take_over(version: Version, now: datetime) -> int:
    """Let a newly accepted version play wherever its bot is on a ladder of a ruleset that it plays; how many.

    Where it does not play the ruleset, the version before goes on; and where it is to be tried first against one that
    takes part (`trials.begin`).
    """
    with transaction.atomic():
        changed = [entry for entry in lock_places(bot=version.bot_id)
                   if entry.ladder.ruleset in version.rulesets and entry.version_id != version.pk
                   and not (entry.on_trial and entry.version.status == VersionStatus.ACTIVE)]
        for entry in changed:
            change_over(entry, version, now)
    return len(changed)


def change_over(entry: LadderEntry, version: Version, now: datetime) -> None:
    """Let the version play in this place, which is locked: the service's own doing."""
    _change(entry, version, now)
    audit.record(actor=None, verb="change version", target=entry, now=now, ladder=entry.ladder.slug,
                 version=version.number)


def lock_places(**where: Any) -> list[LadderEntry]:
    """The active entries under these conditions on their own columns, locked in one order, with ladder and version.

    First locked and then read: PostgreSQL loses a row that it has waited for when what it is joined with has changed.
    """
    ids = list(LadderEntry.objects.select_for_update().filter(**where, active=True).order_by("pk")
               .values_list("pk", flat=True))
    return list(LadderEntry.objects.select_related("ladder", "bot", "version__bot").filter(pk__in=ids).order_by("pk"))


def lock_place(ladder: Ladder, bot: Bot) -> LadderEntry:
    """The bot's place on the ladder, as `lock_places`. Raises LadderPlayRefused when it has none now."""
    places = lock_places(ladder=ladder, bot=bot)
    if not places:
        raise LadderPlayRefused(gettext("%(bot)s is not on %(ladder)s."), bot=bot.name, ladder=ladder.name)
    return places[0]


def refuse_unplayable(ladder: Ladder, version: Version) -> None:
    """Raise LadderPlayRefused for a version that does not play the ladder's ruleset, or takes no part any more."""
    if ladder.ruleset not in version.rulesets:
        raise LadderPlayRefused(gettext(
            "%(version)s does not play %(ruleset)s; it plays %(rulesets)s: choose a version that does."),
            version=version, ruleset=ladder.ruleset, rulesets=", ".join(version.rulesets))
    if version.status != VersionStatus.ACTIVE:
        raise LadderPlayRefused(gettext(
            "%(version)s is %(status)s: bring it back or choose another version."), version=version,
            status=version.get_status_display().lower())


def _change(entry: LadderEntry, version: Version, now: datetime) -> None:
    """Put the version in the entry, which is locked. The same version comes back as it was when it left."""
    facts: dict[str, Any] = {"active": True, "waiting_since": now}
    if entry.version_id != version.pk:
        facts |= {"version": version, "version_since": now, **_FRESH}
    for name, value in facts.items():
        setattr(entry, name, value)
    entry.save(update_fields=list(facts))
    call_off_outside_events(_on_its_ladder(entry), now)


def _on_its_ladder(entry: LadderEntry) -> Q:
    """Condition on matches: those of the bot on this ladder. A trial replaces what it loses."""
    return Q(kind__in=[MatchKind.LADDER, MatchKind.TRIAL], ladder=entry.ladder_id) & (
        Q(first__bot=entry.bot_id) | Q(second__bot=entry.bot_id))
