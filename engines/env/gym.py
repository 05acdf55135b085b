"""Gymnasium's interfaces: `VectorEnv` for many games at once, and `OneGameEnv` for one.

Both seats are played by the caller in turn (self-play), or one of them by an `opponent`. Observations are from the view
of the seat to move, rewards belong to the seat that did the action, and `info` has the seat to move and the legal
actions: `seat` and `action_mask`. `register` makes the environments known to `gymnasium.make` and `make_vec`.
"""

from collections.abc import Callable
from functools import reduce
from typing import Any, ClassVar, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engines.env.actions import SKIP
from engines.env.arrays import Spec, as_action, check_render_mode
from engines.env.batch import Backend, BatchEnv, Step
from engines.env.errors import ExtraMissing, IllegalAction
from engines.env.planes import COMMON
from engines.env.state import State
from engines.rules.errors import IllegalTurn
from engines.rules.registry import RULESETS

try:
    import gymnasium
    from gymnasium.spaces import Box, Discrete
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as error:
    raise ExtraMissing(str(error.name), "squarefield.env.gym") from error

# The actions for all games from their observations and masks; those of other games than the opponent's are ignored.
Opponent: TypeAlias = Callable[[NDArray[np.uint8], NDArray[np.bool_]], NDArray[Any]]
Infos: TypeAlias = dict[str, Any]
_SEAT_PLANE: Final = COMMON.index("the view belongs to seat 1")
_NAME: Final = "squarefield/{}-v{}"


class VectorEnv(gymnasium.vector.VectorEnv):  # type: ignore[misc]
    """n games. A game that ends starts again in the same step; `info["final_obs"]` has its last observation.

    With an opponent, the caller has seat `game % 2` in the first game of each place and then changes seats after every
    game; a step continues until the caller is to move again. Without one, the caller plays both seats.
    """

    metadata: ClassVar[dict[str, Any]] = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}

    def __init__(self, ruleset: str, size: int | None = None, num_envs: int = 1, *, opponent: Opponent | None = None,
                 seed: int = 0, backend: Backend = "auto", cap: int | None = None) -> None:
        """Begin n games. The arguments are as for BatchEnv."""
        self.batch = BatchEnv(ruleset, size, num_envs, seed=seed, backend=backend, cap=cap)
        self.opponent, self.num_envs = opponent, num_envs
        self.single_observation_space, self.single_action_space = _spaces(self.batch.spec)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._own = np.arange(num_envs) % 2

    def reset(self, *, seed: int | None = None,
              options: dict[str, Any] | None = None) -> tuple[NDArray[np.uint8], Infos]:
        """Begin new games."""
        super().reset(seed=seed)
        self.batch.reset(seed)
        self._own = np.arange(self.num_envs) % 2
        self._answer(_Sums(self.num_envs))
        return self.batch.observations.copy(), self.infos()

    def step(self, actions: NDArray[Any]) -> tuple[Any, ...]:
        """Do the caller's action in each game, and then the opponent's. Raises IllegalAction and WrongArray."""
        seats = self.batch.seats.copy()
        sums = _Sums(self.num_envs)
        self._step(actions, seats, sums)
        self._answer(sums)
        infos = self.infos()
        if (ended := sums.terminations | sums.truncations).any():
            last = np.empty(self.num_envs, dtype=object)
            for game in np.flatnonzero(ended):
                last[game] = self.batch.finals[game].copy()
            infos |= {"final_obs": last, "_final_obs": ended, "final_info": {}, "_final_info": ended}
        return self.batch.observations.copy(), sums.rewards, sums.terminations, sums.truncations, infos

    def _step(self, actions: NDArray[Any], seats: NDArray[Any], sums: "_Sums") -> None:
        """Do one step of the batch, and add the rewards of these seats."""
        ended = sums.add(self.batch.step(actions), seats)
        if self.opponent is not None:
            self._own[ended] ^= 1

    def _answer(self, sums: "_Sums") -> None:
        """Let the opponent play until the caller is to move in every game."""
        while self.opponent is not None and (waiting := self.batch.seats != self._own).any():
            actions = np.asarray(self.opponent(self.batch.observations, self.batch.masks))
            self._step(np.where(waiting, actions, SKIP), self._own.copy(), sums)

    def infos(self) -> Infos:
        """Return the seat to move and the legal actions of each game."""
        every = np.ones(self.num_envs, np.bool_)
        return {"action_mask": self.batch.masks.copy(), "_action_mask": every,
                "seat": self.batch.seats.copy(), "_seat": every.copy()}


