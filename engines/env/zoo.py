"""PettingZoo's interfaces: `aec_env` (one agent at a time) and `parallel_env` (both agents at once).

The agents are `seat_0` and `seat_1`. Observations are from the view of their agent. An agent that is not to move has an
empty mask. In the parallel environment, its action is ignored.
"""

from typing import Any, ClassVar, Final, TypeAlias

import numpy as np

from engines.env.arrays import Spec, as_action, check_cap, check_render_mode, spec
from engines.env.errors import ExtraMissing
from engines.env.planes import planes
from engines.env.state import State
from engines.rules.registry import find

try:
    from gymnasium.spaces import Box, Dict, Discrete
    from pettingzoo import AECEnv, ParallelEnv
except ModuleNotFoundError as error:
    raise ExtraMissing(str(error.name), "squarefield.env.zoo") from error

AGENTS: Final = ("seat_0", "seat_1")
Observation: TypeAlias = dict[str, Any]


class _Game:
    """The common part of both interfaces: the spaces, the state of one game, and its observations."""

    possible_agents: Final = [*AGENTS]
    metadata: ClassVar[dict[str, Any]] = {"name": "squarefield", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(self, ruleset: str, size: int | None = None, cap: int | None = None,
                 render_mode: str | None = None) -> None:
        """Prepare a game. `cap` is the ply at which it is cut off; `render_mode` is None or "ansi", for text."""
        self._spec: Spec = spec(ruleset, size)
        check_cap(cap)
        check_render_mode(render_mode)
        self._cap, self.render_mode = cap, render_mode
        self.metadata = {**self.metadata, "name": f"squarefield_{ruleset}_v{find(ruleset).version}"}  # type: ignore[misc]
        self.observation_spaces = {agent: Dict({
            "observation": Box(0, max(self._spec.shape), self._spec.shape, np.uint8),
            "action_mask": Box(0, 1, (self._spec.actions,), np.int8)}) for agent in AGENTS}
        self.action_spaces = {agent: Discrete(self._spec.actions) for agent in AGENTS}
        self._begin(None)

    def _begin(self, seed: int | None) -> None:
        self.agents = [*AGENTS]
        self.state_of_game = State.start(find(self._spec.ruleset), self._spec.size, self._cap)
        if seed is not None:
            for number, space in enumerate(self.action_spaces.values()):
                space.seed(seed + number)

    def observation_space(self, agent: str) -> Any:
        """Return the agent's space of observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the agent's space of actions."""
        return self.action_spaces[agent]

    def observe(self, agent: str) -> Observation:
        """Return the planes from the agent's view, and its legal actions."""
        state, seat = self.state_of_game, AGENTS.index(agent)
        board = np.frombuffer(b"".join(planes(state, seat)), np.uint8).reshape(self._spec.shape)
        mask = np.zeros(self._spec.actions, np.int8)
        if seat == state.seat:
            mask[list(state.legal)] = 1
        return {"observation": board, "action_mask": mask}

    def render(self) -> str | None:
        """Return the rows of the board, north first, or None if the environment was made without a render mode."""
        return None if self.render_mode is None else "\n".join(self.state_of_game.position.rows())

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


class AecEnv(_Game, AECEnv):  # type: ignore[misc]
    """One agent after the other. A turn of several stones is several steps of the same agent."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game. A seed makes the samples of the spaces of actions repeatable."""
        self._begin(seed)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations, self.truncations = dict.fromkeys(AGENTS, False), dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[0]

    def step(self, action: int | None) -> None:
        """Do the action of the selected agent. Raises IllegalAction or WrongArray, and then nothing has changed."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.state_of_game = state = self.state_of_game.after(as_action(action))
        self._cumulative_rewards[agent] = 0.0
        self.rewards = {agent: float(reward) for agent, reward in zip(AGENTS, state.rewards, strict=True)}
        self.terminations = dict.fromkeys(AGENTS, state.terminated)
        self.truncations = dict.fromkeys(AGENTS, state.truncated)
        self.agent_selection = AGENTS[state.seat]
        self._accumulate_rewards()


class TwoAgentsEnv(_Game, ParallelEnv):  # type: ignore[misc]
    """Both agents at once. Only the action of the seat to move counts."""

    def reset(self, seed: int | None = None,
              options: dict[str, Any] | None = None) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin a new game."""
        self._begin(seed)
        return {agent: self.observe(agent) for agent in AGENTS}, {agent: {} for agent in AGENTS}

    def step(self, actions: dict[str, int]) -> tuple[Any, ...]:
        """Do the action of the agent to move. Raises IllegalAction, and then nothing has changed."""
        agent = AGENTS[self.state_of_game.seat]
        if agent not in actions:
            raise ValueError(f"{agent} is to move, and there is no action for it")
        self.state_of_game = state = self.state_of_game.after(as_action(actions[agent]))
        if state.over:
            self.agents = []
        return ({agent: self.observe(agent) for agent in AGENTS},
                {agent: float(reward) for agent, reward in zip(AGENTS, state.rewards, strict=True)},
                dict.fromkeys(AGENTS, state.terminated), dict.fromkeys(AGENTS, state.truncated),
                {agent: {} for agent in AGENTS})


aec_env = AecEnv
parallel_env = TwoAgentsEnv
