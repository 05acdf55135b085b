"""The interface of event formats. Pure.

Each format has its own module and is registered in `registry`; its texts for pages are in `frontend.text.formats`. No
other code checks which format an event has: it asks the format.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, ClassVar

from tournaments.formats.bundled import Bundled
from tournaments.formats.history import ANNUL, Ahead, Due, History, Tie
from tournaments.formats.withdrawals import assumed, settled
from tournaments.pairing.bracket import Column
from tournaments.scoring.standings import DEFAULT_TIE_BREAKS, Counts, Row, standings


class Format(ABC):
    """Pairings of an event, and what follows from their results. A format has no state: all it needs is passed in.

    The same arguments give the same pairings.
    """

    # Name in the database and the API, and name in lists of choices.
    slug: ClassVar[str]
    name: ClassVar[str]
    # Whether each round is paired when the last one is over; otherwise all rounds are paired at the start, and `next`
    # is not used.
    is_round_by_round: ClassVar[bool] = False
    # Whether the divisions of a league can be played in it.
    suits_divisions: ClassVar[bool] = False
    # Whether it runs for a time instead of in rounds: `next` is also used while matches are open, and pairs a wave of
    # those entrants that are free. Entrants can enter late, and return after they have left.
    is_continuous: ClassVar[bool] = False
    # Whether it is shown as a bracket, without points, tie-breaks and crosstable.
    is_bracket: ClassVar[bool] = False
    # Whether the organiser chooses runners. Such an event cannot be part of a series.
    has_runners: ClassVar[bool] = False
    # Whether the organiser may set the number of rounds.
    takes_rounds: ClassVar[bool] = False
    # Whether the organiser sets a target and limits instead of a number of rounds.
    takes_target: ClassVar[bool] = False
    # Whether its pairings depend on single games, and a pair can meet several times in a round.
    needs_games: ClassVar[bool] = False
    meets_again: ClassVar[bool] = False
    # Whether pairing a round takes so long that it must be done before any lock is taken.
    is_slow_to_pair: ClassVar[bool] = False
    # Whether bots of one owner can be kept apart.
    keeps_apart: ClassVar[bool] = False
    # Whether an entrant's games can be annulled when it leaves or is disqualified.
    annuls: ClassVar[bool] = True
    # How the matches still to come compare with `ahead`: "exact", "at least", "at most" or "about" as many.
    ahead_is: ClassVar[str] = "exact"
    # Maximum number of entrants that can be paired in time; None if only the number of matches is limited.
    most_entrants: ClassVar[int | None] = None
    # Tie-breaks of an event that names none.
    tie_breaks: ClassVar[Sequence[str]] = DEFAULT_TIE_BREAKS

    # --- size --------------------------------------------------------------------------------

    @abstractmethod
    def pairings(self, entrants: int, *, rounds: int | None = None, runners: int = 0, most: int | None = None) -> int:
        """Return the maximum number of pairings in the whole event, if no entrant leaves.

        `most` is the organiser's limit, of a format that takes a target.
        """

    def most_matches_of_a_pair(self, cycles: int) -> int:
        """Return the maximum number of matches between the same two entrants in the whole event; 0 if none is known."""
        return cycles

    def rounds(self, entrants: int, wanted: int | None) -> int | None:
        """Return the number of rounds of an event that starts; None if the format does not take a number."""
        return None

    def most_entries(self, wanted: int | None) -> int | None:
        """Return the maximum number of entries for an event with this limit; None if only its matches are limited."""
        return min((most for most in (wanted, self.most_entrants) if most is not None), default=None)

    # --- pairing -----------------------------------------------------------------------------

    @abstractmethod
    def first_rounds(self, history: History) -> Iterable[Due]:
        """Return the rounds that are paired at the start: all of them, or the first."""

    @abstractmethod
    def next(self, history: History) -> Due | None:
        """Return what must be paired once all matches have ended; None when the event is complete.

        If the format is continuous, return what must be paired now; None while no two free entrants can meet.
        """

    def is_complete(self, history: History) -> bool:
        """Return whether nothing will be paired any more in an event whose matches have all ended."""
        return self.next(history) is None

    def settle(self, tie: Tie, cycles: int, left: Mapping[int, datetime]) -> None:  # noqa: B027 - most need nothing
        """Decide a tie that has ended, if it needs another match but entrants have `left`."""

    # --- tables ------------------------------------------------------------------------------

    def standings(self, entrants: Sequence[int], counts: Counts, tie_breaks: Sequence[str],
                  history: History) -> list[Row]:
        """Return the rows, best first. `entrants` are the IDs that `counts` uses, in the order of the draw."""
        return standings(entrants, counts, tie_breaks=tie_breaks)

    def columns(self, history: History) -> list[Column]:
        """Return the columns of the bracket to show; empty without a bracket."""
        return []

    # --- progress ----------------------------------------------------------------------------

    @abstractmethod
    def ahead(self, history: History) -> Ahead:
        """Return what is still to come of a running event, if no other entrant leaves."""

    def done(self, history: History) -> float | None:
        """Return the share of a running event that is done, 0 to 1; None if its matches, or its time, tell it."""
        return None

    # --- bundles -----------------------------------------------------------------------------

    def bundle_facts(self, history: History, bots: Sequence[str]) -> dict[str, Any]:
        """Return facts other than games that decide the table, for the bundle. `bots` are in the order of the draw."""
        return {}

    def verified_standings(self, bundle: Bundled) -> list[Row]:
        """Return the rows, by place, that follow from the bundle's games and facts. Raises Mismatch."""
        return standings(bundle.entrants, bundle.tallies(), tie_breaks=bundle.tie_breaks)

    def repeated_pairings(self, bundle: Bundled) -> str:
        """Pair the rounds again, and return a sentence about it; empty if nothing was repeated. Raises Mismatch."""
        return ""


