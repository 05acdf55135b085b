"""Trials of versions as candidates for their bots' places on ladders: start, withdrawal, automatic start.

While a trial runs, the current version keeps playing on the ladder. `trial_pairing` creates the matches,
`trial_judging` gives the verdict.
"""

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext, ngettext

from ratings.sprt import Bounds
from tournaments.models import Bot, Candidacy, Contender, Ladder, LadderEntry, Match, Version
from tournaments.models.lifecycle import CANDIDACY_TRANSITIONS, CandidacyStatus, VersionStatus
from tournaments.platform.refusals import Refused
from tournaments.platform.text import sentence
from tournaments.scoring.selection import MOST_CANDIDATES
from tournaments.selectors.shared.permissions import refuse_banned, require_access
from tournaments.services.ladders.ladder_play import lock_place, lock_places, refuse_unplayable
from tournaments.services.matches.calling_off import cancel
from tournaments.services.shared import audit
from tournaments.services.shared.locks import Lock, holding
from tournaments.services.shared.wakeups import Step, wake

# With these, 95 % of the candidates that are worth either bound get a verdict: a wider gap between the two needs fewer
# pairs, and with a narrower one more trials would end without a verdict (docs/decisions/0013-promotion-by-sprt.md).
ELO0: Final = 0.0
ELO1: Final = 40.0
RISK: Final = 0.05
PAIRS: Final = 500
FEWEST_PAIRS: Final = 10
MOST_PAIRS: Final = 5000
_TERMS: Final = {"elo0": ELO0, "elo1": ELO1, "alpha": RISK, "beta": RISK, "most_pairs": PAIRS}


class TrialRefused(Refused):
    """The trial is not possible, or not possible now."""


def enter(*, actor: Any, ladder: Ladder, version: Version, others: Sequence[Version] = (), elo0: float = ELO0,
          elo1: float = ELO1, alpha: float = RISK, beta: float = RISK, most_pairs: int = PAIRS, seed: int,
          now: datetime) -> Candidacy:
    """Try the version against the one that plays for its bot on the ladder; if it passes, it takes over there.

    With `others`, a selection first finds the best of all these versions of the bot, which is then tried. `seed` draws
    the matches' seeds. Raises Forbidden, LadderPlayRefused, TrialRefused.
    """
    require_access(actor, version.bot)
    refuse_banned(user=actor, bot=version.bot)
    candidates = [version, *others]
    _refuse_candidates(ladder, candidates)
    for each in candidates:
        refuse_unplayable(ladder, each)
    if not ladder.is_open:
        raise TrialRefused(gettext(
            "%(ladder)s is closed: trials can start when it is open again."), ladder=ladder.name)
    _refuse_nonsense(elo0, elo1, alpha, beta, most_pairs)
    with holding(Lock.OPENINGS):
        # The lock also keeps two trials of one author at once from exceeding the limit.
        places = lock_places(ladder=ladder, bot=version.bot)
        if not places:
            raise TrialRefused(gettext(
                "%(bot)s is not on %(ladder)s, so there is no version to try %(version)s against: let the bot join "
                "first."),
                bot=version.bot.name, ladder=ladder.name, version=version)
        for each in candidates:
            _refuse_in_place(places[0], each)
        _refuse_too_many(actor, version.bot)
        made = _start(places[0], version, {"elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": beta,
                                           "most_pairs": most_pairs}, seed=seed, actor=actor, now=now)
        if others:
            Contender.objects.bulk_create(Contender(candidacy=made, version=each, place=place)
                                          for place, each in enumerate(candidates, start=1))
        return made


def withdraw(*, actor: Any, candidacy: Candidacy, now: datetime) -> Candidacy:
    """End the trial without a verdict; the current version keeps playing. Raises Forbidden, TrialRefused."""
    require_access(actor, candidacy.bot)
    with transaction.atomic():
        if not end(candidacy, verb="withdraw", status=CandidacyStatus.WITHDRAWN, actor=actor, now=now,
                   reason=f"{actor.username} withdrew {candidacy.candidate} before the verdict."):
            candidacy.refresh_from_db(fields=["status"])
            raise TrialRefused(gettext(
                "This trial is over (%(status)s): there is nothing to withdraw."),
                status=candidacy.get_status_display().lower())
    return candidacy


def choose(*, actor: Any, ladder: Ladder, bot: Bot, on_trial: bool, now: datetime) -> LadderEntry:
    """Set whether the bot's new versions take over on the ladder after a trial, or at once.

    Raises Forbidden, LadderPlayRefused.
    """
    require_access(actor, bot)
    with transaction.atomic():
        entry = lock_place(ladder, bot)
        entry.on_trial = on_trial
        entry.save(update_fields=["on_trial"])
        audit.record(actor=actor, verb="choose", target=entry, now=now, ladder=ladder.slug, on_trial=on_trial)
    return entry


def begin(version: Version, now: datetime) -> int:
    """Try a newly accepted version wherever its bot's versions take over after a trial; return in how many places.

    It replaces a trial that runs there, because the newest version is the one to try. It is tried on the terms of the
    last trial.
    """
    with transaction.atomic():
        places = [entry for entry in lock_places(bot=version.bot_id, on_trial=True)
                  if entry.ladder.is_open and entry.ladder.ruleset in version.rulesets
                  and entry.version_id != version.pk and entry.version.status == VersionStatus.ACTIVE]
        for entry in places:
            last = Candidacy.objects.filter(ladder=entry.ladder, bot=entry.bot).select_related(
                "candidate__bot", "current").first()
            if last is not None:
                end(last, verb="supersede", status=CandidacyStatus.SUPERSEDED, now=now,
                    reason=f"{version} was uploaded and is tried instead.")
            terms = {name: getattr(last, name, usual) for name, usual in _TERMS.items()}
            _start(entry, version, terms, seed=secrets.randbits(63), actor=None, now=now)
    return len(places)


