"""Challenges: unrated matches between two versions, requested by a user."""

from datetime import datetime
from random import Random
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext, ngettext

from tournaments.models import Challenge, Ladder, Match, Version
from tournaments.models.lifecycle import MatchKind
from tournaments.platform.refusals import Refused
from tournaments.scoring.scores import GAMES_PER_MATCH
from tournaments.selectors.ladders.challenges import open_challenges
from tournaments.selectors.shared.permissions import Forbidden, acts_for, refuse_banned, require_access
from tournaments.selectors.shared.quotas import OverQuota, games_left
from tournaments.services.ladders.ladder_play import refuse_unplayable
from tournaments.services.matches.calling_off import cancel
from tournaments.services.matches.openings import draw_openings
from tournaments.services.shared import audit
from tournaments.services.shared.locks import Lock, holding
from tournaments.services.shared.wakeups import Step, wake

MOST_MATCHES: Final = 10


class ChallengeRefused(Refused):
    """The challenge is not possible, or not possible now."""


def challenge(*, actor: Any, ladder: Ladder, first: Version, second: Version, matches: int, seed: int,
              now: datetime) -> Challenge:
    """Create this many unrated matches of `first` against `second`, at the ladder's size and time control.

    `seed` draws the matches' seeds. Raises Forbidden, LadderPlayRefused, ChallengeRefused, OverQuota.
    """
    require_access(actor, first.bot)
    refuse_banned(user=actor, bot=first.bot)
    refuse_banned(bot=second.bot)
    if not 1 <= matches <= MOST_MATCHES:
        raise ChallengeRefused(gettext(
            "A challenge must have 1 to %(most_matches)s matches, not %(matches)s."), most_matches=MOST_MATCHES,
            matches=matches)
    if first.pk == second.pk:
        raise ChallengeRefused(gettext("%(first)s cannot challenge itself: choose another version."), first=first)
    refuse_unplayable(ladder, first)
    refuse_unplayable(ladder, second)
    with holding(Lock.OPENINGS):
        # The lock also keeps two challenges by one user at once from exceeding the limit.
        _refuse_too_many(actor, first, matches, now)
        made = Challenge.objects.create(ladder=ladder, first=first, second=second, created_by=actor, created_at=now)
        dice = Random(seed)  # noqa: S311 - reproducible draw, not a secret
        rows = [Match(kind=MatchKind.CHALLENGE, ladder=ladder, challenge=made, rated=False, created_at=now,
                      first=first if number % 2 == 0 else second, second=second if number % 2 == 0 else first,
                      seed=dice.getrandbits(63), ruleset=ladder.ruleset)
                for number in range(matches)]
        draw_openings(ladder, rows)
        Match.objects.bulk_create(rows)
        audit.record(actor=actor, verb="challenge", target=made, now=now, ladder=ladder.slug, matches=matches)
        wake(Step.PUBLISH)
    return made


def cancel_challenge(*, actor: Any, challenge: Challenge, now: datetime) -> Challenge:
    """Cancel the challenge: finished matches stay, running ones are discarded.

    Raises Forbidden, ChallengeRefused.
    """
    if not (actor.is_staff or challenge.created_by_id == actor.pk or acts_for(actor, challenge.first.bot)):
        raise Forbidden(gettext("This challenge is not yours: only the user who requested it and those who manage "
                                "its first bot can cancel it."))
    with transaction.atomic():
        if not cancel(Match.objects.filter(challenge=challenge), "the challenge was cancelled", now):
            raise ChallengeRefused(gettext("This challenge is over: there is nothing to cancel."))
        Challenge.objects.filter(pk=challenge.pk).update(cancelled_at=now)
        challenge.cancelled_at = now
        audit.record(actor=actor, verb="call off", target=challenge, now=now)
    return challenge


def _refuse_too_many(actor: Any, first: Version, matches: int, now: datetime) -> None:
    """Raise ChallengeRefused or OverQuota if this is more than the actor, or the bot's owner, may have now."""
    if actor.is_staff:
        return
    going_on = open_challenges(actor).count()
    if going_on >= settings.OPEN_CHALLENGES:
        raise ChallengeRefused(gettext(
            "You have %(going_on)s open challenges, the most allowed at a time: wait for one to end, or cancel one."),
            going_on=going_on)
    left = games_left([first.bot.owner_id], now)[first.bot.owner_id]
    if left < matches * GAMES_PER_MATCH:
        raise OverQuota(ngettext(
            "%(count)s match means %(games)s games, but the owner of %(bot)s has %(left)s left of a 24-hour quota: "
            "request fewer matches, or try again later.",
            "%(count)s matches mean %(games)s games, but the owner of %(bot)s has %(left)s left of a 24-hour quota: "
            "request fewer matches, or try again later.", matches), count=matches, games=matches * GAMES_PER_MATCH,
            bot=first.bot.name, left=left)
