"""Environments of other libraries, for the comparison in `bench`: each plays random games with observation and mask."""

import importlib
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

# Plays a number of steps and returns it.
Play: TypeAlias = Callable[[], int]
_BLOCK: Final = 10


def pgx(game: str) -> Callable[[int], Play]:
    """Return a maker of a batch of pgx's games, compiled by JAX for the processor."""

    def make(games: int) -> Play:
        library, jax = importlib.import_module("pgx"), importlib.import_module("jax")
        env = library.make(game)

        def step(state: Any, key: Any) -> Any:
            # A game that is over starts again, as in our batches. The actions are drawn from the mask.
            logits = jax.numpy.log(state.legal_action_mask.astype(jax.numpy.float32))
            action = jax.random.categorical(key, logits, axis=-1)
            return jax.vmap(library.experimental.auto_reset(env.step, env.init))(
                state, action, jax.random.split(key, games))

        block = jax.jit(lambda state, key: jax.lax.scan(
            lambda carried, one: (step(carried, one), None), state, jax.random.split(key, _BLOCK))[0])
        kept = [jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), games)), jax.random.PRNGKey(1)]

        def play() -> int:
            kept[1], key = jax.random.split(kept[1])
            kept[0] = jax.block_until_ready(block(kept[0], key))
            return _BLOCK * games

        return play

    return make


def pettingzoo_go(games: int) -> Play:  # noqa: ARG001 - all makers are called alike
    """Return PettingZoo's Go 9×9, one game at a time."""
    env = importlib.import_module("pettingzoo.classic.go_v5").env(board_size=9)
    rng = np.random.default_rng(1)
    env.reset(seed=1)

    def play() -> int:
        for _ in range(_BLOCK):
            seen, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
            else:
                env.step(int(rng.choice(np.flatnonzero(seen["action_mask"]))))
        return _BLOCK

    return play


def openspiel(game: str) -> Callable[[int], Play]:
    """Return a maker of OpenSpiel's environment for reinforcement learning, one game at a time."""

    def make(games: int) -> Play:  # noqa: ARG001 - as above
        env = importlib.import_module("open_spiel.python.rl_environment").Environment(game)
        rng = np.random.default_rng(1)
        kept = [env.reset()]

        def play() -> int:
            for _ in range(_BLOCK):
                if kept[0].last():
                    kept[0] = env.reset()
                legal = kept[0].observations["legal_actions"][kept[0].current_player()]
                kept[0] = env.step([rng.choice(legal)])
            return _BLOCK

        return play

    return make


# A name, the ruleset of ours that is most like it, and the function that makes it.
LIBRARIES: Final[tuple[tuple[str, str, Callable[[int], Play]], ...]] = (
    ("pgx hex 11 (JAX on the processor)", "square-grid-hex", pgx("hex")),
    ("pgx go 9 (JAX on the processor)", "squaresquared", pgx("go_9x9")),
    ("PettingZoo go 9", "squaresquared", pettingzoo_go),
    ("OpenSpiel environment, hex 11", "square-grid-hex", openspiel("hex(board_size=11)")),
    ("OpenSpiel environment, go 9", "squaresquared", openspiel("go(board_size=9)")),
)
