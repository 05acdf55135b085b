"""Preview of the pairings that an event would get now. Nothing is stored."""

from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext

from tournaments.formats.history import Due, History
from tournaments.formats.registry import find
from tournaments.models import Bot, Event
from tournaments.models.lifecycle import EventStatus
from tournaments.platform.refusals import Refused
from tournaments.selectors.events.events import unfinished_matches
from tournaments.selectors.events.history.reading import history_of
from tournaments.selectors.events.permissions import refuse_stranger
from tournaments.services.events import entries as entering

MOST_ROUNDS: Final = 20


class PreviewRefused(Refused):
    """No pairings can be previewed: the event is over, has too few entrants, or has no further round."""


@dataclass(frozen=True, slots=True)
class DraftRound:
    """A round as it would be paired now; its byes include requested ones."""

    number: int
    label: str
    pairs: list[tuple[Bot, Bot]]
    byes: list[Bot]


@dataclass(frozen=True, slots=True)
class Draft:
    """The next rounds, at most MOST_ROUNDS. They take `open_matches` as drawn, so their results can change them."""

    rounds: list[DraftRound]
    open_matches: int


def preview_pairings(*, event: Event, actor: Any, now: datetime) -> Draft:
    """Return the rounds that the start would pair, or the next round. Raises PreviewRefused, Forbidden."""
    refuse_stranger(actor, event)
    form = find(event.format)
    if event.status == EventStatus.SCHEDULED:
        with transaction.atomic():
            # The start orders the entrants. Here, it is undone.
            entrants = entering.settle(copy(event), now)
            lack = entering.start_blocker(event, entrants)
            history = replace(history_of(event), rounds_wanted=form.rounds(len(entrants), event.swiss_rounds))
            bots = [entry.bot for entry in entrants]
            transaction.set_rollback(True)
        if lack:
            raise PreviewRefused(gettext("%(event)s cannot start: %(lack)s."), event=event, lack=lack)
        return Draft([_round(due, bots) for due in islice(form.first_rounds(history), MOST_ROUNDS)], 0)
    if event.status not in (EventStatus.RUNNING, EventStatus.PAUSED):
        raise PreviewRefused(gettext("%(event)s is %(status)s: no more rounds are paired."), event=event,
                             status=event.get_status_display().lower())
    missing = unfinished_matches(event)
    if form.is_round_by_round and not form.is_continuous and not form.changes_by_hand and missing:
        raise PreviewRefused(gettext(
            "The next round of %(event)s follows from all results, and %(count)s matches are still open."),
            event=event, count=missing)
    due = form.next(_with_draws(history_of(event, now=now)))
    if due is None and form.is_continuous:
        raise PreviewRefused(gettext("%(event)s has no two free entrants to pair now, or its time is over."),
                             event=event)
    if due is None:
        raise PreviewRefused(gettext("%(event)s has no further round to pair."), event=event)
    bots = [entry.bot for entry in event.entries.filter(place__isnull=False).select_related("bot").order_by("place")]
    return Draft([_round(due, bots)], missing)


def _with_draws(history: History) -> History:
    """Return the history as if all open ties had ended in a draw: otherwise, their entrants could meet again."""
    for tie in history.ties:
        if tie.open:
            tie.open, tie.played, tie.points = 0, max(tie.played, 1), [0.0, 0.0]
    return history


def _round(due: Due, bots: list[Bot]) -> DraftRound:
    return DraftRound(due.number, due.label, [(bots[first], bots[second]) for first, second in due.pairs],
                      [bots[place] for place in (*due.byes, *due.rests)])
