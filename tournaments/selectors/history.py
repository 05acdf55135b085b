"""What has happened in an event that is paired round by round, as `tournaments.pairing` takes it."""

from types import ModuleType

from tournaments.lifecycle import EventFormat
from tournaments.models import Bye, Event
from tournaments.pairing import double_knockout, knockout
from tournaments.pairing.round_robin import Pairing
from tournaments.pairing.swiss import SwissMatch, SwissRound
from tournaments.selectors.ties import Tie, ties_of


def swiss_history(event: Event) -> list[SwissRound]:
    """The rounds of a Swiss so far; of the last one only the ties that are over."""
    ties, byes = ties_of(event), byes_of(event)
    return [SwissRound(tuple(SwissMatch(tie.first, tie.second, tie.scores(), played=tie.played > 0)
                             for tie in ties.get(number, ()) if not tie.open),
                       min(byes.get(number, ()), default=None))
            for number in numbers_of(event)]


def knockout_stages(event: Event, entrants: int) -> list[list[int]]:
    """The winners of a knockout's stages that are over."""
    ties, byes = ties_of(event), byes_of(event)
    stages: list[list[int]] = []
    for number in numbers_of(event):
        stage = knockout_of(event).next_stage(entrants, stages)
        if stage is None or any(tie.open or tie.needs_another(event.cycles) for tie in ties.get(number, ())):
            break
        by_pair = {frozenset((tie.first, tie.second)): tie for tie in ties.get(number, ())}
        stages.append([_winner(pair, by_pair, byes.get(number, set())) for pair in stage.ties])
    return stages


def knockout_of(event: Event) -> ModuleType:
    """The module that pairs this knockout: `next_stage`, `placings`, `bracket`."""
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


def _winner(pair: Pairing, ties: dict[frozenset[int], Tie], byes: set[int]) -> int:
    tie = ties.get(frozenset(pair))
    return min({*pair} & byes) if tie is None else tie.winner()
