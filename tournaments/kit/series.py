"""Series of `squarefield play`: seats, openings, and statistics of the first bot's results.

Pairs of games are tested as on the site. A pair that repeats an earlier one turn for turn does not count again
(`repeats`). Pairs are evaluated in the order of their numbers, up to the first missing one, because fast games often
have other results than slow ones. Pure functions and values.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

from engines.records.record import GameRecord
from engines.rules.openings import Bag, openings
from engines.rules.outcome import Forfeit
from engines.rules.ruleset import Ruleset
from ratings.elo import expected_score
from ratings.sprt import Bounds, estimate, log_likelihood_ratio
from tournaments.kit.pool import Job
from tournaments.scoring.repeats import Repeats, fingerprint
from tournaments.scoring.scores import Score

State = Literal["running", "passed", "failed", "no new games", "interrupted"]
_SEEDS: Final = 1 << 62


def schedule(ruleset: Ruleset, size: int, games: int, seed: int) -> Iterator[Job]:
    """Yield the games in pairs: both bots play both seats of an opening before the next is drawn."""
    bag = Bag(openings(ruleset, size))
    for pair in range((games + 1) // 2):
        pair_seed = (seed + pair) % _SEEDS
        opening = bag.draw(pair_seed)
        for first in range(min(2, games - 2 * pair)):
            yield Job(2 * pair + first + 1, first, opening, pair_seed)


@dataclass(slots=True)
class Standing:
    """Results so far, from the first bot's side. Without `bounds` there is no test that could end the series.

    `tally` counts every game. `pentanomial` counts the distinct pairs that scored 0, ½, 1, 1½ and 2 points; `pairs`
    counts all pairs evaluated.
    """

    names: tuple[str, str]
    bounds: Bounds | None = None
    tally: Score = field(default_factory=Score)
    pentanomial: list[int] = field(default_factory=lambda: [0] * 5)
    pairs: int = 0
    state: State = "running"
    faults: tuple[Counter[Forfeit], Counter[Forfeit]] = field(default_factory=lambda: (Counter(), Counter()))
    _repeats: Repeats = field(default_factory=Repeats)
    _untaken: dict[int, list[tuple[Job, GameRecord]]] = field(default_factory=dict)

    def add(self, job: Job, record: GameRecord) -> None:
        """Count a game."""
        self.tally.add(job.first, record.result.winner, 1)
        if record.fault is not None:
            self.faults[record.fault.seat ^ job.first][record.fault.kind] += 1
        self._untaken.setdefault((job.number - 1) // 2, []).append((job, record))
        while self.state == "running" and len(self._untaken.get(self.pairs, ())) == 2:
            self._take(self._untaken.pop(self.pairs))

    @property
    def over(self) -> bool:
        """Whether the test has ended, so that more games are useless."""
        return self.state != "running"

    def interrupt(self) -> None:
        """End the series before its last game."""
        if self.state == "running":
            self.state = "interrupted"

    def line(self) -> str:
        """Return the results as one line."""
        tally = self.tally
        text = f"{tally.wins}–{tally.draws}–{tally.losses}{self._score()}"
        if self.pairs:
            elo, low, high = estimate(self.pentanomial)[:3]
            text += f"  Elo {elo:+.0f} ({low:+.0f} to {high:+.0f})"
        if self._distinct < self.pairs:
            text += f"  {self._distinct} of {self.pairs} pairs distinct"
        return f"{text}  {_llr(self.pentanomial, self.bounds)}" if self.bounds else text

    def summary(self) -> list[str]:
        """Return the final results as a few lines."""
        tally = self.tally
        lines = [f"{self.names[0]} against {self.names[1]}, {tally.games} {'game' if tally.games == 1 else 'games'}",
                 f"{tally.wins} won, {tally.draws} drawn, {tally.losses} lost{self._score()}"]
        lines += self._of_pairs()
        if self.bounds:
            lines.append(f"SPRT of {self.bounds.elo0:g} against {self.bounds.elo1:g} normalized Elo: "
                         f"{self._end(self.bounds)}, {_llr(self.pentanomial, self.bounds)}")
        for name, faults in zip(self.names, self.faults, strict=True):
            if faults:
                kinds = ", ".join(f"{count} × {kind}" for kind, count in faults.most_common())
                lines.append(f"{name} forfeited: {kinds}")
        return lines

    def _of_pairs(self) -> list[str]:
        """Return the results of the complete pairs, and the games that are in none."""
        if not self.pairs:
            return ["no pair of games is complete, so the Elo difference cannot be estimated"]
        elo, low, high = estimate(self.pentanomial)[:3]
        scores = " to ".join(f"{100 * expected_score(limit):.1f}" for limit in (low, high))
        distinct = f"{self._distinct} of {self.pairs} {'pair' if self.pairs == 1 else 'pairs'} of games distinct"
        if self._distinct < self.pairs:
            distinct += ": a pair that repeats an earlier one turn for turn does not count again"
        lines = [f"Elo difference {elo:+.0f}, 95 % interval {low:+.0f} to {high:+.0f} (score {scores} %)", distinct]
        if alone := self.tally.games - 2 * self.pairs:
            lines.append(f"{alone} {'game' if alone == 1 else 'games'} outside complete pairs: not counted in the Elo "
                         f"difference{' and the test' if self.bounds else ''}")
        return lines

    @property
    def _distinct(self) -> int:
        return sum(self.pentanomial)

    def _take(self, pair: list[tuple[Job, GameRecord]]) -> None:
        self.pairs += 1
        (job, _), _ = pair
        played = ((job.first, [turn.turn for turn in record.turns]) for job, record in pair)
        if self._repeats.is_new(fingerprint(job.opening, played)):
            self.pentanomial[sum(_half_points(*game) for game in pair)] += 1
        if self.bounds is None:
            return
        ratio = log_likelihood_ratio(self.pentanomial, self.bounds)
        if ratio >= self.bounds.upper:
            self.state = "passed"
        elif ratio <= self.bounds.lower:
            self.state = "failed"
        elif self._repeats.exhausted:
            self.state = "no new games"

    def _score(self) -> str:
        """Return the share of the points of all games, in words; nothing before the first game."""
        tally = self.tally
        return f": score {100 * (tally.wins + tally.draws / 2) / tally.games:.1f} %" if tally.games else ""

    def _end(self, bounds: Bounds) -> str:
        if self.state in ("passed", "failed"):
            return f"{bounds.elo1 if self.state == 'passed' else bounds.elo0:g} accepted"
        return f"undecided: {self.state}" if self.over else "undecided"


def _half_points(job: Job, record: GameRecord) -> int:
    """Return the first bot's half points: 0, 1 or 2."""
    winner = record.result.winner
    return 1 if winner is None else 2 * (winner == job.first)


def _llr(pentanomial: list[int], bounds: Bounds) -> str:
    return f"LLR {log_likelihood_ratio(pentanomial, bounds):+.2f} ({bounds.lower:+.2f} to {bounds.upper:+.2f})"