class Scheduled(Format):
    """A format whose rounds are all paired at the start."""

    @abstractmethod
    def first_rounds(self, history: History) -> Iterable[Due]: ...

    def next(self, history: History) -> None:
        return None

    def ahead(self, history: History) -> Ahead:
        return Ahead(0, history.last, history.last)

    # --- tables ------------------------------------------------------------------------------

    def tables(self, history: History) -> Mapping[str, Sequence[int]]:
        """Return the places in the draw of the entrants of each table, by the table's name."""
        return {"": range(history.entrants)}

    def opponents(self, entrant: int, history: History) -> Collection[int]:
        """Return the places of the entrants that this one was paired with at the start."""
        return [other for other in range(history.entrants) if other != entrant]

    def standings(self, entrants: Sequence[int], counts: Counts, tie_breaks: Sequence[str],
                  history: History) -> list[Row]:
        """Rank by game points. The games of annulled entrants are in the scores, but decide nothing."""
        return self._ranked(entrants, counts, tie_breaks, history, self.tables(history))

    def verified_standings(self, bundle: Bundled) -> list[Row]:
        history, counts = bundle.history, Counts.of(bundle.tallies())
        # Earlier releases ranked all entrants in one table, and did not say which matches were missed.
        tables = self.tables(history) if bundle.has_tables else {"": bundle.entrants}
        missed = bundle.missed
        if missed is None:
            missed = assumed(history, dict(enumerate(bundle.entrants)), counts,
                             lambda place: self.opponents(place, history))
        return self._ranked(bundle.entrants, counts, bundle.tie_breaks, replace(history, missed=missed), tables)

    def bundle_facts(self, history: History, bots: Sequence[str]) -> dict[str, Any]:
        if history.withdrawals != ANNUL:
            return {}
        return {"missed": [[bots[match.first], bots[match.second], match.at.isoformat()] for match in history.missed]}

    def _ranked(self, entrants: Sequence[int], counts: Counts, tie_breaks: Sequence[str], history: History,
                tables: Mapping[str, Sequence[int]]) -> list[Row]:
        done = settled(history, dict(enumerate(entrants)), counts, lambda place: self.opponents(place, history))
        rows = standings(entrants, counts, tie_breaks=tie_breaks, unplayed=done.unplayed, aside=done.aside,
                         tables={name: [entrants[place] for place in places] for name, places in tables.items()})
        for row in rows:
            row.annulled = row.entrant in done.annulled
        return rows


class RoundByRound(Format):
    """A format in which each round is paired from the results of the earlier ones."""

    is_round_by_round = True

    def first_rounds(self, history: History) -> Iterable[Due]:
        due = self.next(history)
        return [] if due is None else [due]
