"""OpenSpiel's games, written in Python: importing this module makes them known to `pyspiel.load_game`.

Their names are `squarefield_` and the slug with underscores, such as `squarefield_ooscg_w`; the parameter `size` is the
number of cells per side. Actions are those of `BatchEnv`, and observation tensors are its planes.
"""

from typing import Any, ClassVar, Final

import numpy as np

from engines.env.actions import action_name
from engines.env.arrays import Spec, spec
from engines.env.errors import ExtraMissing
from engines.env.planes import planes
from engines.env.state import State
from engines.rules.outcome import default_ply_cap
from engines.rules.registry import RULESETS
from engines.rules.ruleset import Ruleset

try:
    import pyspiel
except ModuleNotFoundError as error:
    raise ExtraMissing("open_spiel", "squarefield.env.spiel") from error

# No turn of these games has more actions on average: one stone, and in OOSCG-W up to four more; in Scware and SQU,
# stones are never removed, so that a game has at most three actions per cell.
_ACTIONS_PER_PLY: Final = 5


def game_name(slug: str) -> str:
    """Return OpenSpiel's name of a ruleset.

    >>> game_name("square-grid-hex")
    'squarefield_square_grid_hex'
    """
    return f"squarefield_{slug.replace('-', '_')}"


def register() -> list[str]:
    """Register every ruleset with OpenSpiel, unless it is, and return their names.

    Importing this module has done so already: the processes that OpenSpiel starts find the games in this way.
    """
    known = set(pyspiel.registered_names())
    for ruleset in RULESETS.values():
        if game_name(ruleset.slug) not in known:
            kind, name = _type(ruleset), f"{ruleset.__name__}Game"
            # OpenSpiel keeps this until after the interpreter has ended, which only a class survives.
            game = type(name, (SpielGame,), {"ruleset": ruleset, "kind": kind, "__module__": __name__})
            globals()[name] = game
            pyspiel.register_game(kind, game)
    return [game_name(slug) for slug in RULESETS]


def _type(ruleset: Ruleset) -> Any:
    kind = pyspiel.GameType
    return kind(
        short_name=game_name(ruleset.slug), long_name=ruleset.name, dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.DETERMINISTIC, information=kind.Information.PERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM, reward_model=kind.RewardModel.TERMINAL, max_num_players=2, min_num_players=2,
        provides_information_state_string=True, provides_information_state_tensor=False,
        provides_observation_string=True, provides_observation_tensor=True,
        parameter_specification={"size": ruleset.default_size})


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A ruleset on a board of one size."""

    ruleset: ClassVar[Ruleset]
    kind: ClassVar[Any]

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        """Raises SetupError if the ruleset does not have the size in `params`."""
        shapes = spec(self.ruleset.slug, (params or {}).get("size"))
        super().__init__(self.kind, pyspiel.GameInfo(
            num_distinct_actions=shapes.actions, max_chance_outcomes=0, num_players=2, min_utility=-1.0,
            max_utility=1.0, utility_sum=0.0, max_game_length=_ACTIONS_PER_PLY * default_ply_cap(shapes.size)),
            params or {})

    @property
    def spec(self) -> Spec:
        """The planes and actions. OpenSpiel also makes games without calling the constructor."""
        return spec(self.ruleset.slug, self.get_parameters().get("size"))

    def new_initial_state(self, state: Any = None) -> "SpielState":
        """Return the state before the first action. Other states cannot be set up."""
        if state is not None:
            raise ValueError("a game starts from the empty board: apply its actions instead of giving a state")
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> "Observer":
        """Return an observer of the planes. All information is public, so every type of observation is the same."""
        if params:
            raise ValueError(f"an observer of {self.ruleset.name} takes no parameters, not {sorted(params)}")
        return Observer(self.spec.shape)


class SpielState(pyspiel.State):  # type: ignore[misc]
    """One game in progress."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.state = State.start(game.ruleset, game.spec.size)

    def current_player(self) -> int:
        """Return the seat to move, or OpenSpiel's number for the end of the game."""
        return int(pyspiel.PlayerId.TERMINAL) if self.state.over else self.state.seat

    def _legal_actions(self, player: int) -> list[int]:
        return [*self.state.legal]

    def _apply_action(self, action: int) -> None:
        self.state = self.state.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return action_name(action, self.state.size)

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.state.over

    def returns(self) -> list[float]:
        """Return 1 for the winner and -1 for the loser, or 0 for both."""
        return [float(reward) for reward in self.state.rewards]

    def __str__(self) -> str:
        return self.state.text()


class Observer:
    """Copies the planes of a state into an array of float32."""

    def __init__(self, shape: tuple[int, int, int]) -> None:
        self.tensor = np.zeros(int(np.prod(shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: SpielState, player: int) -> None:
        """Fill the array from the view of a seat."""
        self.tensor[:] = np.frombuffer(b"".join(planes(state.state, player)), np.uint8)

    def string_from(self, state: SpielState, player: int) -> str:
        """Return the state as text."""
        return str(state)


register()
