"""The arrays of a batch, which both backends fill in place, and the check of arrays that a caller passes."""

from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from engines.env.actions import action_count
from engines.env.errors import WrongArray
from engines.env.planes import PLANES
from engines.env.state import State
from engines.rules.registry import find

Actions = NDArray[np.int32]
_NO_ACTION: Final = -2


@dataclass(frozen=True, slots=True)
class Spec:
    """The shapes of a ruleset's environments: known without making one."""

    ruleset: str
    size: int
    planes: tuple[str, ...]
    actions: int

    @property
    def shape(self) -> tuple[int, int, int]:
        """The shape of one observation: planes, rows from the south, columns from the west."""
        return len(self.planes), self.size, self.size


def spec(ruleset: str, size: int | None = None) -> Spec:
    """Return the planes and the number of actions. Raises UnknownRuleset and SetupError.

    >>> spec("squaresquared", 9).shape, spec("squaresquared", 9).actions
    ((6, 9, 9), 84)
    """
    rules = find(ruleset)
    size = rules.default_size if size is None else size
    rules.check_size(size)
    return Spec(ruleset, size, PLANES[ruleset], action_count(size))


@dataclass(frozen=True, slots=True)
class Arrays:
    """The arrays of n games; each step overwrites them in place."""

    observations: NDArray[np.uint8]
    masks: NDArray[np.bool_]
    rewards: NDArray[np.float32]
    terminations: NDArray[np.bool_]
    truncations: NDArray[np.bool_]
    seats: NDArray[np.int8]
    finals: NDArray[np.uint8]

    @classmethod
    def of(cls, spec: Spec, n: int) -> "Arrays":
        """Return new arrays for n games."""
        return cls(np.zeros((n, *spec.shape), np.uint8), np.zeros((n, spec.actions), np.bool_),
                   np.zeros((n, 2), np.float32), np.zeros(n, np.bool_), np.zeros(n, np.bool_), np.zeros(n, np.int8),
                   np.zeros((n, *spec.shape), np.uint8))


class Games(Protocol):
    """A backend: n games that fill the arrays of a batch."""

    def reset(self) -> None:
        """Begin n new games, and fill the arrays."""

    def restart(self, seed: int) -> None:
        """Restart the random streams."""

    def step(self, actions: Actions) -> int:
        """Do one action in each game, and return -1; or change nothing, and return the first game that refuses."""

    def sample(self, actions: Actions) -> None:
        """Fill the array with a random legal action for each game."""

    def state(self, game: int) -> State:
        """Return one game as Python knows it."""


def as_action(action: Any) -> int:
    """Return one action. Raises WrongArray, which names the wrong type or shape."""
    given = np.asarray(action)
    if given.dtype.kind not in "iu" or given.size != 1:
        raise WrongArray(f"an action must be one integer, not {action!r}")
    return int(given.item())


def check_number(name: str, value: Any, least: int, most: int) -> None:
    """Raise ValueError unless the value is a whole number in this range."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value <= most:
        raise ValueError(f"{name} must be a whole number from {least} to {most}, not {value!r}")


def check_cap(cap: Any) -> None:
    """Raise ValueError unless a game can be cut off at this ply, or is not cut off by the caller (None)."""
    if cap is not None:
        check_number("cap", cap, 1, 2**31 - 1)


def check_render_mode(mode: Any) -> None:
    """Raise ValueError unless a wrapper has this mode."""
    if mode not in (None, "ansi"):
        raise ValueError(f"render_mode must be None or 'ansi', not {mode!r}")


def as_actions(actions: Any, n: int) -> Actions:
    """Return the actions as an array of int32. Raises WrongArray, which names the wrong type or shape."""
    if isinstance(actions, np.ndarray) and actions.dtype == np.int32 and actions.shape == (n,) and (
            actions.flags.c_contiguous):
        return actions
    given = np.asarray(actions)
    if given.dtype.kind not in "iu":
        raise WrongArray(f"actions must be integers, not {given.dtype}")
    if given.shape != (n,):
        raise WrongArray(f"actions must have the shape ({n},), one for each game, not {given.shape}")
    numbers = given.astype(np.int32)
    if given.dtype != np.int32:
        # A number that int32 cannot hold would become another action.
        numbers[numbers != given] = _NO_ACTION
    return np.ascontiguousarray(numbers)
