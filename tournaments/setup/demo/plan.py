"""What the demo plays: one round-robin of the reference bots in each ruleset."""

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
    """What is played in one ruleset: cells a side, and the thinking time in seconds."""

    size: int
    base: float
    increment: float


@dataclass(frozen=True, slots=True)
class Scale:
    """How much is played: how often each pair meets (two games each time), on which boards, and for how long.

    `size` is the largest board, in cells a side, but for the rulesets in `sizes`; times are in seconds.
    """

    cycles: int
    size: int
    base: float
    increment: float
    sizes: dict[str, int]

    @property
    def boards(self) -> dict[str, Board]:
        """What is played in each ruleset."""
        return {slug: Board(self.sizes.get(slug) or size_up_to(ruleset, self.size), self.base, self.increment)
                for slug, ruleset in RULESETS.items()}


# Sizes and times are chosen so that two cores need about three minutes for `normal`, half a minute for `small`.
SCALES = {
    "normal": Scale(cycles=2, size=7, base=4, increment=0.1, sizes={"squ": 8, "square-grid-hex": 9}),
    "small": Scale(cycles=1, size=5, base=1, increment=0.02, sizes={"squ": 6}),
}


# The fixed strengths of the searcher are left out: they would add events of many more games, not more to see.
BOTS = ("random", "greedy", "searcher")


def enter_reference_bots(uploader: AbstractUser, now: datetime) -> list[Submission]:
    """Uploads of the reference bots for the code at hand, by the door that everybody uses; workers check them."""
    # The strongest first: it thinks the longest, and the others are checked meanwhile.
    return [_enter(REFERENCE_BOTS[name], uploader, now) for name in reversed(BOTS)][::-1]


def _enter(directory: Path, uploader: AbstractUser, now: datetime) -> Submission:
    archive = pack(directory)
    # The same archive was entered by an earlier run: an upload would be refused as a duplicate.
    standing = Submission.objects.filter(sha256=content_hash(archive), name=directory.name,
                                         status__in=[*SUBMISSION_OPEN, SubmissionStatus.ACCEPTED]).first()
    return standing or accept_upload(archive=archive, filename=f"{directory.name}.zip", uploader=uploader, now=now)


def schedule(scale: Scale, versions: Sequence[Version], organiser: AbstractUser, now: datetime) -> list[Event]:
    """One round-robin a ruleset, starting now; the events of an earlier run instead, if there are any."""
    standing = list(Event.objects.filter(created_by=organiser).select_related("ladder").order_by("id"))
    if standing:
        return standing
    return [_event(slug, board, scale.cycles, versions, organiser, now) for slug, board in scale.boards.items()]


def join_ladders(events: Sequence[Event], versions: Sequence[Version], organiser: AbstractUser, now: datetime) -> None:
    """Let the reference bots play on the events' ladders, so that a bot uploaded there finds opponents."""
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
