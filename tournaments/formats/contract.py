"""What a format of events is. Pure.

A format is written in a module of its own and registered in `registry`; its texts for pages are in
`frontend.text.formats`. Nothing else asks which format an event has: it asks the format.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar

from tournaments.formats.bundled import Bundled
from tournaments.formats.history import Ahead, Due, History, Tie
from tournaments.pairing.bracket import Column
from tournaments.scoring.standings import DEFAULT_TIE_BREAKS, Counts, Row, standings


class Format(ABC):
    """Who meets whom in an event, and what follows from the results. It has no state: all that it needs is given.

    The same arguments give the same pairings.
    """

    # As the database and the API call it, and as a list of choices does.
    slug: ClassVar[str]
    name: ClassVar[str]
    # The next round is made when the last one is over; else all rounds are made at the start, and `next` is not asked.
    is_round_by_round: ClassVar[bool] = False
    # It is drawn as a bracket; there are neither points, tie-breaks nor a crosstable.
    is_bracket: ClassVar[bool] = False
    # Its organiser says which bots run it; such an event does not recur.
    has_runners: ClassVar[bool] = False
    # Its organiser may say how many rounds it has.
    takes_rounds: ClassVar[bool] = False
    # To pair a round takes so long that it is done before any lock is taken.
    is_slow_to_pair: ClassVar[bool] = False
    # The most entrants that can be paired in time; None for no bound but that on an event's matches.
    most_entrants: ClassVar[int | None] = None
    # Where the event names none.
    tie_breaks: ClassVar[Sequence[str]] = DEFAULT_TIE_BREAKS

    # --- how large ---------------------------------------------------------------------------

    @abstractmethod
    def pairings(self, entrants: int, *, rounds: int | None = None, runners: int = 0) -> int:
        """How many pairings an event has from beginning to end, if nobody leaves it; the most there can be."""

    def rounds(self, entrants: int, wanted: int | None) -> int | None:
        """How many rounds an event that starts has; None where the format does not take a number."""
        return None

    def most_entries(self, wanted: int | None) -> int | None:
        """How many an event takes that was given this bound; None for no bound but that on its matches."""
        return min((most for most in (wanted, self.most_entrants) if most is not None), default=None)

    # --- pairing -----------------------------------------------------------------------------

    @abstractmethod
    def first_rounds(self, history: History) -> Iterable[Due]:
        """The rounds with which the event begins: all, or the first."""

    @abstractmethod
    def next(self, history: History) -> Due | None:
        """What is due once all matches have ended; None when the event is complete."""

    def settle(self, tie: Tie, cycles: int, left: Mapping[int, datetime]) -> None:  # noqa: B027 - most need nothing
        """Decide a tie that has ended, where entrants have `left` who would have to play it on."""

    # --- tables ------------------------------------------------------------------------------

    def standings(self, entrants: Sequence[int], counts: Counts, tie_breaks: Sequence[str],
                  history: History) -> list[Row]:
        """The rows, best first. `entrants` are ids, in the order of the draw, by which `counts` has the games."""
        return standings(entrants, counts, tie_breaks=tie_breaks)

    def columns(self, history: History) -> list[Column]:
        """The bracket to draw, column by column; nothing where there is none."""
        return []

    # --- progress ----------------------------------------------------------------------------

    @abstractmethod
    def ahead(self, history: History) -> Ahead:
        """What is to come of an event that goes on, if nobody else leaves it."""

    # --- bundles -----------------------------------------------------------------------------

    def bundle_facts(self, history: History, bots: Sequence[str]) -> dict[str, Any]:
        """What decides the table beside the games, as the bundle has it; `bots` in the order of the draw."""
        return {}

    def verified_standings(self, bundle: Bundled) -> list[Row]:
        """The rows, by place, that follow from the bundle's games and facts. Raises Mismatch."""
        return standings(bundle.entrants, bundle.tallies(), tie_breaks=bundle.tie_breaks)


class Scheduled(Format):
    """A format whose rounds are all made at the start."""

    @abstractmethod
    def first_rounds(self, history: History) -> Iterable[Due]: ...

    def next(self, history: History) -> None:
        return None

    def ahead(self, history: History) -> Ahead:
        return Ahead(0, history.last, history.last)


class RoundByRound(Format):
    """A format whose next round follows from the results of the earlier ones."""

    is_round_by_round = True

    def first_rounds(self, history: History) -> Iterable[Due]:
        due = self.next(history)
        return [] if due is None else [due]
