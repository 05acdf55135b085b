"""The ways a game can end: by the rules, by a bot's conduct, or by the organiser's policy.

Every record distinguishes the three. The rules only know the first.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from engines.public import public


class Ending(StrEnum):
    """Endings by rule."""

    CONNECTION = "connection"
    GOAL = "goal"
    IMPASSE = "impasse"
    BOARD_FULL = "board full"
    TWO_PASSES = "two passes"
    RESIGNATION = "resignation"


class Forfeit(StrEnum):
    """Endings by conduct: the bot at fault loses."""

    ILLEGAL = "illegal"
    CRASH = "crash"
    TIME = "time"
    PROTOCOL = "protocol"
    OUTPUT = "output"
    MEMORY = "memory"


class Adjudication(StrEnum):
    """Endings by policy: draws that do not follow from the rules."""

    PLY_CAP = "ply cap"


# The wording used everywhere: endings by rule or policy follow "won" or "drew"; conduct is a noun phrase.
SPOKEN: Final[Mapping[str, str]] = {
    Ending.CONNECTION: "by connection",
    Ending.GOAL: "by reaching the goal",
    Ending.IMPASSE: "by impasse",
    Ending.BOARD_FULL: "with the larger square",
    Ending.TWO_PASSES: "on the rings",
    Ending.RESIGNATION: "by resignation",
    Adjudication.PLY_CAP: "by ply cap",
    Forfeit.ILLEGAL: "illegal turn",
    Forfeit.CRASH: "crash",
    Forfeit.TIME: "out of time",
    Forfeit.PROTOCOL: "protocol error",
    Forfeit.OUTPUT: "too much output",
    Forfeit.MEMORY: "out of memory",
}
# Of these games, only SQU is won on a full board, and only SquareSquared after two passes. Draws need other words.
SPOKEN_DRAWS: Final[Mapping[str, str]] = {
    Ending.BOARD_FULL: "on a full board",
    Ending.TWO_PASSES: "with all rings tied",
}
# The same endings in more detail. The sides are those of the winning seat.
JOINED: Final = ("by connecting north and south", "by connecting west and east")
RESIGNED: Final = "by resignation at turn %(turn)s"
FORFEITED: Final[Mapping[str, str]] = {
    Forfeit.ILLEGAL: "by forfeit: %(loser)s played an illegal turn at turn %(turn)s",
    Forfeit.CRASH: "by forfeit: %(loser)s crashed at turn %(turn)s",
    Forfeit.TIME: "by forfeit: %(loser)s ran out of time at turn %(turn)s",
    Forfeit.PROTOCOL: "by forfeit: %(loser)s broke the protocol at turn %(turn)s",
    Forfeit.OUTPUT: "by forfeit: %(loser)s wrote too much output at turn %(turn)s",
    Forfeit.MEMORY: "by forfeit: %(loser)s ran out of memory at turn %(turn)s",
}


class Said(NamedTuple):
    """Words about an ending, to follow "won" or "drew": `text % values`. A site translates `text`."""

    text: str
    values: Mapping[str, object] = {}

    def __str__(self) -> str:
        return self.text % self.values


class Measure(NamedTuple):
    """The numbers of a position that show who is ahead, in the units of its game.

    `counts` are pairs of numbers, seat 0's and seat 1's; the first pair whose numbers differ decides. None stands for a
    goal that can no longer be reached. `leader` is the seat that is ahead, or None.
    """

    counts: tuple[tuple[int | None, int | None], ...]
    leader: int | None


def spoken(reason: str, *, drawn: bool) -> str:
    """Return the words for an ending, to follow "won" or, if `drawn`, "drew"."""
    return SPOKEN_DRAWS.get(reason, SPOKEN[reason]) if drawn else SPOKEN[reason]


@public("squarefield")
@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game by its rules.

    `winner` is a seat, or None for a draw. `cells` show the reason: the winning path in order (if the reason is
    CONNECTION), the corners of the deciding square, or the deciding area. `counts` are the stones of seat 0 and seat 1
    in each area, if the ruleset counts stones by area. Games with a goal that no other reason describes end by GOAL.
    """

    winner: int | None
    reason: Ending
    cells: tuple[int, ...] = ()
    counts: tuple[tuple[int, int], ...] = ()


def default_ply_cap(size: int) -> int:
    """Return the ply at which a game is adjudicated as a draw: far more plies than any reasonable game needs.

    In most rulesets the board fills up long before, but removals and superko allow astronomically long games.
    """
    return 6 * size * size + 40
