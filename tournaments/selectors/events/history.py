"""What has happened in an event that is paired round by round, as `tournaments.pairing` takes it."""

from collections.abc import Mapping, Sequence
from types import ModuleType

from tournaments.models import Bye, Event
from tournaments.models.lifecycle import EventFormat
from tournaments.pairing import double_knockout, knockout
from tournaments.pairing.bracket import Played
from tournaments.pairing.round_robin import Pairing
from tournaments.pairing.swiss import SwissMatch, SwissRound
from tournaments.selectors.events.ties import Tie, ties_of

Ties = Mapping[int, Sequence[Tie]]


def swiss_history(event: Event) -> list[SwissRound]:
    """The rounds of a Swiss so far; of the last one only the ties that are over."""
    ties, byes = ties_of(event), byes_of(event)
    return [SwissRound(tuple(SwissMatch(tie.first, tie.second, tie.scores(), played=tie.played > 0)
                             for tie in ties.get(number, ()) if not tie.open),
                       min(byes.get(number, ()), default=None))
            for number in numbers_of(event)]


def knockout_stages(event: Event, entrants: int) -> list[list[int]]:
    """The winners of a knockout's stages that are over."""
    return _winners(event, entrants, ties_of(event))[0]


def knockout_so_far(event: Event, entrants: int, ties: Ties | None = None) -> Played:
    """A knockout as it is; while it goes on, with the ties of the current stage that are over."""
    stages, decided = _winners(event, entrants, ties_of(event) if ties is None else ties)
    played: Played = knockout_of(event).played(entrants, stages, decided if event.ended_at is None else ())
    return played


def knockout_of(event: Event) -> ModuleType:
    """The module that pairs this knockout: `next_stage`, `played`."""
    return knockout if event.format == EventFormat.KNOCKOUT else double_knockout


def byes_of(event: Event) -> dict[int, set[int]]:
    """Who sits out, or has a walkover without a match, by round number."""
    byes: dict[int, set[int]] = {}
    for number, place in Bye.objects.filter(round__event=event).values_list("round__number", "entry__place"):
        byes.setdefault(number, set()).add(place)
    return byes


def numbers_of(event: Event) -> list[int]:
    """The numbers of the event's rounds, in order."""
    return list(event.rounds.order_by("number").values_list("number", flat=True))


def _winners(event: Event, entrants: int, ties: Ties) -> tuple[list[list[int]], list[int]]:
    """The winners of the stages that are over, and of the ties that are over in the stage after them."""
    byes, stages = byes_of(event), list[list[int]]()
    for number in numbers_of(event):
        stage = knockout_of(event).next_stage(entrants, stages)
        if stage is None:
            break
        by_pair = {frozenset((tie.first, tie.second)): tie for tie in ties.get(number, ())}
        found = [_winner(pair, by_pair, byes.get(number, set()), event.cycles) for pair in stage.ties]
        decided = [winner for winner in found if winner is not None]
        if len(decided) < len(found):
            return stages, decided
        stages.append(decided)
    return stages, []


def _winner(pair: Pairing, ties: dict[frozenset[int], Tie], byes: set[int], cycles: int) -> int | None:
    """Who won the tie of a round; None while it is not over."""
    tie = ties.get(frozenset(pair))
    if tie is None:
        return min({*pair} & byes)
    return None if tie.open or tie.needs_another(cycles) else tie.winner()
