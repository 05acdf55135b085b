"""Many games at once: arrays, new games, seeds, symmetries and refusals, in both backends."""

import pickle
import subprocess
import sys
from copy import deepcopy

import numpy as np
import pytest

from engines import native
from engines.env import PLANES, SKIP, BatchEnv, IllegalAction, WrongArray, action_count, spec
from engines.env.planes import planes
from engines.env.state import State
from engines.rules.registry import RULESETS
from engines.rules.ruleset import SetupError

# The smallest boards on which games have all kinds of turns, and that both backends play.
SIZES = {"scware": 4, "ooscg-w": 4, "squ": 4, "square-grid-hex": 4, "squaresquared": 3}


@pytest.fixture(params=["python", "native"])
def backend(request: pytest.FixtureRequest) -> str:
    """Return the name of a backend that can be used here."""
    name: str = request.param
    if name == "native" and not native.available():
        pytest.skip("the native engine is not built")
    return name


class TestArrays:
    @pytest.mark.parametrize("slug", RULESETS)
    def test_equal_the_states_of_python(self, slug: str, backend: str) -> None:
        env, ended = BatchEnv(slug, SIZES[slug], n=3, seed=5, backend=backend), 0
        states = [State.start(RULESETS[slug], SIZES[slug])] * 3
        for _ in range(80):
            actions = env.sample().tolist()
            step = env.step(actions)
            for game, action in enumerate(actions):
                state = states[game].after(action)
                assert (step.terminations[game], step.truncations[game]) == (state.terminated, state.truncated)
                assert tuple(step.rewards[game]) == state.rewards
                if state.over:
                    ended += 1
                    assert env.finals[game].tobytes() == b"".join(planes(state))
                states[game] = state = State.start(RULESETS[slug], SIZES[slug]) if state.over else state
                assert step.observations[game].tobytes() == b"".join(planes(state))
                assert tuple(np.flatnonzero(step.masks[game])) == state.legal
                assert env.seats[game] == state.seat
                assert env.state(game) == state
        assert ended

    @pytest.mark.parametrize("slug", RULESETS)
    def test_have_the_shapes_that_are_known_without_an_environment(self, slug: str, backend: str) -> None:
        env, known = BatchEnv(slug, n=2, backend=backend), spec(slug)
        size = RULESETS[slug].default_size
        assert env.observations.shape == (2, *known.shape) == (2, len(PLANES[slug]), size, size)
        assert env.masks.shape == (2, known.actions) == (2, action_count(size))
        assert (env.observations.dtype, env.masks.dtype) == (np.uint8, np.bool_)

    def test_cut_long_games_off(self, backend: str) -> None:
        env = BatchEnv("squaresquared", 3, n=2, cap=2, backend=backend)
        env.step([0, 1])
        step = env.step([8, SKIP])
        assert (step.truncations.tolist(), step.terminations.tolist()) == ([True, False], [False, False])
        assert (env.observations[0, :2].any(), env.finals[0, 0, 0, 0], env.state(0).plies) == (False, 1, 0)
        assert env.state(1).plies == 1


class TestSeeds:
    @pytest.mark.parametrize("slug", RULESETS)
    def test_decide_every_sample_whatever_the_size_of_the_batch(self, slug: str, backend: str) -> None:
        one = BatchEnv(slug, SIZES[slug], n=1, seed=11, backend=backend)
        many = BatchEnv(slug, SIZES[slug], n=4, seed=11, backend="python")
        samples = []
        for _ in range(40):
            samples.append(many.sample().copy())
            assert one.sample()[0] == samples[-1][0]
            one.step(samples[-1][:1])
            many.step(samples[-1])
        assert any(len(set(sample)) > 1 for sample in samples)
        many.reset(seed=11)
        assert many.sample().tolist() == samples[0].tolist()

    def test_reach_every_action_equally_often(self, backend: str) -> None:
        env = BatchEnv("squ", 4, n=1600, seed=2, backend=backend)
        counts = np.bincount(env.sample(), minlength=16)
        assert counts.min() > 60
        assert counts.max() < 140


class TestSymmetries:
    @pytest.mark.parametrize("slug", RULESETS)
    def test_map_games_to_games(self, slug: str) -> None:
        env = BatchEnv(slug, SIZES[slug], n=1, seed=3, backend="python")
        tables = env.symmetries
        k = len(tables) - 1
        image = BatchEnv(slug, SIZES[slug], n=1, backend="python")
        for _ in range(40):
            action = env.sample()
            env.step(action)
            image.step(tables.images[k][action])
            assert (image.observations == tables.planes(k, env.observations)).all()
            assert (image.masks == tables.policies(k, env.masks)).all()

    def test_begin_with_the_identity_and_differ(self) -> None:
        tables = BatchEnv("squaresquared", 5).symmetries
        assert (tables.cells[0] == np.arange(25)).all()
        assert len({row.tobytes() for row in tables.actions}) == 8


