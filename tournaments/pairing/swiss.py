"""Swiss rounds by the FIDE Dutch system. Pure: entrants are numbers from 0, the best seed first.

The rules are FIDE's (Handbook C.04.3, in force since 1 February 2026), implemented by the library caissify-pairings.
White moves first in the first game of a match. There is one deviation: if only colours prevent a pairing, they are
ignored, because a match is played from both seats; FIDE would end the tournament.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import ceil, log2

from tournaments.pairing.baku import Baku
from tournaments.pairing.colours import BLACK, WHITE, Side, white_of
from tournaments.pairing.matching import match_relaxed
from tournaments.pairing.round_robin import Pairing

WIN, DRAW, LOSS = 1.0, 0.5, 0.0


class NoPairing(Exception):
    """An entrant has no opponent left to meet: too many rounds for so few entrants."""


@dataclass(frozen=True, slots=True)
class SwissMatch:
    """A match of an earlier round, decided by majority: its scores are 1–0, ½–½ or 0–1, however many games it had.

    A match that was not `played` (a side left, or it was void) gives points but no colours, and the two may meet later.
    In that case, both sides may have 0 or ½.
    """

    first: int
    second: int
    scores: tuple[float, float]
    played: bool = True


@dataclass(frozen=True, slots=True)
class SwissRound:
    """An earlier round: its matches, and the entrant with the bye, which scores as a won match.

    `rests` are entrants of earlier releases that requested a bye or entered later, with their ½ or 0 points.
    """

    matches: tuple[SwissMatch, ...]
    bye: int | None = None
    rests: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class SwissPairings:
    """A round's pairs, the top board first, and the entrant with the bye. The first of a pair has seat 0 first."""

    pairs: list[Pairing]
    bye: int | None


def next_round(
    entrants: int, rounds: int, history: Sequence[SwissRound], absent: Collection[int] = (),
    acceleration: Baku | None = None, apart: Collection[frozenset[int]] = (),
) -> SwissPairings:
    """Pair the round after `history`, of `rounds` planned. Entrants that are `absent` are left out and score nothing.

    No pair meets twice, no pair in `apart` meets, no entrant has a second bye (nor a bye after an unplayed win), and
    all others are paired exactly once. With an `acceleration`, entrants are grouped by points including their virtual
    points. The result depends only on the arguments. The time grows steeply with the number of entrants: a tenth of a
    second for 33, half a second for 64, ten seconds for 128. Raises NoPairing if those rules cannot be kept, and
    ValueError if there is no one to pair or a number is not an entrant's.
    """
    # Imported here, so that verifying a Swiss does not require the pairing library.
    from caissify_pairings import generate_pairings

    _check(entrants, history, absent)
    present = [entrant for entrant in range(entrants) if entrant not in absent]
    lines = _lines(entrants, history, acceleration)
    met = {frozenset((match.first, match.second)) for round_ in history for match in round_.matches if match.played}
    met |= {*apart}
    if len(present) == 1:
        return _lone(lines[present[0]], present[0])
    paired = generate_pairings(
        "dutch", [lines[entrant].as_player(entrant) for entrant in present],
        {(min(pair), max(pair)) for pair in met}, _number_for_library(len(history) + 1, acceleration), rounds)
    pairs = [(pair["white_id"], pair["black_id"]) for pair in paired if pair["black_id"] is not None]
    byes = [pair["white_id"] for pair in paired if pair["black_id"] is None]
    if not _is_legal(pairs, byes, met, lines):
        pairs, byes = _without_colours(present, met, lines)
    return SwissPairings(_in_order(pairs, lines), byes[0] if byes else None)


def most_rounds(entrants: int) -> int:
    """Return the number of rounds that can be paired regardless of the results, if no one leaves; at least 1.

    With the bye as one more opponent when the number is odd, an even number m of players have each met r others after r
    rounds. While at least m/2 are left to each, some pairing exists (Dirac 1952), so m/2 rounds are safe. With four
    players, three rounds are safe. One more round can already fail: six players that have met in two groups of three
    leave two triangles.
    """
    if entrants < 2:
        raise ValueError(f"a Swiss needs at least 2 entrants, not {entrants}")
    even = entrants + entrants % 2
    return 3 if even == 4 else even // 2


def default_rounds(entrants: int) -> int:
    """Return the number of rounds for an event that sets none: ⌈log₂ n⌉ + 1, or as many as are safe.

    ⌈log₂ n⌉ rounds leave one entrant unbeaten when no match is drawn. With two games per match, one win each is common,
    so there is one more round to separate the leaders.
    """
    return min(ceil(log2(entrants)) + 1 if entrants > 1 else 1, most_rounds(entrants))


