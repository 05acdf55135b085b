"""Turns of running games for tests of pages: what a worker would write to Redis."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from engines.view import View
from tests.factories import START
from tournaments.models import Match
from tournaments.models.leased import FULL_TIER
from tournaments.selectors.matches import live_turns as module
from tournaments.selectors.matches.live_turns import GameKey, LiveTurn
from tournaments.services.matches import matches


@contextmanager
def patient_redis() -> Iterator[module.LiveTurns]:
    """Yield the lists of turns, for which pages wait as long as a busy machine needs."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CONNECT_SECONDS", "ANSWER_SECONDS"):
            patch.setattr(module, name, 60.0)
        module._at.cache_clear()
        try:
            yield module.live_turns()
        finally:
            module._at.cache_clear()


def begin(match: Match, store: module.LiveTurns) -> Callable[..., None]:
    """Claim the match, and return a function that adds turns to one of its games; None ends the game."""
    lease = matches.claim(match_id=match.pk, worker=f"test:{match.pk}", tier=FULL_TIER, now=START)

    def add(*texts: str | None, number: int = 1, win: float | None = None) -> None:
        view = None if win is None else View(win)
        entries = [text and LiveTurn(text, 0.25, view) for text in texts]
        store.append(GameKey(match.pk, lease.attempt.number, number), entries, anew=False)

    return add
