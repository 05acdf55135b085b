"""Gauntlet: a few runners play all the other entrants. Pure."""

from collections.abc import Collection, Iterable

from tournaments.formats.contract import Scheduled
from tournaments.formats.history import Due, History
from tournaments.pairing.gauntlet import gauntlet


class Gauntlet(Scheduled):
    """Each runner plays each of the others once per cycle."""

    slug = "gauntlet"
    name = "Gauntlet"
    has_runners = True

    def pairings(self, entrants: int, *, rounds: int | None = None, runners: int = 0, most: int | None = None) -> int:
        return runners * (entrants - runners)

    def opponents(self, entrant: int, history: History) -> Collection[int]:
        runners = set(history.runners)
        return {*range(history.entrants)} - runners if entrant in runners else runners

    def first_rounds(self, history: History) -> Iterable[Due]:
        runners = set(history.runners)
        others = [entrant for entrant in range(history.entrants) if entrant not in runners]
        schedule = gauntlet(history.runners, others, history.cycles)
        return (Due(number, pairs) for number, pairs in enumerate(schedule, start=1))
