"""Environments for other libraries, by the libraries' own tests. They run where the extra `env` is installed."""

import subprocess
import sys
import warnings

import numpy as np
import pytest

from engines.env import BatchEnv, IllegalAction, State, WrongArray
from engines.env.planes import planes
from engines.rules.registry import RULESETS

SIZES = {"scware": 4, "ooscg-w": 4, "squ": 4, "square-grid-hex": 4, "squaresquared": 3}


_IMPORT = """
import sys
sys.modules |= dict.fromkeys(("gymnasium", "pettingzoo", "pyspiel"))
try:
    import engines.env.{module}
except ImportError as error:
    print(error)
"""


@pytest.mark.parametrize(("module", "package"), [
    pytest.param("zoo", "gymnasium", marks=pytest.mark.thorough), ("gym", "gymnasium"),
    pytest.param("spiel", "open_spiel", marks=pytest.mark.thorough),
])
def test_a_missing_package_is_named_with_the_extra(module: str, package: str) -> None:
    done = subprocess.run([sys.executable, "-c", _IMPORT.format(module=module)], check=False, capture_output=True,
                          text=True)
    assert done.stdout == (f"squarefield.env.{module} needs {package}, which is not installed: "
                           f"pip install {package.replace('_', '-')}\n")


@pytest.mark.thorough
@pytest.mark.parametrize("slug", RULESETS)
class TestPettingZoo:
    def test_passes_its_tests(self, slug: str) -> None:
        pytest.importorskip("pettingzoo")
        from pettingzoo.test import api_test, parallel_api_test, seed_test

        from engines.env.zoo import aec_env, parallel_env

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a first observation is empty, and a mask needs a Dict
            api_test(aec_env(slug, SIZES[slug]), num_cycles=60)
            seed_test(lambda: aec_env(slug, SIZES[slug]), num_cycles=60)
            parallel_api_test(parallel_env(slug, SIZES[slug]), num_cycles=60)

    def test_shows_each_agent_its_own_stones(self, slug: str) -> None:
        pytest.importorskip("pettingzoo")
        from engines.env.zoo import aec_env

        env = aec_env(slug, SIZES[slug], render_mode="ansi")
        env.reset()
        env.step(0)
        assert env.agent_selection == "seat_1"
        first, second = (env.observe(agent) for agent in ("seat_0", "seat_1"))
        assert (first["observation"][0, 0, 0], second["observation"][1, 0, 0]) == (1, 1)
        assert not first["action_mask"].any()
        assert env.render().splitlines()[-1].startswith("1")
        with pytest.raises(IllegalAction, match=r"action 0 \(a1\)"):
            env.step(0)


