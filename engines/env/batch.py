"""`BatchEnv`: n games at once, with observations, masks and rewards in NumPy arrays."""

from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engines.env.arrays import Actions, Arrays, Games, Spec, as_actions, check_cap, check_number, spec
from engines.env.errors import WrongArray
from engines.env.native_games import native_games, serves
from engines.env.python_games import PythonGames
from engines.env.state import State
from engines.env.symmetries import Symmetries, symmetries
from engines.rules.registry import find

Backend = Literal["auto", "python", "native"]
_BACKENDS: Final = ("auto", "python", "native")
_MOST_GAMES: Final = 1 << 20


class Step(NamedTuple):
    """The arrays after a step. They are always the same ones, and the next step overwrites them."""

    observations: NDArray[np.uint8]
    rewards: NDArray[np.float32]
    terminations: NDArray[np.bool_]
    truncations: NDArray[np.bool_]
    masks: NDArray[np.bool_]


class BatchEnv:
    """n games of one ruleset, each one action further with every `step`.

    A game that ends starts again in the same step: its reward and its termination belong to the game that ended, its
    observation and its mask to the new game, and `finals` has the last observation of the one that ended. So every
    action counts, and none is ignored.

    >>> env = BatchEnv("square-grid-hex", size=5, n=3, seed=1)
    >>> env.observations.shape, env.observations.dtype, env.masks.shape
    ((3, 4, 5, 5), dtype('uint8'), (3, 28))
    >>> step = env.step(env.sample())
    >>> step.rewards.tolist(), env.seats.tolist()
    ([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]], [1, 1, 1])
    """

    def __init__(self, ruleset: str, size: int | None = None, n: int = 1, *, seed: int = 0, backend: Backend = "auto",
                 cap: int | None = None) -> None:
        """Begin n games. `cap` is the ply at which a game is cut off as a draw; by default as in a tournament.

        Raises UnknownRuleset, SetupError, and ValueError for other arguments. With the backend "native", raises
        NativeMissing or NativeMismatch if the native engine cannot be used; "auto" then takes pure Python.
        """
        self.spec: Spec = spec(ruleset, size)
        check_number("n", n, 1, _MOST_GAMES)
        check_number("seed", seed, 0, 2**64 - 1)
        check_cap(cap)
        if backend not in _BACKENDS:
            raise ValueError(f"the backend must be one of {', '.join(_BACKENDS)}, not {backend!r}")
        self.n = n
        self._arrays = arrays = Arrays.of(self.spec, n)
        self._result = Step(arrays.observations, arrays.rewards, arrays.terminations, arrays.truncations, arrays.masks)
        self._sampled: Actions = np.zeros(n, np.int32)
        start = State.start(find(ruleset), self.spec.size, cap)
        native = backend == "native" or (backend == "auto" and serves(ruleset))
        self.backend = "native" if native else "python"
        self._games: Games = (native_games if native else PythonGames)(start, arrays, seed)

    @property
    def observations(self) -> NDArray[np.uint8]:
        """The planes of each game, from the view of its seat to move."""
        return self._arrays.observations

    @property
    def masks(self) -> NDArray[np.bool_]:
        """The legal actions of each game."""
        return self._arrays.masks

    @property
    def seats(self) -> NDArray[np.int8]:
        """The seat to move in each game."""
        return self._arrays.seats

    @property
    def finals(self) -> NDArray[np.uint8]:
        """The last observation of the last game that ended in each place, from the view of the seat then to move."""
        return self._arrays.finals

    @property
    def symmetries(self) -> Symmetries:
        """The ruleset's symmetries as permutations of planes and actions."""
        return symmetries(self.spec.ruleset, self.spec.size)

    def reset(self, seed: int | None = None) -> Step:
        """Begin n new games. A seed restarts the random streams of `sample`; without one, they continue."""
        if seed is not None:
            check_number("seed", seed, 0, 2**64 - 1)
            self._games.restart(seed)
        self._games.reset()
        return self._result

    def step(self, actions: Any) -> Step:
        """Do one action in each game; SKIP (-1) leaves a game unchanged.

        `rewards` has a column for each seat. Raises WrongArray, and IllegalAction for the first action outside its
        mask; then no game has changed.
        """
        numbers = as_actions(actions, self.n)
        if (refused := self._games.step(numbers)) >= 0:
            raise self._games.state(refused).refusal(int(np.asarray(actions)[refused]), refused)
        return self._result

    def sample(self) -> Actions:
        """Return a random legal action for each game, all equally likely: the same array every time."""
        self._games.sample(self._sampled)
        return self._sampled

    def state(self, game: int) -> State:
        """Return one game as a Python state, with its position."""
        if not 0 <= game < self.n:
            raise WrongArray(f"the batch has games 0 to {self.n - 1}, not {game}")
        return self._games.state(game)
