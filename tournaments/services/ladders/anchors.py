"""Anchors: versions with given ratings on a ladder, which set the scale of its ratings."""

from datetime import datetime
from typing import Any, Final

from ratings.models import Anchor
from tournaments.models import Ladder, Version
from tournaments.platform.refusals import Refused
from tournaments.services.ladders.rating import refit
from tournaments.services.shared import audit
from tournaments.services.shared.locks import Lock, holding

MOST_ELO: Final = 10_000


class AnchorRefused(Refused):
    """The version cannot be an anchor with this rating, or is not an anchor."""


def set_anchor(*, ladder: Ladder, version: Version, rating: float, actor: Any, now: datetime) -> Anchor:
    """Give a version a rating on the ladder, which sets the scale of its ratings. Raises AnchorRefused."""
    if not abs(rating) <= MOST_ELO:
        raise AnchorRefused(f"An anchor's rating must be from {-MOST_ELO} to {MOST_ELO} Elo.")
    with holding(Lock.LADDER, ladder.pk):
        anchor, _ = Anchor.objects.update_or_create(ladder=ladder, version=version, defaults={"rating": rating})
        refit(ladder.pk, now)
        audit.record(actor=actor, verb="anchor", target=ladder, now=now, version=str(version), rating=rating)
    return anchor


def remove_anchor(*, anchor: Anchor, actor: Any, now: datetime) -> None:
    """Let games alone determine the version's rating again. Raises AnchorRefused."""
    with holding(Lock.LADDER, anchor.ladder_id):
        if not Anchor.objects.filter(pk=anchor.pk).delete()[0]:
            raise AnchorRefused(f"{anchor.version} is not an anchor of {anchor.ladder}.")
        refit(anchor.ladder_id, now)
        audit.record(actor=actor, verb="remove the anchor of", target=anchor.ladder, now=now,
                     version=str(anchor.version))