@pytest.mark.thorough
@pytest.mark.parametrize("slug", RULESETS)
class TestGymnasium:
    def test_passes_its_checker_and_makes_vectors(self, slug: str) -> None:
        gymnasium = pytest.importorskip("gymnasium")
        from gymnasium.utils.env_checker import check_env

        from engines.env.gym import register

        name = next(name for name in register() if f"/{slug}-v" in name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check_env(gymnasium.make(name, size=SIZES[slug], strict=False, render_mode="ansi").unwrapped)
            games = gymnasium.make_vec(name, num_envs=3, vectorization_mode="vector_entry_point", size=SIZES[slug])
        games = gymnasium.wrappers.vector.RecordEpisodeStatistics(games)
        observations, infos = games.reset(seed=3)
        ended = 0
        for _ in range(60):
            assert games.observation_space.contains(observations)
            actions = np.array([np.flatnonzero(mask)[-1] for mask in infos["action_mask"]])
            seats = infos["seat"]
            observations, rewards, terminations, truncations, infos = games.step(actions)
            assert set(infos["seat"]) <= {0, 1} >= set(seats)
            assert not (rewards[~terminations]).any()
            for game in np.flatnonzero(terminations | truncations):
                ended += 1
                assert infos["final_obs"][game].shape == observations[game].shape
        assert ended == games.episode_count > 0

    def test_lets_an_opponent_play_the_other_seat(self, slug: str) -> None:
        pytest.importorskip("gymnasium")
        from engines.env.gym import VectorEnv

        def last(observations: object, masks: "np.typing.NDArray[np.bool_]") -> "np.typing.NDArray[np.int64]":
            return masks.shape[1] - 1 - np.argmax(masks[:, ::-1], axis=1)

        games = VectorEnv(slug, SIZES[slug], 4, opponent=last, seed=2)
        _, infos = games.reset(seed=2)
        assert infos["seat"].tolist() == [0, 1, 0, 1]
        seats, totals = infos["seat"].copy(), []
        for _ in range(80):
            _, rewards, terminations, _, infos = games.step(games.batch.sample())
            totals += rewards[terminations].tolist()
            assert ((infos["seat"] != seats) == terminations).all()  # seats change with every game
            seats = infos["seat"]
        assert 1.0 in totals
        assert set(totals) <= {1.0, 0.0, -1.0}


@pytest.mark.thorough
class TestOneGame:
    """Gymnasium's environment of one game."""

    def test_still_shows_the_last_position_after_the_end(self) -> None:
        pytest.importorskip("gymnasium")
        from engines.env.gym import OneGameEnv

        # The second player joins west and east with its last stone, unless the game is cut off before.
        for cap, actions in ((None, (0, 4, 1, 5, 2, 6, 3, 7)), (7, (0, 4, 1, 5, 2, 6, 3))):
            env = OneGameEnv("square-grid-hex", 4, cap=cap, render_mode="ansi")
            env.reset(seed=1)
            state = State.start(RULESETS["square-grid-hex"], 4, cap)
            for action in actions:
                assert not state.over
                state = state.after(action)
                observation, _, terminated, truncated, info = env.step(action)
            assert (terminated, truncated) == (state.terminated, state.truncated) == (cap is None, cap is not None)
            assert env.render() == "\n".join(state.position.rows())
            assert (info["seat"], info["action_mask"].any()) == (state.seat, False)
            assert observation.tobytes() == b"".join(planes(state))
            for action in (10, 99):
                with pytest.raises(IllegalAction):
                    env.step(action)
            assert env.render() == "\n".join(state.position.rows())
            observation, info = env.reset()
            assert (observation[:2].any(), info["action_mask"].all()) == (False, False)

    def test_that_an_illegal_action_lost_does_not_go_on(self) -> None:
        pytest.importorskip("gymnasium")
        from engines.env.gym import OneGameEnv

        env = OneGameEnv("squ", 4, strict=False)
        env.reset()
        env.step(5)
        _, reward, terminated, _, info = env.step(5)
        assert (reward, terminated, info["action_mask"].any()) == (-1.0, True, False)
        with pytest.raises(IllegalAction, match="the game is over"):
            env.step(0)

    def test_has_its_metadata_without_an_environment(self) -> None:
        pytest.importorskip("gymnasium")
        from engines.env.gym import OneGameEnv, VectorEnv

        assert OneGameEnv.metadata["render_modes"] == ["ansi"]
        assert VectorEnv.metadata["autoreset_mode"].name == "SAME_STEP"


@pytest.mark.thorough
def test_wrappers_refuse_the_same() -> None:
    pytest.importorskip("gymnasium")
    pytest.importorskip("pettingzoo")
    from engines.env.gym import OneGameEnv
    from engines.env.zoo import AecEnv, TwoAgentsEnv

    assert AecEnv.metadata["render_modes"] == TwoAgentsEnv.metadata["render_modes"] == ["ansi"]
    for kind in (OneGameEnv, AecEnv, TwoAgentsEnv):
        for wrong in ({"cap": 0}, {"cap": 1.5}, {"render_mode": "human"}):
            with pytest.raises(ValueError, match=next(iter(wrong))):
                kind("squ", 4, **wrong)
        env = kind("squ", 4)
        env.reset()

        def step(action: object, env: object = env) -> None:
            env.step({"seat_0": action} if isinstance(env, TwoAgentsEnv) else action)

        for odd in (None, 1.5, "a1", [1, 2], True):
            with pytest.raises(WrongArray, match="must be one integer"):
                step(odd)
        for outside in (-1, 99, 17):
            with pytest.raises(IllegalAction, match=f"action {outside} "):
                step(outside)
        step(np.int64(3))


@pytest.mark.thorough
@pytest.mark.parametrize("slug", RULESETS)
class TestOpenSpiel:
    def test_passes_its_tests_and_plays_in_its_search(self, slug: str) -> None:
        pyspiel = pytest.importorskip("pyspiel")
        from open_spiel.python.algorithms import mcts

        from engines.env.spiel import game_name, register

        assert game_name(slug) in register() == register()
        game = pyspiel.load_game(f"{game_name(slug)}(size={SIZES[slug]})")
        pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)
        rng = np.random.RandomState(1)
        bot = mcts.MCTSBot(game, 2, 12, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
        state, batch = game.new_initial_state(), BatchEnv(slug, SIZES[slug], backend="python")
        for _ in range(6):
            shape = game.observation_tensor_shape()
            tensor = np.array(state.observation_tensor(state.current_player())).reshape(shape)
            assert (tensor == batch.observations[0]).all()
            assert state.legal_actions() == np.flatnonzero(batch.masks[0]).tolist()
            assert str(state) == state.information_state_string(0) == state.observation_string(1) == state.state.text()
            action = bot.step(state)
            state.apply_action(action)
            batch.step([action])