def end(candidacy: Candidacy, *, verb: str, status: CandidacyStatus, reason: str, now: datetime,
        actor: Any = None) -> bool:
    """End the trial if it runs, and cancel its open matches; return whether it ran. Call it in a transaction.

    Finished matches stay; running ones are discarded.
    """
    running = Candidacy.objects.filter(pk=candidacy.pk, status__in=CANDIDACY_TRANSITIONS[verb])
    if not running.update(status=status, reason=reason, ended_at=now):
        return False
    candidacy.status, candidacy.reason, candidacy.ended_at = status, reason, now
    cancel(Match.objects.filter(candidacy=candidacy), "the trial is over", now)
    audit.record(actor=actor, verb=f"{verb} trial", target=candidacy, now=now, ladder=candidacy.ladder.slug,
                 status=status, reason=reason)
    return True


def facts_of(candidacy: Candidacy) -> dict[str, object]:
    """Return the facts about a trial that notices contain."""
    return {"trial": candidacy.pk, "bot": candidacy.bot.slug, "name": candidacy.bot.name,
            "version": candidacy.candidate.number, "against": candidacy.current.number,
            "ladder": candidacy.ladder.slug, "reason": candidacy.reason}


def _start(entry: LadderEntry, version: Version, terms: dict[str, Any], *, seed: int, actor: Any,
           now: datetime) -> Candidacy:
    made = Candidacy.objects.create(ladder=entry.ladder, bot=version.bot, candidate=version, current=entry.version,
                                    seed=seed, created_by=actor, started_at=now, **terms)
    audit.record(actor=actor, verb="try", target=made, now=now, ladder=entry.ladder.slug, **terms)
    wake(Step.PAIR_TRIALS)
    return made


def _refuse_nonsense(elo0: float, elo1: float, alpha: float, beta: float, most_pairs: int) -> None:
    try:
        Bounds(elo0, elo1, alpha, beta)
    except ValueError as error:
        raise TrialRefused(sentence(str(error))) from None
    if not FEWEST_PAIRS <= most_pairs <= MOST_PAIRS:
        raise TrialRefused(gettext(
            "The maximum number of pairs must be %(fewest_pairs)s to %(most_pairs)s, not %(wanted)s."),
            fewest_pairs=FEWEST_PAIRS, most_pairs=MOST_PAIRS, wanted=most_pairs)


def _refuse_candidates(ladder: Ladder, candidates: Sequence[Version]) -> None:
    """Raise TrialRefused if these are too many candidates, of several bots, or one of them twice."""
    bot = candidates[0].bot
    if len(candidates) > MOST_CANDIDATES:
        raise TrialRefused(gettext(
            "You named %(wanted)s candidates for the trial of %(bot)s on %(ladder)s, but a trial has at most %(most)s: "
            "leave out %(over)s of them."), wanted=len(candidates), bot=bot.name, ladder=ladder.name,
            most=MOST_CANDIDATES, over=len(candidates) - MOST_CANDIDATES)
    for place, each in enumerate(candidates):
        if each.bot_id != bot.pk:
            raise TrialRefused(gettext(
                "Candidate %(place)s, %(version)s, is not a version of %(bot)s: name versions of one bot."),
                place=place + 1, version=each, bot=bot.name)
        if each in candidates[:place]:
            raise TrialRefused(gettext(
                "Candidate %(place)s, %(version)s, is named twice: name each version once."), place=place + 1,
                version=each)


def _refuse_in_place(entry: LadderEntry, version: Version) -> None:
    """Raise TrialRefused unless the version can be tried against the one that plays in this place."""
    if entry.version_id == version.pk:
        raise TrialRefused(gettext(
            "%(version)s already plays on %(ladder)s: choose another version to try."), version=version,
            ladder=entry.ladder.name)
    if entry.version.status != VersionStatus.ACTIVE:
        raise TrialRefused(gettext(
            "%(version)s, which plays on %(ladder)s, is %(status)s: bring it back, or let %(version2)s join "
            "in its place."), version=entry.version, ladder=entry.ladder.name,
            status=entry.version.get_status_display().lower(), version2=version)
    running = Candidacy.objects.filter(ladder=entry.ladder, bot=entry.bot, status=CandidacyStatus.RUNNING).first()
    if running is not None:
        raise TrialRefused(gettext(
            "%(candidate)s is already on trial on %(ladder)s: wait for the verdict, or withdraw it first."),
            candidate=running.candidate, ladder=entry.ladder.name)


def _refuse_too_many(actor: Any, bot: Bot) -> None:
    going_on = Candidacy.objects.filter(bot__owner=bot.owner_id, status=CandidacyStatus.RUNNING).count()
    if not actor.is_staff and going_on >= settings.OPEN_TRIALS:
        raise TrialRefused(ngettext(
            "%(owner)s's bots have %(count)s running trial, the most allowed at a time: wait for the verdict, or "
            "withdraw it.",
            "%(owner)s's bots have %(count)s running trials, the most allowed at a time: wait for a verdict, or "
            "withdraw one.", going_on), owner=bot.owner, count=going_on)
