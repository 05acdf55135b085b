"""The backend of the native engine. It fills the same arrays with the same numbers as Python's."""

import numpy as np

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
        self._start = start
        self._batch = module().Batch(
            start.position.slug, start.size, start.cap, arrays.observations, arrays.masks.view(np.uint8),
            arrays.rewards, arrays.terminations.view(np.uint8), arrays.truncations.view(np.uint8), arrays.seats,
            arrays.finals)
        self.restart(seed)
        self.reset()

    def restart(self, seed: int) -> None:
        """Restart the random streams."""
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
        self._batch.sample(actions)

    def state(self, game: int) -> State:
        """Return one game's state, by playing its actions in Python."""
        state = self._start
        for action in self._batch.history(game):
            state = state.after(action)
        return state
