"""GNU Go, an unchanged Go program, plays SquareSquared in the real sandbox."""

import json
from pathlib import Path

import pytest

from engines.bots import REFERENCE_BOTS
from engines.check import check_submission
from engines.records.record import verify
from engines.records.time_control import TimeControl
from engines.referee.play import Player, play_game
from engines.rules.outcome import Forfeit
from engines.rules.registry import find
from engines.sandbox import Sandbox, SandboxUnavailable
from engines.sandbox.archives.unpack import pack
from tournaments.kit.replay import main as replay

GNUGO = Path("/usr/games/gnugo")

pytestmark = [
    pytest.mark.serial,
    pytest.mark.slow,
    pytest.mark.thorough,
    pytest.mark.skipif(not GNUGO.exists(), reason="GNU Go is not installed: apt-get install gnugo"),
]


@pytest.fixture(scope="module")
def sandbox():
    try:
        return Sandbox.open()
    except SandboxUnavailable as unavailable:
        pytest.skip(f"the sandbox is unavailable: {unavailable}")


@pytest.fixture
def make_gnugo(sandbox, tmp_path):
    """Return a function that packs GNU Go with this law of ko as an author would: as a bot.toml alone."""
    def make(law):
        (tmp_path / "bot.toml").write_text(
            'name = "GNU Go"\n'
            f'command = "{GNUGO} --mode gtp --level 1 --seed 1 --allow-suicide {law}"\n'
            'rulesets = ["squaresquared"]\n')
        return sandbox.runtime.stage_directory(tmp_path, sandbox=sandbox)
    return make


@pytest.fixture
def gnugo(make_gnugo):
    return make_gnugo("--positional-superko")


@pytest.fixture
def greedy(sandbox):
    return sandbox.runtime.stage_directory(REFERENCE_BOTS["greedy"], sandbox=sandbox)


def documented_manifest() -> str:
    """Return the bot.toml from the authors' documentation."""
    page = (Path(__file__).parents[3] / "docs/how-to/author/write-a-bot.md").read_text()
    lines = page.partition("### A Go program")[2].partition("\n## ")[0].splitlines()
    return "\n".join(line.strip() for line in lines if line.startswith("    "))


class TestGnuGo:
    def test_passes_the_check_with_the_documented_manifest(self, sandbox, tmp_path):
        (tmp_path / "bot.toml").write_text(documented_manifest())
        verdict = check_submission(pack(tmp_path), sandbox, on_step=lambda _: None)
        assert str(verdict.failure or "") == ""
        assert {option for option in verdict.manifest.command if option.startswith("--")} >= {
            "--chinese-rules", "--allow-suicide", "--positional-superko"}
        assert len(verdict.games) == 2

    def test_forfeits_by_violating_superko_and_the_record_shows_the_board(
            self, sandbox, make_gnugo, greedy, tmp_path, capsys):
        # Found by random games: where this one ends, the opponent has just captured in a ko below b5.
        opening = ["e2", "d5", "b5", "e5", "a3", "b4", "e4", "c4", "b1", "c3", "d2",
                   "d3", "c2", "e3", "a4", "d4", "b3", "a1", "d1", "a2", "c5", "a5"]
        players = tuple(Player(build.manifest.name, lambda build=build: sandbox.start(build))
                        for build in (make_gnugo("--no-ko"), greedy))
        record = play_game(find("squaresquared"), 5, players, time_control=TimeControl(20, 0.5), opening=opening,
                           tier=sandbox.tier.value)
        assert record.fault.kind is Forfeit.ILLEGAL
        assert (record.fault.seat, record.fault.line) == (0, "B5")
        assert "b5 repeats an earlier position of the board" in record.fault.message
        assert verify(record).rows() == ["2..22", "1222.", "11222", "2.111", "21.1."]
        path = tmp_path / "game.json"
        path.write_text(json.dumps(record.to_dict()))
        replay([str(path)])
        shown = capsys.readouterr().out
        assert "5 O . . O O 5" in shown
        assert "b5 repeats an earlier position of the board" in shown
