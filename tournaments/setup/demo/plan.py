"""Plan of the demo: one round-robin of the reference bots in each ruleset."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.contrib.auth.models import AbstractUser

from engines.bots import REFERENCE_BOTS
from engines.check import size_up_to
from engines.rules.registry import RULESETS
from engines.sandbox.archives.unpack import pack
from tournaments.models import Event, LadderEntry, Submission, Version
from tournaments.models.lifecycle import SUBMISSION_OPEN, SubmissionStatus
from tournaments.services.bots.archives import content_hash
from tournaments.services.bots.submissions import accept_upload
from tournaments.services.events.events import create_event
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.ladders import create_ladder


@dataclass(frozen=True, slots=True)
class Board:
    """Board and time control of a ruleset: cells per side, and the thinking time in seconds."""

    size: int
    base: float
    increment: float


@dataclass(frozen=True, slots=True)
class Scale:
    """Amount of play: number of matches per pairing (two games each), board sizes, and thinking times in seconds.

    `size` is the largest board, in cells per side, except for the rulesets in `sizes`.
    """

    cycles: int
    size: int
    base: float
    increment: float
    sizes: dict[str, int]

    @property
    def boards(self) -> dict[str, Board]:
        """Board and time control for each ruleset."""
        return {slug: Board(self.sizes.get(slug) or size_up_to(ruleset, self.size), self.base, self.increment)
                for slug, ruleset in RULESETS.items()}


# With these sizes and times, two cores need about three minutes for `normal`, and half a minute for `small`.
SCALES = {
    "normal": Scale(cycles=2, size=7, base=4, increment=0.1, sizes={"squ": 8, "square-grid-hex": 9}),
    "small": Scale(cycles=1, size=5, base=1, increment=0.02, sizes={"squ": 6}),
}


# The fixed strengths of the searcher are left out: they would add many games, but little to see.
BOTS = ("random", "greedy", "searcher")


def enter_reference_bots(uploader: AbstractUser, now: datetime) -> list[Submission]:
    """Upload the reference bots of this release, like any other upload. Workers check them."""
    # The strongest first: its check takes longest, and the others are checked in the meantime.
    return [_enter(REFERENCE_BOTS[name], uploader, now) for name in reversed(BOTS)][::-1]


def _enter(directory: Path, uploader: AbstractUser, now: datetime) -> Submission:
    archive = pack(directory)
    # An earlier run may have uploaded the same archive: a second upload would be rejected as a duplicate.
    standing = Submission.objects.filter(sha256=content_hash(archive), name=directory.name,
                                         status__in=[*SUBMISSION_OPEN, SubmissionStatus.ACCEPTED]).first()
    return standing or accept_upload(archive=archive, filename=f"{directory.name}.zip", uploader=uploader, now=now)


def schedule(scale: Scale, versions: Sequence[Version], organiser: AbstractUser, now: datetime) -> list[Event]:
    """Schedule one round-robin per ruleset, starting now, or return the events of an earlier run if there are any."""
    standing = list(Event.objects.filter(created_by=organiser).select_related("ladder").order_by("id"))
    if standing:
        return standing
    return [_event(slug, board, scale.cycles, versions, organiser, now) for slug, board in scale.boards.items()]


def join_ladders(events: Sequence[Event], versions: Sequence[Version], organiser: AbstractUser, now: datetime) -> None:
    """Let the reference bots join the events' ladders, so that an uploaded bot finds opponents there."""
    for ladder in {event.ladder for event in events}:
        here = set(LadderEntry.objects.filter(ladder=ladder, active=True).values_list("version", flat=True))
        for version in versions:
            if version.pk not in here:
                join(actor=organiser, ladder=ladder, version=version, now=now)


def _event(slug: str, board: Board, cycles: int, versions: Sequence[Version], organiser: AbstractUser,
           now: datetime) -> Event:
    ladder = create_ladder(ruleset=slug, size=board.size, base_seconds=board.base, increment_seconds=board.increment)
    return create_event(name=f"{RULESETS[slug].name} round-robin", ladder=ladder, versions=versions, cycles=cycles,
                        starts_at=now, created_by=organiser, now=now, seed=secrets.randbits(63))
