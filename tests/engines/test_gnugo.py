"""A Go program that knows nothing of us plays SquareSquared, unchanged, in the real sandbox."""

import json
from pathlib import Path

import pytest

from engines.bots import REFERENCE_BOTS
from engines.clock import ClockKind, TimeControl
from engines.record import EndedBy, GameRecord, verify
from engines.referee import Player, play_game
from engines.registry import find
from engines.sandbox import Sandbox, SandboxUnavailable, Tier

GNUGO = Path("/usr/games/gnugo")

pytestmark = [
    pytest.mark.serial,
    pytest.mark.slow,
    pytest.mark.skipif(not GNUGO.exists(), reason="GNU Go is not installed: apt-get install gnugo"),
]


@pytest.fixture(scope="module")
def sandbox():
    try:
        return Sandbox.open()
    except SandboxUnavailable as unavailable:
        pytest.skip(f"there is no sandbox here: {unavailable}")


@pytest.fixture
def gnugo(sandbox, tmp_path):
    """GNU Go as an author would upload it: nothing but a bot.toml."""
    (tmp_path / "bot.toml").write_text(
        'name = "GNU Go"\n'
        f'command = "{GNUGO} --mode gtp --level 1 --positional-superko --allow-suicide"\n'
        'rulesets = ["squaresquared"]\n')
    return sandbox.runtime.stage_directory(tmp_path, sandbox=sandbox)


@pytest.fixture
def greedy(sandbox):
    return sandbox.runtime.stage_directory(REFERENCE_BOTS["greedy"], sandbox=sandbox)


class TestGnuGo:
    @pytest.mark.parametrize(("seat", "size"), [(0, 7), (1, 5)])
    def test_plays_a_whole_game_from_either_seat(self, sandbox, gnugo, greedy, seat, size):
        builds = (gnugo, greedy) if seat == 0 else (greedy, gnugo)
        players = tuple(Player(build.manifest.name, lambda build=build: sandbox.start(build)) for build in builds)
        record = play_game(find("squaresquared"), size, players, time_control=TimeControl(20, 0.5),
                           tier=sandbox.tier.value)
        assert record.fault is None
        assert record.result.ended_by is EndedBy.RULE
        assert record.seats[seat].program.startswith("GNU Go 3")
        assert len(record.turns) > 10
        assert record.clock is (ClockKind.CPU if sandbox.tier is Tier.STANDARD else ClockKind.WALL)
        verify(GameRecord.from_dict(json.loads(json.dumps(record.to_dict()))))
