"""Base class of the knockouts: level ties get extra matches, and places follow from the stage of elimination.

Pure. Each format plans its own bracket (`plan`); the advancing entrants follow from the ties.
"""

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, ClassVar

from tournaments.formats.bundled import Bundled, Mismatch, Pair
from tournaments.formats.contract import RoundByRound
from tournaments.formats.history import MOST_EXTRA_MATCHES, Ahead, Due, History, Tie
from tournaments.pairing import bracket
from tournaments.pairing.bracket import Column, Plan, Played
from tournaments.pairing.round_robin import Pairing
from tournaments.scoring.standings import Counts, Row, standings


class Bracket(RoundByRound):
    """A format in which entrants are eliminated by losses."""

    is_bracket = True
    # Level ties and a second grand final can add matches.
    ahead_is = "at least"
    annuls = False
    # Maximum number of ties between the same two entrants.
    most_ties_of_a_pair: ClassVar[int] = 1

    @abstractmethod
    def plan(self, entrants: int) -> Plan:
        """Return the bracket before anything is played."""

    def most_matches_of_a_pair(self, cycles: int) -> int:
        return self.most_ties_of_a_pair * (cycles + MOST_EXTRA_MATCHES)

    def next(self, history: History) -> Due | None:
        level = [tie for tie in (history.rounds[-1].ties if history.rounds else ())
                 if tie.needs_another(history.cycles)]
        if level:
            return Due(history.last, [_turned(tie) for tie in level], extra=True)
        stage = Played(self.plan(history.entrants), self._winners(history)[0]).next_stage()
        if stage is None:
            return None
        gone = history.left
        walkovers = [min({*pair} - gone or pair) for pair in stage.ties if gone & {*pair}]
        return Due(history.last + 1, [pair for pair in stage.ties if not gone & {*pair}], [*stage.byes, *walkovers],
                   stage.label)

    def settle(self, tie: Tie, cycles: int, left: Mapping[int, datetime]) -> None:
        """Award a level tie that needs another match to the entrant that is left, or that left later."""
        leavers = [place for place in (tie.first, tie.second) if place in left]
        if leavers and not tie.open and tie.needs_another(cycles):
            tie.gone.add(min(leavers, key=left.__getitem__))

    def standings(self, entrants: Sequence[int], counts: Counts, tie_breaks: Sequence[str],
                  history: History) -> list[Row]:
        """Rank by the places that are decided. Entrants still in come first, with the range of places open to them.

        Among these, those with fewer lost ties come first, then the better seeds.
        """
        rows = {row.entrant: row for row in standings(entrants, counts)}
        played = self._played(history)
        lives = played.lives()
        placed = {entrants[entrant]: (place, place, not lives[entrant]) for place, entrant in played.placings()}
        # Places are decided from the last one upwards, so entrants still in come first.
        order = sorted(range(len(entrants)), key=lambda entrant: -lives[entrant])
        still_in = [entrants[entrant] for entrant in order if entrants[entrant] not in placed]
        spans = {**dict.fromkeys(still_in, (1, played.worst_open_place(), False)), **placed}
        return [replace(rows[entrant], place=place, worst_place=worst, eliminated=out, tie_breaks=())
                for entrant, (place, worst, out) in spans.items()]

    def columns(self, history: History) -> list[Column]:
        ties: dict[tuple[int | None, frozenset[int | None]], Tie] = {
            (round_.number, frozenset((tie.first, tie.second))): tie
            for round_ in history.rounds for tie in round_.ties}
        return [replace(column, ties=[_scored(shown, ties.get((shown.stage, frozenset(shown.sides))))
                                      for shown in column.ties])
                for column in self._played(history).columns()]

    def ahead(self, history: History) -> Ahead:
        """Count the matches to come: an undecided tie has an open match, needs another one, or needs all its matches.

        An entrant that has left loses all its lives without a match.
        """
        played = self._played(history)
        current = [tie for tie in history.ties if tie.open or tie.needs_another(history.cycles)]
        another = sum(not tie.open for tie in current)
        lives = played.lives()
        walkovers = sum(lives[place] for place in history.left)
        to_come = max(0, played.ties_left() - len(current) - walkovers)
        return Ahead(another + to_come * history.cycles, *played.stages_in_all())

    def bundle_facts(self, history: History, bots: Sequence[str]) -> dict[str, Any]:
        """Return the advancing entrants, stage by stage."""
        return {"stages": [[bots[place] for place in stage] for stage in self._winners(history)[0]]}

    def verified_standings(self, bundle: Bundled) -> list[Row]:
        """Rank by the places that follow from the advancing entrants of each stage, checked against their games."""
        if not bundle.entrants:
            return []
        stages = [[bundle.place_of[bot] for bot in stage] for stage in bundle.event["stages"]]
        scored = bundle.points_by_pair()
        try:
            played = Played(self.plan(len(bundle.entrants)), ())
            for number, stage in enumerate(stages, start=1):
                due = played.next_stage()
                _check_stage(bundle, number, due.ties if due else (), frozenset(stage), scored)
                played.play(stage)
            placed = played.placings()
        except Mismatch:
            raise
        except ValueError as error:
            raise Mismatch(f"event.json, stages: {error}") from None
        decided = {entrant: place for place, entrant in placed}
        rows = standings(bundle.entrants, bundle.tallies())
        for row in rows:
            row.place, row.tie_breaks = decided.get(row.entrant, 1), ()
        return rows

    def _played(self, history: History) -> Played:
        """Return the bracket so far; while the event runs, with the ties of the current stage that are over."""
        stages, decided = self._winners(history)
        return Played(self.plan(history.entrants), stages, () if history.over else decided)

    def _winners(self, history: History) -> tuple[list[list[int]], list[int]]:
        """Return the winners of the completed stages, and of the completed ties in the stage after them."""
        stages = list[list[int]]()
        played = Played(self.plan(history.entrants), ())
        for round_ in history.rounds:
            stage = played.next_stage()
            if stage is None:
                break
            by_pair = {frozenset((tie.first, tie.second)): tie for tie in round_.ties}
            found = [_winner(pair, by_pair, round_.byes, history.cycles) for pair in stage.ties]
            decided = [winner for winner in found if winner is not None]
            if len(decided) < len(found):
                return stages, decided
            stages.append(decided)
            played.play(decided)
        return stages, []