class _Sums:
    """What happened in the steps of one step of the caller."""

    def __init__(self, n: int) -> None:
        self.rewards = np.zeros(n, np.float32)
        self.terminations, self.truncations = np.zeros(n, np.bool_), np.zeros(n, np.bool_)

    def add(self, step: Step, seats: NDArray[Any]) -> NDArray[np.bool_]:
        """Add one step of the batch. Returns the games that ended in it."""
        self.rewards += np.take_along_axis(step.rewards, seats[:, None].astype(np.int64), axis=1)[:, 0]
        self.terminations |= step.terminations
        self.truncations |= step.truncations
        ended: NDArray[np.bool_] = step.terminations | step.truncations
        return ended


class OneGameEnv(gymnasium.Env):  # type: ignore[misc]
    """One game in self-play. If `strict` is false, an action outside the mask loses the game instead of raising.

    After the end of the game, observation, mask, seat and `render` still show its last position, and only `reset`
    begins the next one.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(self, ruleset: str, size: int | None = None, *, cap: int | None = None, strict: bool = True,
                 render_mode: str | None = None) -> None:
        """Prepare a game. `render_mode` is None or "ansi", for text."""
        check_render_mode(render_mode)
        self._batch = BatchEnv(ruleset, size, cap=cap)
        self._first = self._batch.state(0)
        self._strict, self.render_mode = strict, render_mode
        self.observation_space, self.action_space = _spaces(self._batch.spec)
        self._begin()

    def _begin(self) -> None:
        # The batch begins the next game at once: the actions lead to the last position of this one.
        self._actions: list[int] = []
        self._over = self._lost = False

    def reset(self, *, seed: int | None = None,
              options: dict[str, Any] | None = None) -> tuple[NDArray[np.uint8], Infos]:
        """Begin a new game."""
        super().reset(seed=seed)
        self._batch.reset(seed)
        self._begin()
        return self._seen()

    def step(self, action: int) -> tuple[NDArray[np.uint8], float, bool, bool, Infos]:
        """Do one action. Raises IllegalAction, also after the end of the game, and WrongArray."""
        number, seat = as_action(action), int(self._batch.seats[0])
        if self._lost:
            lost = IllegalTurn("over", "the game is over: an illegal action lost it")
            raise IllegalAction(0, number, None, "any", lost)
        if self._over:
            raise self._state().refusal(number)
        try:
            if number == SKIP:
                raise self._state().refusal(number)
            done = self._batch.step([number])
        except IllegalAction:
            if self._strict:
                raise
            self._over = self._lost = True
            observation, info = self._seen()
            return observation, -1.0, True, False, info
        self._actions.append(number)
        terminated, truncated = bool(done.terminations[0]), bool(done.truncations[0])
        self._over = terminated or truncated
        observation, info = self._seen()
        return observation, float(done.rewards[0, seat]), terminated, truncated, info

    def _seen(self) -> tuple[NDArray[np.uint8], Infos]:
        """Return the observation and the info of the game, also after its end."""
        batch = self._batch
        if not self._over:
            return batch.observations[0].copy(), {"action_mask": batch.masks[0].copy(), "seat": int(batch.seats[0])}
        observation = (batch.observations if self._lost else batch.finals)[0].copy()
        return observation, {"action_mask": np.zeros_like(batch.masks[0]), "seat": int(observation[_SEAT_PLANE, 0, 0])}

    def _state(self) -> State:
        return reduce(State.after, self._actions, self._first)

    def render(self) -> str | None:
        """Return the rows of the board, north first, or None if the environment was made without a render mode."""
        return None if self.render_mode is None else "\n".join(self._state().position.rows())


def _spaces(shapes: Spec) -> tuple[Box, Discrete]:
    """Return the spaces of one game's observations and actions."""
    return Box(0, max(shapes.shape), shapes.shape, np.uint8), Discrete(shapes.actions)


def register() -> list[str]:
    """Register every ruleset with Gymnasium, and return the names, such as "squarefield/squ-v1"."""
    names = []
    for slug, ruleset in RULESETS.items():
        names.append(_NAME.format(slug, ruleset.version))
        if names[-1] not in gymnasium.registry:
            gymnasium.register(names[-1], entry_point=OneGameEnv, vector_entry_point=VectorEnv,
                               kwargs={"ruleset": slug})
    return names