@dataclass(slots=True)
class _Line:
    """Facts about an entrant for the pairing rules: score, colours, floats by round, and wins without play."""

    score: float
    colours: list[str]
    floats: list[str]
    gifts: int

    def as_player(self, entrant: int) -> dict[str, object]:
        """Return the library's form; a pairing number is a place in the draw, counted from 1."""
        return {"id": entrant, "name": "", "score": self.score, "rating": 0, "starting_number": entrant + 1,
                "pairing_number": entrant + 1, "color_hist": self.colours, "float_history": self.floats,
                "bye_count": self.gifts}

    def as_side(self, entrant: int) -> Side:
        return Side(entrant, self.score, tuple(self.colours))


def _number_for_library(number: int, acceleration: Baku | None) -> int:
    """Return the round number for the library, which ignores scores in round 1; an accelerated round 1 needs them."""
    return number if acceleration is None else max(number, 2)


def _lines(entrants: int, history: Sequence[SwissRound], acceleration: Baku | None) -> list[_Line]:
    """Return the entrants' lines before the round after `history`, with scores that include the virtual points."""
    lines = [_Line(0.0, [], [], 0) for _ in range(entrants)]
    _accelerate(lines, 1, acceleration)
    for number, round_ in enumerate(history, start=1):
        before = [line.score for line in lines]
        for line in lines:
            line.floats.append("none")
        for match in round_.matches:
            _count(match, lines, before)
        if round_.bye is not None:
            _give(lines[round_.bye], WIN)
        for entrant, score in round_.rests:
            _give(lines[entrant], score)
        _accelerate(lines, number + 1, acceleration)
    return lines


def _accelerate(lines: list[_Line], number: int, acceleration: Baku | None) -> None:
    """Replace the virtual points of the previous round by those of round `number`."""
    if acceleration is None:
        return
    for entrant, line in enumerate(lines):
        line.score += acceleration.points(number, entrant)
        if number > 1:
            line.score -= acceleration.points(number - 1, entrant)


def _count(match: SwissMatch, lines: list[_Line], before: list[float]) -> None:
    first, second = lines[match.first], lines[match.second]
    if not match.played:
        _give(first, match.scores[0])
        _give(second, match.scores[1])
        return
    first.score += match.scores[0]
    second.score += match.scores[1]
    first.colours.append(WHITE)
    second.colours.append(BLACK)
    difference = before[match.first] - before[match.second]
    if difference:
        first.floats[-1], second.floats[-1] = ("down", "up") if difference > 0 else ("up", "down")


def _give(line: _Line, score: float) -> None:
    """Add points without play: they count as a downfloat (C.04.3 A.4), and a full point excludes a later bye (C2)."""
    line.score += score
    if score > LOSS:
        line.floats[-1] = "down"
    if score == WIN:
        line.gifts += 1


def _is_legal(pairs: list[Pairing], byes: list[int], met: set[frozenset[int]], lines: list[_Line]) -> bool:
    """Whether the library found a pairing; if there is none, it returns rematches or several byes."""
    return (len(byes) <= 1 and not any(lines[entrant].gifts for entrant in byes)
            and not any(frozenset(pair) in met for pair in pairs))


def _without_colours(
    present: list[int], met: set[frozenset[int]], lines: list[_Line]
) -> tuple[list[Pairing], list[int]]:
    scores = {entrant: lines[entrant].score for entrant in present}
    found = match_relaxed(scores, met, {entrant for entrant in present if not lines[entrant].gifts})
    if found is None:
        raise NoPairing(f"no pairing of {len(present)} entrants is left without a rematch or a second bye; a Swiss of "
                        f"{len(present)} is safe for {most_rounds(len(present))} rounds")
    return found


def _in_order(pairs: list[Pairing], lines: list[_Line]) -> list[Pairing]:
    """Return the pairs, white first, with the boards by the better score, the other score and the better seed."""
    def merit(pair: Pairing) -> tuple[float, float, int]:
        (best, seed), (rest, _) = sorted((-lines[entrant].score, entrant) for entrant in pair)
        return best, rest, seed

    return [pair if white_of(*(lines[entrant].as_side(entrant) for entrant in pair)) == pair[0] else pair[::-1]
            for pair in sorted(pairs, key=merit)]


def _lone(line: _Line, entrant: int) -> SwissPairings:
    if line.gifts:
        raise NoPairing("the only entrant left has already had its bye")
    return SwissPairings([], entrant)


def _check(entrants: int, history: Sequence[SwissRound], absent: Collection[int]) -> None:
    named = {entrant for round_ in history for match in round_.matches for entrant in (match.first, match.second)}
    named |= {round_.bye for round_ in history if round_.bye is not None} | set(absent)
    named |= {entrant for round_ in history for entrant, _ in round_.rests}
    if unknown := {entrant for entrant in named if not 0 <= entrant < entrants}:
        raise ValueError(f"entrants are numbered 0 to {entrants - 1}, so {sorted(unknown)} are not entrants")
    if len(set(absent)) >= entrants:
        raise ValueError("a round needs at least one entrant that is present")