class TestRefusals:
    def test_name_the_game_the_action_the_cell_and_the_rule(self, backend: str) -> None:
        env = BatchEnv("square-grid-hex", 5, n=3, backend=backend)
        env.step([0, 7, 24])
        before = [array.copy() for array in (env.observations, env.masks, env.seats)]
        with pytest.raises(IllegalAction, match=r"game 1: action 7 \(c2\) .* c2 is not empty \(rule: occupied\)") as it:
            env.step([1, 7, 24])
        assert (it.value.game, it.value.action, it.value.cell, it.value.rule) == (1, 7, 7, "occupied")
        assert all((one == other).all() for one, other in zip(
            before, (env.observations, env.masks, env.seats), strict=True))
        with pytest.raises(IllegalAction, match=r"action 4294967297 .* actions 0 to 27"):
            env.step([1, 2, 2**32 + 1])
        with pytest.raises(IllegalAction, match="action -2 "):
            env.step([-2, 2, 3])

    @pytest.mark.parametrize(("actions", "words"), [
        ([0.5, 1, 2], "integers, not float64"), ([True, False, True], "not bool"), (np.zeros((3, 1), int), r"\(3, 1\)"),
        ([1, 2], r"shape \(3,\), one for each game, not \(2,\)"), ("abc", "integers, not <U3"),
    ])
    def test_name_wrong_types_and_shapes(self, actions: object, words: str, backend: str) -> None:
        with pytest.raises(WrongArray, match=words):
            BatchEnv("squ", 4, n=3, backend=backend).step(actions)

    @pytest.mark.parametrize(("arguments", "words"), [
        ({"n": 0}, "n must be a whole number from 1"), ({"n": 2.0}, "not 2.0"), ({"seed": -1}, "seed must be"),
        ({"cap": 0}, "cap must be"), ({"backend": "fast"}, "one of auto, python, native, not 'fast'"),
    ])
    def test_name_wrong_arguments(self, arguments: dict[str, object], words: str) -> None:
        with pytest.raises(ValueError, match=words):
            BatchEnv("squ", 4, **arguments)  # type: ignore[arg-type]

    def test_name_wrong_sizes_and_games(self) -> None:
        with pytest.raises(SetupError, match="SQU is played on"):
            BatchEnv("squ", 5)
        with pytest.raises(WrongArray, match="games 0 to 1, not 2"):
            BatchEnv("squ", 4, n=2).state(2)


class TestPackage:
    def test_is_not_needed_by_the_rules(self) -> None:
        code = "import engines.search, engines.sdk, sys; from engines.rules.registry import RULESETS;"
        code += "list(RULESETS.values()); sys.exit('numpy' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

    def test_names_the_extra_if_numpy_is_missing(self) -> None:
        code = "import sys; sys.modules['numpy'] = None\nimport engines.env"
        done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
        assert "needs numpy, which is not installed: pip install numpy\n" in done.stderr

    def test_takes_pure_python_without_the_native_engine(self) -> None:
        code = "import engines.native; engines.native.find = lambda: None\nfrom engines.env import BatchEnv\n"
        code += "print(BatchEnv('squ', 4).backend)\nBatchEnv('squ', 4, backend='native')"
        done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
        assert done.stdout == "python\n"
        assert "native engine is not installed: pip install ./engines/native in the checkout" in done.stderr


class TestCopies:
    def test_continue_alike(self, backend: str) -> None:
        env = BatchEnv("squaresquared", 3, n=4, seed=5, backend=backend, cap=9)
        for _ in range(24):
            env.step(env.sample())
        seen = [array.copy() for array in (*env._result, env.seats, env.finals)]
        copies = [pickle.loads(pickle.dumps(env)), deepcopy(env)]  # noqa: S301 - our own pickle
        for again in copies:
            for array, expected in zip((*again._result, again.seats, again.finals), seen, strict=True):
                assert (array == expected).all()
        for _ in range(12):
            steps = [each.step(each.sample()) for each in (env, *copies)]
            for step in steps[1:]:
                assert all((one == other).all() for one, other in zip(step, steps[0], strict=True))
        assert [each.state(2) for each in copies] == [env.state(2)] * 2
