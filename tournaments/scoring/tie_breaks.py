"""Tie-breaks by name, which separate entrants with equal points. Pure.

Buchholz, its cut and Sonneborn-Berger are FIDE's (Handbook C.07, in force since 1 March 2026, articles 6 to 9, 14 and
16), with game points unless the event counts matches.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tournaments.scoring.scores import Results

Values = Callable[[Results, Sequence[int]], Mapping[int, float]]


@dataclass(frozen=True, slots=True)
class TieBreak:
    """A tie-break. `values` returns a number for each of the tied entrants; higher is better."""

    name: str
    description: str
    values: Values


def _each(value: Callable[[Results, int], float]) -> Values:
    return lambda results, tied: {entrant: value(results, entrant) for entrant in tied}


def buchholz(results: Results, entrant: int) -> float:
    """Return the points of all opponents (C.07, 8.1); for a round without play, those of a dummy (16.4)."""
    return sum((part.opponent * part.matches for part in results.contributions(entrant)), 0.0)


def buchholz_played(results: Results, entrant: int) -> float:
    """Return the points of the opponents that the entrant played, as in the table; rounds without play add nothing."""
    return sum((results.points[opponent] * matches for opponent, matches in results.matches(entrant).items()), 0.0)


def buchholz_cut_1(results: Results, entrant: int) -> float:
    """Return Buchholz without its lowest part, or without the lowest one missed voluntarily (16.5)."""
    parts = results.contributions(entrant)
    cut_from = [part for part in parts if part.voluntary] or parts
    return buchholz(results, entrant) - min((part.opponent for part in cut_from), default=0.0)


def sonneborn_berger(results: Results, entrant: int) -> float:
    """Return the sum over matches of the entrant's points times the opponent's points in the event (C.07, 9.1)."""
    adjusted = results.adjusted
    played = sum(own * adjusted[opponent] for opponent, own in results.scored[entrant].items())
    return played + sum((part.own * part.opponent for part in results.without_play(entrant)), 0.0)


def head_to_head(results: Results, tied: Sequence[int]) -> dict[int, float]:
    """Return the points in games between the tied entrants (C.07, 6) if all of them have met, else 0."""
    if not results.have_met(tied):
        return dict.fromkeys(tied, 0.0)
    return {entrant: sum((results.scored[entrant][other] for other in tied if other != entrant), 0.0)
            for entrant in tied}


def wins(results: Results, entrant: int) -> float:
    """Return the number of games won, without byes and walkovers."""
    return sum(games[0] for games in results.games[entrant].values())


TIE_BREAKS: dict[str, TieBreak] = {
    "buchholz": TieBreak("Buchholz", "Sum of the opponents' points. Rounds without play count by FIDE's rules: as an "
                                     "opponent with the entrant's own points, up to half of all possible points.",
                         _each(buchholz)),
    "buchholz-cut-1": TieBreak("Buchholz cut 1", "Buchholz by FIDE's rules without the lowest part.",
                               _each(buchholz_cut_1)),
    "buchholz-played": TieBreak("Buchholz of played rounds", "Sum of the points of the opponents played. Byes and "
                                                             "other rounds without play count nothing.",
                                _each(buchholz_played)),
    "sonneborn-berger": TieBreak("Sonneborn-Berger", "Sum of the points of each opponent beaten and half the points of "
                                                     "each opponent drawn with, game by game.",
                                 _each(sonneborn_berger)),
    "head-to-head": TieBreak("Head to head", "Points in games between the tied entrants, if all of them have met.",
                             head_to_head),
    "wins": TieBreak("Wins", "Games won.", _each(wins)),
}