def _winner(pair: Pairing, ties: Mapping[frozenset[int], Tie], byes: Collection[int], cycles: int) -> int | None:
    """Return the winner of a tie in a round; None while it is not over."""
    tie = ties.get(frozenset(pair))
    if tie is None:
        return min({*pair} & {*byes})
    return None if tie.open or tie.needs_another(cycles) else tie.winner()


def _scored(shown: bracket.Tie, tie: Tie | None) -> bracket.Tie:
    """Return the tie of the bracket with the points of its matches; without a match, a winner has a walkover."""
    if tie is None:
        return replace(shown, walkover=shown.winner is not None and not shown.is_bye)
    points = (tie.points[0], tie.points[1]) if tie.first == shown.sides[0] else (tie.points[1], tie.points[0])
    return replace(shown, points=points if any(points) else None,
                   walkover=shown.winner is not None and tie.walkover is not None)


def _turned(tie: Tie) -> Pairing:
    """Return the pair for a tie's next match, with the sides swapped."""
    return (tie.first, tie.second) if tie.matches % 2 == 0 else (tie.second, tie.first)


def _check_stage(bundle: Bundled, number: int, ties: Sequence[Pairing], winners: Collection[int],
                 scored: Mapping[Pair, Mapping[str, float]]) -> None:
    """Check that no advancing entrant has fewer points than an opponent that has not left. Raises Mismatch."""
    for pair in ties:
        entries = [bundle.event["entries"][place] for place in pair]
        bots = [entry["bot"] for entry in entries]
        points = scored.get((number, frozenset(bots)), {})
        for seat, bot in enumerate(bots):
            other = 1 - seat
            behind = points.get(bot, 0.0) < points.get(bots[other], 0.0)
            if pair[seat] in winners and behind and entries[other]["left_at"] is None:
                raise Mismatch(f"event.json, stages: in round {number}, of {' and '.join(bots)}, the one with fewer "
                               "points advances")
