"""The backend in pure Python: slow, and the one that the native engine must equal.

Random actions come from one splitmix64 stream per game (Steele, Lea and Flood, 2014, figure 16). The stream of a game
depends only on the seed and the game's number, not on the size of the batch. The native engine computes the same
numbers.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engines.env.actions import SKIP
from engines.env.arrays import Actions, Arrays
from engines.env.planes import planes
from engines.env.state import State

Streams = NDArray[np.uint64]
_STEP: Final = np.uint64(0x9E3779B97F4A7C15)
_FIRST: Final = np.uint64(0xBF58476D1CE4E5B9)
_SECOND: Final = np.uint64(0x94D049BB133111EB)


class PythonGames:
    """n games of Python states."""

    def __init__(self, start: State, arrays: Arrays, seed: int) -> None:
        self._start, self._arrays = start, arrays
        self._states = [start] * len(arrays.seats)
        self.restart(seed)
        self.reset()

    def restart(self, seed: int) -> None:
        """Restart the random streams."""
        self._streams = streams(seed, len(self._states))

    def reset(self) -> None:
        """Begin new games."""
        arrays = self._arrays
        self._clear()
        for game in range(len(self._states)):
            self._states[game] = self._start
            self._show(game, arrays.observations)

    def step(self, actions: Actions) -> int:
        """Do one action in each game."""
        masks = self._arrays.masks
        for game, action in enumerate(actions.tolist()):
            if action != SKIP and not (0 <= action < masks.shape[1] and masks[game, action]):
                return game
        self._clear()
        for game, action in enumerate(actions.tolist()):
            if action != SKIP:
                self._move(game, action)
        return -1

    def _move(self, game: int, action: int) -> None:
        arrays, state = self._arrays, self._states[game].after(action)
        self._states[game] = state
        if state.over:
            arrays.rewards[game] = state.rewards
            arrays.terminations[game], arrays.truncations[game] = state.terminated, state.truncated
            self._show(game, arrays.finals)
            self._states[game] = self._start
        self._show(game, arrays.observations)

    def _clear(self) -> None:
        for array in (self._arrays.rewards, self._arrays.terminations, self._arrays.truncations):
            array.fill(0)

    def _show(self, game: int, target: NDArray[np.uint8]) -> None:
        state, arrays = self._states[game], self._arrays
        target[game] = np.frombuffer(b"".join(planes(state)), np.uint8).reshape(target.shape[1:])
        arrays.masks[game] = False
        arrays.masks[game, list(state.legal)] = True
        arrays.seats[game] = state.seat

    def sample(self, actions: Actions) -> None:
        """Fill the array with random legal actions."""
        masks = self._arrays.masks
        number = draw(self._streams, masks.sum(axis=1, dtype=np.int64))
        actions[:] = np.argmax(masks.cumsum(axis=1) > number[:, None], axis=1)

    def state(self, game: int) -> State:
        """Return one game's state."""
        return self._states[game]


def streams(seed: int, n: int) -> Streams:
    """Return the states of the streams of n games.

    >>> streams(7, n=1)[0] == streams(7, n=5)[0], streams(7, n=1)[0] == streams(8, n=1)[0]
    (np.True_, np.False_)
    """
    start = _mixed(np.array([seed], dtype=np.uint64))
    games: Streams = np.add(start, np.arange(n, dtype=np.uint64), dtype=np.uint64)
    return _mixed(games)


def draw(states: Streams, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Advance each stream, and return a number from 0 to its count - 1 from each."""
    states += _STEP
    high = (_mixed(states) >> np.uint64(32)).astype(np.int64)
    return high * counts >> 32


def _mixed(states: Streams) -> Streams:
    first: Streams = (states ^ (states >> np.uint64(30))) * _FIRST
    second: Streams = (first ^ (first >> np.uint64(27))) * _SECOND
    return second ^ (second >> np.uint64(31))
