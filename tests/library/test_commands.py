"""The command `squarefield`, installed with only Python.

tests/tournaments/events/test_bundles.py tests what `verify` finds, and tests/ratings/test_rate.py what `rate` prints.
"""

import json
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.factories import make_event, make_version, play_event
from tests.library.conftest import Installed
from tournaments.services.events.exports import event_bundle

pytestmark = pytest.mark.serial


@pytest.fixture
def bundle(db: None, tmp_path: Path) -> Path:
    event = play_event(make_event([make_version("Morphy"), make_version("Steinitz")], size=5))
    with event_bundle(event) as file:
        (tmp_path / "bundle.zip").write_bytes(file.read())
    return tmp_path / "bundle.zip"


def results(bundle: Path) -> Path:
    """Return the results of the event in the bundle."""
    with ZipFile(bundle) as file:
        return Path(file.extract("results.csv", bundle.parent))


class TestTheCommand:
    def test_is_a_program(self, installed: Installed) -> None:
        assert "RULESET" in installed.run(installed.place / "bin" / "squarefield", "play", "--help").stdout

    @pytest.mark.slow
    def test_verifies_and_rates_an_event(self, installed: Installed, bundle: Path) -> None:
        said = installed.run("-m", "squarefield", "verify", bundle).stdout
        assert said.startswith("Autumn Round Robin verified: ")
        rated = json.loads(installed.run("-m", "squarefield", "rate", results(bundle), "--model", "elo").stdout)
        assert [player["games"] for player in rated["players"]] == [rated["games"]] * 2 == [2, 2]
        done = installed.run("-m", "squarefield", "rate", results(bundle), status=2)
        assert "pip install numpy scipy" in done.stderr

    @pytest.mark.slow
    def test_tests_a_series_of_a_new_bot(self, installed: Installed, tmp_path: Path) -> None:
        installed.run("-m", "squarefield", "new", "novice", directory=tmp_path)
        said = installed.run("-m", "squarefield", "play", "squ", "novice", "random", "--size", "4", "--games", "2",
                             "--sprt=0,30", "--unsafe-local", directory=tmp_path).stdout
        assert "SPRT of 0 against 30 normalized Elo: undecided, " in said

    @pytest.mark.slow
    def test_checks_a_bot_that_imports_the_old_name_in_the_sandbox(self, installed: Installed, tmp_path: Path) -> None:
        (tmp_path / "old.py").write_text(OLD_BOT)
        assert "passed" in installed.run("-m", "squarefield", "check", tmp_path / "old.py").stdout

    def test_plays_recorded_turns_by_the_rules(self, installed: Installed) -> None:
        game = '{"ruleset": "scware", "size": 5, "turns": ["c3"]}\n'
        assert json.loads(installed.run("-m", "squarefield.rules", "replay", text=game).stdout)["plies"] == 1


OLD_BOT = """
import squarefield.sdk
from engines.notation import Turn
from engines.sdk import Bot, run

class Old(Bot):
    name = "old"
    def choose(self, position, clock):
        return next(position.legal_turns())

assert squarefield.sdk.Bot is Bot
run(Old())
"""
