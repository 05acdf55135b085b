"""Gauntlet: a few runners play all the other entrants. Pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from tournaments.formats.contract import Scheduled
from tournaments.formats.history import Due, History
from tournaments.pairing.gauntlet import gauntlet

# The names of its tables.
RUNNERS: Final = "runners"
OTHERS: Final = "others"


class Gauntlet(Scheduled):
    """Each runner plays each of the others once per cycle.

    Runners and others have different opponents and different numbers of games, so each group has a table of its own.
    """

    slug = "gauntlet"
    name = "Gauntlet"
    has_runners = True

    def pairings(self, entrants: int, *, rounds: int | None = None, runners: int = 0, most: int | None = None) -> int:
        return runners * (entrants - runners)

    def tables(self, history: History) -> Mapping[str, Sequence[int]]:
        runners = set(history.runners)
        return {RUNNERS: sorted(runners), OTHERS: [place for place in range(history.entrants) if place not in runners]}

    def opponents(self, entrant: int, history: History) -> Collection[int]:
        runners = set(history.runners)
        return {*range(history.entrants)} - runners if entrant in runners else runners

    def first_rounds(self, history: History) -> Iterable[Due]:
        runners = set(history.runners)
        others = [entrant for entrant in range(history.entrants) if entrant not in runners]
        schedule = gauntlet(history.runners, others, history.cycles)
        return (Due(number, pairs) for number, pairs in enumerate(schedule, start=1))
