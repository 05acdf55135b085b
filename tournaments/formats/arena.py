"""Arena: for a given time, entrants without a match are paired with a free one of similar standing. Pure.

Points are those of lichess (lila, modules/tournament, `arena.Sheet`) without berserk, for whole matches: 2 for a win,
1 for a level match, 0 for a loss. With streaks, points are doubled after two wins in a row, until a match is not won.
The decisions behind it are in docs/decisions/0052-arenas.md.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Final

from tournaments.formats.bundled import Bundled, Mismatch
from tournaments.formats.contract import RoundByRound
from tournaments.formats.history import Ahead, Bout, Due, History, Known, RoundSoFar
from tournaments.pairing.arena import paired
from tournaments.pairing.round_robin import Pairing
from tournaments.scoring.standings import Counts, Row, standings

# After this many matches, nothing more is paired, even if there is time left.
MOST_MATCHES: Final = 10_000
_WIN: Final = 2
_WINS_OF_A_STREAK: Final = 2


class Arena(RoundByRound):
    """A format without rounds: whoever has ended a match soon gets the next one."""

    slug = "arena"
    name = "Arena"
    is_continuous = True
    ahead_is = "about"
    annuls = False
    most_entrants = 500
    tie_breaks = ()

    def pairings(self, entrants: int, *, rounds: int | None = None, runners: int = 0, most: int | None = None) -> int:
        return MOST_MATCHES if entrants > 1 else 0

    def most_matches_of_a_pair(self, cycles: int) -> int:
        return 0

    def next(self, history: History) -> Due | None:
        if self.is_complete(history):
            return None
        known = _known(history)
        pairs = _pairs(known, Table.of(history), MOST_MATCHES - len(history.bouts))
        return Due(history.last + 1, pairs, known=known) if pairs else None

    def is_complete(self, history: History) -> bool:
        """Return whether the time is over, or the limit of matches has been reached."""
        return (history.seconds is None or history.seconds >= history.minutes * 60
                or len(history.bouts) >= MOST_MATCHES)

    def ahead(self, history: History) -> Ahead:
        """Return how many matches the time left is enough for, at the pace so far."""
        seconds, made = history.seconds or 0.0, len(history.bouts)
        if self.is_complete(history) or not seconds:
            return Ahead(0, history.last, history.last)
        more = made * (history.minutes * 60 - seconds) / seconds
        return Ahead(min(round(more), MOST_MATCHES - made), history.last, history.last)

    def standings(self, entrants: Sequence[int], counts: Counts, tie_breaks: Sequence[str],
                  history: History) -> list[Row]:
        """Rank by the arena's points; equal ones share a place, in the order of the draw."""
        return _ranked(standings(entrants, counts), entrants, Table.of(history))

    def bundle_facts(self, history: History, bots: Sequence[str]) -> dict[str, Any]:
        """Return each wave: its matches by place, and what was known, for `verify` to pair it again."""
        of_wave = {wave: list(bouts) for wave, bouts in groupby(history.bouts, key=lambda bout: bout.wave)}
        return {
            "minutes": history.minutes, "streaks": history.streaks,
            "waves": [{"free": list(round_.known.free), "open": round_.known.open, "seconds": round_.known.seconds,
                       "matches": [[bout.first, bout.second, bout.status] for bout in of_wave.get(round_.number, ())]}
                      for round_ in history.rounds if round_.known is not None],
        }

    def verified_standings(self, bundle: Bundled) -> list[Row]:
        """Pair every wave again from what was known then, and return the rows."""
        history = _history(bundle)
        of_wave = {wave: list(bouts) for wave, bouts in groupby(history.bouts, key=lambda bout: bout.wave)}
        table, made = Table(history.streaks), 0
        for round_ in history.rounds:
            bouts = of_wave.get(round_.number, [])
            assert round_.known is not None
            _check(round_.number, round_.known, table, history)
            if _pairs(round_.known, table, MOST_MATCHES - made) != [(bout.first, bout.second) for bout in bouts]:
                raise Mismatch(f"event.json, waves: the matches of wave {round_.number} do not follow from the free "
                               "entrants and the matches before it")
            table.add(bouts)
            made += len(bouts)
        return _ranked(standings(bundle.entrants, bundle.tallies()), bundle.entrants, table)


@dataclass(slots=True)
class Line:
    """What an entrant's ended matches have brought, and what its next pairing needs.

    `wins` are those in a row, `last` is the last opponent, `wave` the number of the last wave in which it was paired,
    and `firsts` how often it was the first of its pair.
    """

    points: int = 0
    wins: int = 0
    matches: int = 0
    last: int | None = None
    wave: int = 0
    firsts: int = 0

    def score(self, own: float, other: float, *, streaks: bool) -> None:
        """Add a match in which this entrant made `own` game points, and its opponent `other`."""
        points = _WIN if own > other else _WIN // 2 if own == other else 0
        self.points += points * (2 if streaks and self.wins >= _WINS_OF_A_STREAK else 1)
        self.wins = self.wins + 1 if own > other else 0
        self.matches += 1


