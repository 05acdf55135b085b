"""The reference bots run like any other bot: child processes started by their bot.toml, with every turn checked."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from engines.bots import REFERENCE_BOTS
from engines.check import size_up_to
from engines.manifest import Manifest, parse_manifest
from engines.rules.registry import RULESETS
from engines.rules.ruleset import Position
from engines.sandbox.staging.sdk_copy import stage_sdk
from engines.view import View

SCRATCH = TemporaryDirectory(prefix="squarefield-bots-")
SMALL = {slug: size_up_to(ruleset, 4) for slug, ruleset in RULESETS.items()}
# Repeatable games; the searcher is limited to few leaves so that games are short.
ARGUMENTS = {"random": ["5"], "greedy": ["5"], "montecarlo": ["5", "12"], "searcher-1": ["5"], "searcher": ["5", "12"],
             "champion": ["5", "12"]}


@cache
def package() -> Path:
    """Return a directory with the package `squarefield`, as bots have it in a sandbox."""
    return stage_sdk(Path(SCRATCH.name))


@pytest.fixture(scope="module", autouse=True)
def staged() -> None:
    """Write the package before the first test, which need not pay for it."""
    package()


def manifest(bot: str) -> Manifest:
    return parse_manifest((REFERENCE_BOTS[bot] / "bot.toml").read_text(encoding="utf-8"))


class Child:
    """A bot's process, with requests and replies line by line."""

    def __init__(self, bot: str, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*manifest(bot).command, *(arguments or ARGUMENTS.get(bot, ["5"]))], cwd=REFERENCE_BOTS[bot], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(package())})

    def ask(self, command: str) -> str:
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline()) not in ("\n", ""):
            lines.append(line.rstrip("\n"))
        answer = "\n".join(lines)
        assert answer.startswith("="), (command, answer, self.process.poll())
        return answer[1:].strip()


@contextmanager
def playing(bot: str, *arguments: str) -> Iterator[Child]:
    child = Child(bot, *arguments)
    try:
        yield child
        child.ask("quit")
        _, complaints = child.process.communicate(timeout=600)
        assert (complaints, child.process.returncode) == ("", 0)
    finally:
        child.process.kill()
        child.process.communicate()


def play_out(position: Position, bots: tuple[Child, Child]) -> Position:
    """Play a game to its end, checking every turn with the rules, and return the last position."""
    for _ in range(200):
        seat = position.seat_to_move
        colour = position.colours[seat]
        bots[seat].ask(f"time_left {colour} 3 0")
        said, _, view = bots[seat].ask(f"genmove {colour}").partition("\n")
        assert not view or View.parse(view)
        turn = position.parse(said)
        assert position.format(turn) == said
        position = position.play(turn)
        if position.outcome is not None:
            break
        bots[1 - seat].ask(f"play {colour} {said}")
    return position


class TestReferenceBots:
    @pytest.mark.parametrize("bot", ARGUMENTS)
    def test_play_complete_games_of_legal_turns_over_pipes(self, bot: str) -> None:
        with playing(bot) as first, playing("random") as second:
            for game, slug in enumerate((*RULESETS, *RULESETS)):
                pair = (first, second) if game < len(RULESETS) else (second, first)
                for child in pair:
                    for command in (f"set_ruleset {slug}", f"boardsize {SMALL[slug]}", "clear_board",
                                    "time_settings 3 0.1 1"):
                        child.ask(command)
                position = play_out(RULESETS[slug].start(SMALL[slug]), pair)
                # Random games of SquareSquared can be too long for a test.
                assert position.outcome is not None or slug == "squaresquared"

    def test_have_a_manifest_with_their_name_and_all_rulesets(self) -> None:
        for bot, directory in REFERENCE_BOTS.items():
            assert manifest(bot).name == bot
            assert manifest(bot).rulesets == tuple(RULESETS)
            assert (directory / manifest(bot).command[-1]).is_file()

    def test_montecarlo_is_short_enough_to_learn_from(self) -> None:
        lines = map(str.strip, (REFERENCE_BOTS["montecarlo"] / "main.py").read_text(encoding="utf-8").splitlines())
        assert sum(not line.startswith(('"""', "#")) for line in lines if line) <= 60

    @pytest.mark.parametrize("bot", REFERENCE_BOTS)
    def test_answer_with_the_least_time_left(self, bot: str) -> None:
        with playing(bot) as child:
            assert child.ask("name") == bot
            for command in ("set_ruleset scware", "boardsize 9", "clear_board", "time_settings 1 0 0",
                            "time_left white 0 0"):
                child.ask(command)
            position = RULESETS["scware"].start(9)
            assert position.is_legal(position.parse(child.ask("genmove white").partition("\n")[0]))

    @pytest.mark.parametrize("bot", ARGUMENTS)
    def test_repeat_their_games_with_the_same_seed(self, bot: str) -> None:
        games = []
        for _ in range(2):
            with playing(bot) as child:
                for command in ("set_ruleset ooscg-w", "boardsize 5", "clear_board"):
                    child.ask(command)
                games.append([child.ask(f"genmove {colour}") for colour in ("red", "blue", "red", "blue")])
        assert games[0] == games[1]
