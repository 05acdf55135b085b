"""The report of a Swiss in FIDE's format, from its history. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final

from tournaments.formats.history import History, RoundSoFar, Tie
from tournaments.formats.swiss.standard import Swiss
from tournaments.pairing.trf import Player, RoundResult, bye_code, report

_PLAYED: Final = {1.0: "1", 0.5: "=", 0.0: "0"}
_WITHOUT_PLAY: Final = {1.0: "+", 0.0: "-"}


def trf(name: str, form: Swiss, history: History, players: Sequence[Player], facts: Mapping[str, str]) -> str:
    """Return the report of the rounds that are over. A pairing counts as one game, with its match points."""
    planned = history.rounds_wanted or 0
    over = [round_ for round_ in history.rounds if not any(tie.open for tie in round_.ties)]
    # A Swiss ends early if its entrants cannot be paired any more.
    rounds = len(over) if history.over else planned
    return report(name, players, rounds, [_results(round_) for round_ in over], facts=facts,
                  away=frozenset() if history.over else history.left,
                  virtual=[points[:rounds] for points in form.virtual_points(history.entrants, planned)])


def _results(round_: RoundSoFar) -> dict[int, RoundResult]:
    results = {place: RoundResult(bye_code(1.0)) for place in round_.byes}
    results |= {place: RoundResult(bye_code(points)) for place, points in round_.rests.items()}
    for tie in round_.ties:
        for place, points in zip((tie.first, tie.second), tie.scores(), strict=True):
            results[place] = _result(tie, place, points)
    return results


def _result(tie: Tie, place: int, points: float) -> RoundResult:
    """Return the result in a tie. A void match has no code in the format: each side has a bye for half a point."""
    if not tie.played and points not in _WITHOUT_PLAY:
        return RoundResult(bye_code(points))
    codes = _PLAYED if tie.played and not tie.gone else _WITHOUT_PLAY
    return RoundResult(codes[points], tie.second if place == tie.first else tie.first, place == tie.first)
