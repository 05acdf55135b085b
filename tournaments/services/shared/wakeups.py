"""Wake-ups: a verb that causes work for the coordinator names the steps that do it.

They are sent after the commit, and a lost one delays the work until the coordinator's next look (docs/decisions/0040).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from functools import partial
from typing import Final

from django.db import transaction

from tournaments.formats.registry import CONTINUOUS
from tournaments.models.lifecycle import MatchKind
from tournaments.platform.messaging import wakeup_set
from tournaments.platform.messaging.wakeup_set import SOON


class Step(StrEnum):
    """Steps of the coordinator, in order. The steps that create matches precede the one that fills the queues."""

    FORGET_WORKERS = "forget workers"
    DELETE_OLD_ROWS = "delete old rows"
    ANNOUNCE_EVENTS = "announce events"
    START_EVENTS = "start events"
    MISS_HEARTBEATS = "miss heartbeats"
    REAP_MATCHES = "reap matches"
    REAP_CHECKS = "reap checks"
    REAP_QUESTIONS = "reap questions"
    REAP_ANALYSES = "reap analyses"
    END_CASUAL_GAMES = "end casual games"
    WITHDRAW_ENTRIES = "withdraw entries"
    PAIR_ROUNDS = "pair rounds"
    RATE_LADDERS = "rate ladders"
    FINISH_EVENTS = "finish events"
    COMPUTE_RATINGS = "compute ratings"
    JUDGE_TRIALS = "judge trials"
    PAIR_LADDERS = "pair ladders"
    PAIR_TRIALS = "pair trials"
    WATCH_FOR_STANDSTILLS = "watch for standstills"
    TELL_FOLLOWERS = "tell followers"
    PUBLISH = "publish"
    FIND_STORIES = "find stories"
    COUNT_OPENINGS = "count openings"
    SEND_NOTICES = "send notices"


# Steps that a match's end may cause, by the match's kind: for an event, that of its last open match.
_AFTER: Final = {
    MatchKind.EVENT: (Step.PAIR_ROUNDS, Step.RATE_LADDERS, Step.FINISH_EVENTS, Step.PUBLISH),
    MatchKind.LADDER: (Step.RATE_LADDERS, Step.PAIR_LADDERS, Step.PUBLISH),
    MatchKind.TRIAL: (Step.JUDGE_TRIALS, Step.PAIR_TRIALS, Step.PUBLISH),
    MatchKind.CHALLENGE: (Step.PUBLISH,),
}
# Steps that the end of an event's match may cause while others are open.
_WITHIN: Final = (Step.RATE_LADDERS, Step.PUBLISH)
# Steps that leases cause that have ended.
REAPING: Final = (Step.REAP_MATCHES, Step.REAP_CHECKS, Step.REAP_QUESTIONS, Step.REAP_ANALYSES)
# Steps that a change of the workers may cause.
FLEET: Final = (Step.PAIR_LADDERS, Step.PAIR_TRIALS, Step.WATCH_FOR_STANDSTILLS, Step.PUBLISH)

_collected: ContextVar[set[str] | None] = ContextVar("_collected", default=None)


def wake(*steps: Step) -> None:
    """Make these steps due at once, after the transaction in progress has been committed. Never fails."""
    transaction.on_commit(partial(_wake, steps))


def wake_after(*kinds: MatchKind | str) -> None:
    """Make the steps due that the end of matches of these kinds may cause; without a kind, those of all kinds."""
    wake(*{step for kind in kinds or _AFTER for step in _AFTER[MatchKind(kind)]})


def wake_soon_after(kind: MatchKind | str, *, format_of_open: str) -> None:
    """Make the steps due soon that the end of a match may cause; at once, if it was the last of its event.

    `format_of_open` is the format of its event, empty if the event has no open match. Without a delay, each match of a
    busy site would cost a pass of the coordinator.
    """
    if kind == MatchKind.EVENT and not format_of_open:
        wake_after(kind)
        return
    steps = _WITHIN if kind == MatchKind.EVENT else _AFTER[MatchKind(kind)]
    if format_of_open in CONTINUOUS:
        steps = (Step.PAIR_ROUNDS, *steps)
    transaction.on_commit(partial(_wake, [SOON + step for step in steps]))


@contextmanager
def collecting(names: set[str]) -> Iterator[None]:
    """Add the steps that verbs in this context wake to `names`, instead of sending them: a coordinator runs them."""
    token = _collected.set(names)
    try:
        yield
    finally:
        _collected.reset(token)


def _wake(steps: Sequence[str]) -> None:
    collected = _collected.get()
    if collected is None:
        wakeup_set.send(steps)
    else:
        collected.update(steps)
