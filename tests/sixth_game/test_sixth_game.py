"""A promise of CONTRIBUTING: a sixth game needs only one file, one line, a rules page and a transcript.

The tests add a small game to a copy of the project in exactly this way, and play it there: in the tests of the rules,
in the author's kit in the sandbox, and in the service with a real worker. Every day, only the tests of the rules run.
"""

import json
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ADDED = Path(__file__).parent / "added"
SLUG = "lineup"
LINE = '    "lineup": "engines.rules.games.lineup:Lineup",\n'
PARTS = ("engines", "ratings", "tournaments", "frontend", "docs", "tests", "manage.py", "pyproject.toml")
# Variables that the tests in the copy must set themselves.
_OWN = ("PYTEST_", "SQUAREFIELD_", "DJANGO_", "DATABASE_URL", "REDIS_URL")

pytestmark = [pytest.mark.serial, pytest.mark.slow]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the project with the game added as in CONTRIBUTING: new files, and a line in two others."""
    place = tmp_path_factory.mktemp("sixth")
    for part in PARTS:
        if (ROOT / part).is_dir():
            # With the compiled files, which remain valid because the times of the sources are copied too.
            shutil.copytree(ROOT / part, place / part, ignore=shutil.ignore_patterns("node_modules"))
        else:
            shutil.copy(ROOT / part, place / part)
    for file in (path for path in ADDED.rglob("*") if path.is_file() and path.suffix != ".pyc"):
        target = place / file.relative_to(ADDED)
        before = target.read_text(encoding="utf-8") if target.exists() else ""
        target.write_text(before + file.read_text(encoding="utf-8"), encoding="utf-8")
    registry = place / "engines/rules/registry.py"
    head, mark, rest = registry.read_text(encoding="utf-8").partition("}\n")
    registry.write_text(head + LINE + mark + rest, encoding="utf-8")
    return place


@pytest.fixture
def run(copy: Path) -> Run:
    """Return a function that runs Python in the copy and expects it to succeed."""

    def run(*words: str | Path, expect: int = 0) -> "subprocess.CompletedProcess[str]":
        environment = {name: value for name, value in os.environ.items() if not name.startswith(_OWN)}
        done = subprocess.run([sys.executable, *words], cwd=copy, env=environment | {"SQUAREFIELD_NO_BOOTSTRAP": "1"},
                              capture_output=True, text=True, check=False, timeout=550)
        assert done.returncode == expect, done.stdout[-6000:] + done.stderr[-3000:]
        return done

    return run


class TestTheTutorial:
    def test_shows_the_files_of_this_game(self) -> None:
        page = (ROOT / "docs/tutorials/sixth-game.md").read_text(encoding="utf-8")
        for file in ("engines/rules/games/lineup.py", "docs/rules/lineup.md", "docs/rules/lineup.json"):
            assert textwrap.indent((ADDED / file).read_text(encoding="utf-8"), "    ") in page, file
        assert LINE in page


class TestTheRules:
    def test_keep_the_contract_and_play_the_transcript(self, run: Run) -> None:
        files = (f"tests/engines/rules/{name}.py" for name in ("test_contract", "test_games"))
        assert " passed" in run("-m", "pytest", "-q", "-k", SLUG, *files).stdout

    def test_work_in_the_perft_and_replay_tools(self, run: Run) -> None:
        assert json.loads(run("-m", "engines", "perft", SLUG, "--size", "4").stdout)["counts"] == [16, 240]

    @pytest.mark.thorough
    def test_keep_all_other_promises_of_a_ruleset(self, run: Run) -> None:
        assert " passed" in run("-m", "pytest", "-q", "-k", SLUG, "tests/engines/rules").stdout

    @pytest.mark.thorough
    def test_are_searched_by_the_reference_bots(self, run: Run) -> None:
        assert " passed" in run("-m", "pytest", "-q", "-k", SLUG, "tests/engines/bots").stdout

    @pytest.mark.thorough
    def test_are_drawn_and_explained(self, run: Run) -> None:
        said = run("-m", "pytest", "-q", "-k", SLUG, "-m", "not browser and not realtime", "tests/frontend").stdout
        assert " passed" in said


@pytest.mark.thorough
class TestTheKit:
    @pytest.fixture
    def bot(self, run: Run, tmp_path: Path) -> Path:
        run("-m", "tournaments.kit.main", "new", tmp_path / "mine")
        return tmp_path / "mine"

    def test_creates_a_bot_that_plays_the_game(self, run: Run, bot: Path, tmp_path: Path) -> None:
        record = tmp_path / "game.json"
        run("-m", "tournaments.kit.main", "play", SLUG, bot, "greedy", "--size", "5", "--quiet", "--unsafe-local",
            "--record", record)
        assert json.loads(record.read_text())["result"]["ended_by"] == "rule"
        assert "this record is valid by the rules" in run("-m", "tournaments.kit.main", "replay", record).stdout

    def test_plays_a_series_from_openings(self, run: Run, bot: Path) -> None:
        said = run("-m", "tournaments.kit.main", "play", SLUG, bot, "random", "--games", "4", "--unsafe-local").stdout
        assert "2 of 2 pairs of games distinct" in said

    def test_checks_the_bot_in_the_game(self, run: Run, bot: Path) -> None:
        walls = () if shutil.which("bwrap") else ("--unsafe-local",)
        said = run("-m", "tournaments.kit.main", "check", bot, *walls).stdout
        assert "Lineup 6×6" in said
        assert "Passed: a site" in said


@pytest.mark.thorough
@pytest.mark.workers
class TestTheService:
    def test_plays_the_game_and_shows_it_on_its_pages(self, run: Run) -> None:
        said = run("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/tournaments/lineup_in_service.py").stdout
        assert " passed" in said
        assert " failed" not in said
