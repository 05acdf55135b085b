"""A series of games between two bots: who sits where, from which openings, and what came of it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf
from typing import Final

from engines.kit.pool import Job
from engines.kit.score import Sprt, Tally, elo_of, interval
from engines.openings import Bag, openings
from engines.outcome import Forfeit
from engines.record import GameRecord
from engines.ruleset import Ruleset

_SEEDS: Final = 1 << 62


def schedule(ruleset: Ruleset, size: int, games: int, seed: int) -> Iterator[Job]:
    """The games in pairs: both bots play both seats of an opening before the next is drawn."""
    bag = Bag(openings(ruleset, size))
    for pair in range((games + 1) // 2):
        pair_seed = (seed + pair) % _SEEDS
        opening = bag.draw(pair_seed)
        for first in range(min(2, games - 2 * pair)):
            yield Job(2 * pair + first + 1, first, opening, pair_seed)


@dataclass(slots=True)
class Standing:
    """What the games so far say, from the first bot's side."""

    names: tuple[str, str]
    sprt: Sprt | None = None
    tally: Tally = field(default_factory=Tally)
    faults: tuple[Counter[Forfeit], Counter[Forfeit]] = field(default_factory=lambda: (Counter(), Counter()))

    def add(self, job: Job, record: GameRecord) -> None:
        """Count a game."""
        winner = record.result.winner
        self.tally = self.tally.plus(0.5 if winner is None else float(winner == job.first))
        if record.fault is not None:
            self.faults[record.fault.seat ^ job.first][record.fault.kind] += 1

    def decided(self) -> float | None:
        """The Elo difference that the SPRT has settled for, if it has."""
        return self.sprt.accepts(self.tally) if self.sprt else None

    def line(self) -> str:
        """All of it in one line."""
        tally = self.tally
        low, high = interval(tally)
        text = (f"{tally.wins}–{tally.draws}–{tally.losses}  {100 * tally.score:.1f} % ({100 * low:.1f} to "
                f"{100 * high:.1f})  Elo {_elo_of(tally.score)} ({_elo_of(low)} to {_elo_of(high)})")
        return f"{text}  {self._llr()}" if self.sprt else text

    def summary(self) -> list[str]:
        """The end of the series in a few lines."""
        tally = self.tally
        low, high = interval(tally)
        lines = [
            f"{self.names[0]} against {self.names[1]}, {tally.games} {'game' if tally.games == 1 else 'games'}",
            f"{tally.wins} won, {tally.draws} drawn, {tally.losses} lost",
            f"score {100 * tally.score:.1f} %, 95 % interval {100 * low:.1f} to {100 * high:.1f} %",
            f"Elo difference {_elo_of(tally.score)}, 95 % interval {_elo_of(low)} to {_elo_of(high)}",
        ]
        if self.sprt:
            chosen = self.decided()
            end = "undecided" if chosen is None else f"{chosen:g} Elo accepted"
            lines.append(f"SPRT of {self.sprt.elo0:g} against {self.sprt.elo1:g} Elo: {end}, {self._llr()}")
        for name, faults in zip(self.names, self.faults, strict=True):
            if faults:
                kinds = ", ".join(f"{count} × {kind}" for kind, count in faults.most_common())
                lines.append(f"{name} forfeited: {kinds}")
        return lines

    def _llr(self) -> str:
        assert self.sprt is not None
        lower, upper = self.sprt.bounds
        return f"LLR {self.sprt.log_likelihood_ratio(self.tally):+.2f} ({lower:+.2f} to {upper:+.2f})"


def _elo_of(score: float) -> str:
    elo = elo_of(score)
    return f"{elo:+.0f}" if abs(elo) < inf else f"{'+' if elo > 0 else '-'}∞"
