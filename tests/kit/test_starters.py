import shlex
import shutil
import subprocess
import tempfile
import tomllib
from pathlib import Path

import pytest

from engines.bots import REFERENCE_BOTS
from engines.check import board_of
from engines.records.record import verify
from engines.records.time_control import TimeControl
from engines.referee.play import Player, play_game
from engines.rules.registry import RULESETS
from engines.sandbox import Runtime, Sandbox, SandboxUnavailable
from engines.sandbox.archives.unpack import pack
from engines.sandbox.staging.submission import read_submission
from tournaments.kit.new import LANGUAGES, TEMPLATES

pytestmark = pytest.mark.serial

SIZES = {"square-grid-hex": 4, "squaresquared": 4}
# The rulesets of the starters that bring their own implementation of the rules.
FIVE = ("scware", "ooscg-w", "squ", "square-grid-hex", "squaresquared")
OURS = [language for language in LANGUAGES if language != "python"]  # those that implement the rules themselves
DAILY = ("python", "c++")
EVERY = [pytest.param(language, marks=[] if language in DAILY else [pytest.mark.thorough]) for language in LANGUAGES]


@pytest.fixture(scope="module")
def sandbox():
    """Return a sandbox outside pytest's own directory, which the users of bots cannot enter."""
    with tempfile.TemporaryDirectory(prefix="squarefield-tests-") as directory:
        Path(directory).chmod(0o711)
        try:
            with Sandbox.open(Runtime(Path(directory, "runtime"))) as sandbox:
                yield sandbox
        except SandboxUnavailable as reason:
            pytest.skip(str(reason))


@pytest.mark.parametrize("language", EVERY)
class TestAStarter:
    @pytest.mark.slow
    def test_plays_all_its_rulesets_from_both_seats(self, language, starter, sandbox):
        builds = [sandbox.runtime.stage_directory(path, sandbox=sandbox)
                  for path in (starter(language), REFERENCE_BOTS["random"])]
        players = [Player(build.manifest.name, lambda build=build: sandbox.start(build)) for build in builds]
        for slug in builds[0].manifest.rulesets:
            ruleset = RULESETS[slug]
            for seats in (players, players[::-1]):
                size = SIZES.get(slug) or board_of(ruleset)
                record = play_game(ruleset, size, tuple(seats), time_control=TimeControl(20.0, 1.0))
                assert record.fault is None, (slug, record.fault, record.stderr)
                verify(record)

    def test_is_packed_as_a_submission(self, language, starter):
        manifest = read_submission(pack(starter(language)))
        assert manifest.name == f"{language}-starter"
        assert manifest.rulesets == (FIVE if language in OURS else tuple(RULESETS))

    def test_marks_where_its_author_begins(self, language):
        directory = TEMPLATES / LANGUAGES[language]
        source, = (path for path in directory.iterdir() if path.stem in {"bot", "Bot"} and path.suffix != ".toml")
        assert "Choose your turn here" in source.read_text()
        assert "choose" in (directory / "README.md").read_text()


def answers_of(starter, language, lines):
    """Return the starter's answers to these lines, without a sandbox."""
    directory = Path(starter(language))
    with tempfile.TemporaryDirectory() as work:
        copy = shutil.copytree(directory, Path(work, "bot"))
        stated = tomllib.loads((copy / "bot.toml").read_text())
        if "build" in stated:
            subprocess.run(shlex.split(stated["build"]), cwd=copy, check=True)
        done = subprocess.run(stated["run"], input="\n".join([*lines, "quit", ""]), cwd=copy, capture_output=True,
                              text=True, check=True, timeout=600)
    answers = [answer.strip() for answer in done.stdout.split("\n\n")]
    assert all(answer.startswith("=") for answer in answers if answer), (answers, done.stderr)
    return [answer.removeprefix("=").strip() for answer in answers]


# Rows from the north, and the seat to move.
HARD = {
    "two stones that are legal only together": ("scware", ["2221", "2121", "22.1", "11.2"], 1),
    "nothing legal": ("scware", ["1212", "2121", "1212", "212."], 0),
    "a corner between own stones": ("scware", ["2....", "....1", "...1.", ".1...", "1...2"], 0),
    "fewer bonus stones than were removed": ("ooscg-w", ["12111", "1222.", "2.212", "2221.", "11212"], 0),
    "two bonus stones": ("ooscg-w", [".....", ".12..", ".2...", ".....", "....."], 0),
    "the last disc": ("squ", ["1212", "2121", "1212", "212."], 0),
    "a suicide": ("squaresquared", [".1..", "1.1.", ".1..", "...."], 1),
    "a swap": ("square-grid-hex", ["....", "..1.", "....", "...."], 1),
}


@pytest.mark.slow
@pytest.mark.parametrize("language", [param for param in EVERY if param.values[0] in OURS])
class TestTheRulesOfAStarter:
    def test_hold_in_hard_positions(self, language, starter):
        lines, asked = [], []
        for slug, rows, seat in list(HARD.values()) * 5:
            ruleset = RULESETS[slug]
            position = ruleset.setup(rows, seat)
            lines += [f"set_ruleset {slug}", f"boardsize {len(rows)}", "clear_board"]
            # A starter trusts the referee, so a whole position can be sent as one turn of each side.
            for colour, stone in zip(ruleset.colours, b"\1\2", strict=True):
                cells = tuple(cell for cell, there in enumerate(position.stones) if there == stone)
                if slug in {"ooscg-w", "squaresquared"}:
                    lines += [f"play {colour} {position.format((cell,))}" for cell in cells]
                elif cells:
                    lines.append(f"play {colour} {','.join(position.format((cell,)) for cell in cells)}")
            lines.append(f"genmove {ruleset.colours[seat]}")
            asked.append((len(lines) - 1, position))
        answers = answers_of(starter, language, lines)
        for number, position in asked:
            position.check(position.parse(answers[number].partition("\n")[0]))
