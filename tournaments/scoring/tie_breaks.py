"""Tie-breaks by name: what tells entrants apart who have the same points. Pure.

Buchholz, its cut and Sonneborn-Berger are those of FIDE (Handbook C.07, in force since 1 March 2026, articles 6 to 9,
14 and 16), with points of games unless the event counts matches.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tournaments.scoring.scores import Results

Values = Callable[[Results, Sequence[int]], Mapping[int, float]]


@dataclass(frozen=True, slots=True)
class TieBreak:
    """`values` gives those who are tied so far a number each; the most is best."""

    name: str
    description: str
    values: Values


def _each(value: Callable[[Results, int], float]) -> Values:
    return lambda results, tied: {entrant: value(results, entrant) for entrant in tied}


def buchholz(results: Results, entrant: int) -> float:
    """The points of all opponents (C.07, 8.1); of a round without play, those of a dummy (16.4)."""
    return sum((part.opponent * part.matches for part in results.contributions(entrant)), 0.0)


def buchholz_cut_1(results: Results, entrant: int) -> float:
    """Buchholz without the least of its parts, or the least of those missed by the entrant's own choice (16.5)."""
    parts = results.contributions(entrant)
    cut_from = [part for part in parts if part.voluntary] or parts
    return buchholz(results, entrant) - min((part.opponent for part in cut_from), default=0.0)


def sonneborn_berger(results: Results, entrant: int) -> float:
    """The sum over matches of own points in it times the opponent's points in the event (C.07, 9.1)."""
    adjusted = results.adjusted
    played = sum(own * adjusted[opponent] for opponent, own in results.scored[entrant].items())
    return played + sum((part.own * part.opponent for part in results.without_play(entrant)), 0.0)


def head_to_head(results: Results, tied: Sequence[int]) -> dict[int, float]:
    """Points in the games of the tied among themselves (C.07, 6), if all of them have met; else nothing."""
    if not results.have_met(tied):
        return dict.fromkeys(tied, 0.0)
    return {entrant: sum((results.scored[entrant][other] for other in tied if other != entrant), 0.0)
            for entrant in tied}


def wins(results: Results, entrant: int) -> float:
    """Games won, byes and walkovers not counted."""
    return sum(games[0] for games in results.games[entrant].values())


TIE_BREAKS: dict[str, TieBreak] = {
    "buchholz": TieBreak("Buchholz", "The sum of the opponents' points.", _each(buchholz)),
    "buchholz-cut-1": TieBreak("Buchholz cut 1", "The sum of the opponents' points, the lowest left out.",
                               _each(buchholz_cut_1)),
    "sonneborn-berger": TieBreak("Sonneborn-Berger", "The points of everyone beaten and half the points of everyone "
                                                     "drawn with, game by game.", _each(sonneborn_berger)),
    "head-to-head": TieBreak("Head to head", "The points of those who are tied against one another, if all of them "
                                             "have met.", head_to_head),
    "wins": TieBreak("Wins", "Games won.", _each(wins)),
}