@dataclass(slots=True)
class Table:
    """The entrants' lines by place. An entrant's matches must be added in the order in which they were paired."""

    streaks: bool
    lines: dict[int, Line] = field(default_factory=dict)

    @classmethod
    def of(cls, history: History) -> "Table":
        table = cls(history.streaks)
        table.add(history.bouts)
        return table

    def line(self, place: int) -> Line:
        return self.lines.setdefault(place, Line())

    def is_on_a_streak(self, place: int) -> bool:
        """Return whether the entrant's next points are doubled."""
        return self.streaks and self.line(place).wins >= _WINS_OF_A_STREAK

    def add(self, bouts: Iterable[Bout]) -> None:
        """Add matches. A void one scores nothing and leaves a streak as it is; a cancelled one was not played."""
        for bout in bouts:
            if bout.status == "cancelled":
                continue
            one, other = self.line(bout.first), self.line(bout.second)
            one.last, other.last = bout.second, bout.first
            one.wave = other.wave = bout.wave
            one.firsts += 1
            if bout.status == "finished":
                one.score(*bout.points, streaks=self.streaks)
                other.score(*bout.points[::-1], streaks=self.streaks)


def _known(history: History) -> Known:
    busy = [place for bout in history.bouts if bout.is_open for place in (bout.first, bout.second)]
    free = {*range(history.entrants)} - history.left - {*busy}
    return Known(tuple(sorted(free)), len(busy) // 2, round(history.seconds or 0.0, 3))


def _pairs(known: Known, table: Table, most: int) -> list[Pairing]:
    """Return the pairs of a wave, at most that many; of each pair, the entrant that was first less often is first."""
    order = sorted(known.free, key=lambda place: (-table.line(place).points, place))
    last: Mapping[int, int] = {place: line.last for place, line in table.lines.items() if line.last is not None}
    if len(order) == 2 and not known.open:
        # Only these two are there: they meet again.
        last = {}
    pairs = paired(order, last, {place: table.line(place).wave for place in order})
    turned = [(one, other) if (table.line(one).firsts, one) <= (table.line(other).firsts, other) else (other, one)
              for one, other in pairs]
    return turned[:most]


def _ranked(rows: Sequence[Row], entrants: Sequence[int], table: Table) -> list[Row]:
    """Return the rows with the arena's points, best first."""
    points = {entrant: float(table.line(place).points) for place, entrant in enumerate(entrants)}
    above, place = {}, 1
    for value, count in sorted(Counter(points.values()).items(), reverse=True):
        above[value] = place
        place += count
    by_entrant = {row.entrant: row for row in rows}
    order = sorted(entrants, key=lambda entrant: -points[entrant])
    return [replace(by_entrant[entrant], points=points[entrant], place=above[points[entrant]], tie_breaks=())
            for entrant in order]


# --- bundles ---------------------------------------------------------------------------------


def _history(bundle: Bundled) -> History:
    """Return the waves and matches from a bundle's facts and games."""
    event, scored = bundle.event, bundle.points_by_pair()
    rounds, bouts = [], []
    for number, wave in enumerate(event["waves"], start=1):
        rounds.append(RoundSoFar(number, (), frozenset(),
                                 known=Known(tuple(wave["free"]), wave["open"], wave["seconds"])))
        for index, (first, second, status) in enumerate(wave["matches"], start=1):
            bots = [event["entries"][place]["bot"] for place in (first, second)]
            points = scored.get((number, frozenset(bots)))
            if (points is not None) != (status == "finished"):
                raise Mismatch(f"event.json, waves: in wave {number}, the match of {' and '.join(bots)} is {status}, "
                               f"but {'no games' if points is None else 'games'} of it are in games.jsonl")
            made = (0.0, 0.0) if points is None else (points[bots[0]], points[bots[1]])
            bouts.append(Bout(number, index, first, second, status, made))
    return History(len(bundle.entrants), 1, rounds=rounds, bouts=bouts, minutes=event["minutes"],
                   streaks=event["streaks"])


def _check(number: int, known: Known, table: Table, history: History) -> None:
    """Check that a wave can have been paired then. Raises Mismatch."""
    if not 0.0 <= known.seconds < history.minutes * 60:
        raise Mismatch(f"event.json, waves: wave {number} was paired {known.seconds} seconds after the start, but the "
                       f"event took {history.minutes} minutes")
    unknown = [place for place in known.free if not 0 <= place < history.entrants]
    if unknown or len(set(known.free)) < len(known.free) or known.open > sum(
            bool(line.matches or line.last is not None) for place, line in table.lines.items()
            if place not in known.free) // 2:
        raise Mismatch(f"event.json, waves: the free entrants and open matches of wave {number} contradict each other")
