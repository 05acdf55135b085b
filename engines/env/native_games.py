"""The backend of the native engine. It fills the same arrays with the same numbers as Python's."""

from itertools import zip_longest
from typing import Any

import numpy as np

from engines.env.actions import SKIP
from engines.env.arrays import Actions, Arrays
from engines.env.state import State
from engines.native import knows, module


def serves(ruleset: str) -> bool:
    """Return whether the native engine is installed and has this ruleset."""
    return knows(ruleset)


def native_games(start: State, arrays: Arrays, seed: int) -> "NativeGames":
    """Return the backend. Raises NativeMissing or NativeMismatch."""
    return NativeGames(start, arrays, seed)


class NativeGames:
    """n games in C++, and the actions of the current ones, from which Python can build their states."""

    def __init__(self, start: State, arrays: Arrays, seed: int) -> None:
        self._start, self._arrays = start, arrays
        self._batch = module().Batch(
            start.position.slug, start.size, start.cap, arrays.observations, arrays.masks.view(np.uint8),
            arrays.rewards, arrays.terminations.view(np.uint8), arrays.truncations.view(np.uint8), arrays.seats,
            arrays.finals)
        self.restart(seed)
        self.reset()

    def restart(self, seed: int) -> None:
        """Restart the random streams."""
        self._seed, self._drawn = seed, 0
        self._batch.restart(seed)

    def reset(self) -> None:
        """Begin new games."""
        self._batch.reset()

    def step(self, actions: Actions) -> int:
        """Do one action in each game."""
        refused: int = self._batch.step(actions)
        return refused

    def sample(self, actions: Actions) -> None:
        """Fill the array with random legal actions."""
        self._drawn += 1
        self._batch.sample(actions)

    def state(self, game: int) -> State:
        """Return one game's state, by playing its actions in Python."""
        state = self._start
        for action in self._batch.history(game):
            state = state.after(action)
        return state

    def __getstate__(self) -> dict[str, Any]:
        histories = [self._batch.history(game) for game in range(len(self._arrays.seats))]
        return {"start": self._start, "arrays": self._arrays, "seed": self._seed, "drawn": self._drawn,
                "histories": histories}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Play the games in progress again. Raises NativeMissing or NativeMismatch."""
        arrays: Arrays = state["arrays"]
        # Of the games that have ended, which are not played again.
        ended = (arrays.rewards, arrays.terminations, arrays.truncations, arrays.finals)
        kept = [(array, array.copy()) for array in ended]
        self.__init__(state["start"], arrays, state["seed"])  # type: ignore[misc]
        for actions in zip_longest(*state["histories"], fillvalue=SKIP):
            self._batch.step(np.array(actions, np.int32))
        self._drawn = state["drawn"]
        self._batch.restart(self._seed, self._drawn)
        for array, content in kept:
            array[:] = content
