"""Uses of the native engine: the results are those of the Python rules, with it and without it."""

import json
import sys
from pathlib import Path
from random import Random
from statistics import fmean

import pytest

import engines.native
from engines.native import NativeMismatch, NativeMissing, check, native_position
from engines.native.replays import before_last
from engines.rules.registry import find, versions
from engines.rules.ruleset import Position
from engines.search.estimate import estimator_for
from engines.search.games import go_playouts, path_fills, paths, square_fills, squares
from engines.search.judge import judge_for
from engines.version import VERSION

GAMES = [json.loads(line) for line in
         (Path(__file__).parents[1] / "data/rules/games.jsonl").read_text(encoding="utf-8").splitlines()]

# Boards on which the stones have ended the game.
ENDED = {"square-grid-hex": ("1..", "1..", "1.."), "ooscg-w": ("1..", "1..", "1.."), "scware": ("1...",) * 4,
         "squ": ("1111", "2222", "1122", "1212")}
# Positions in which a turn may have two stones.
UNFINISHED = {"squ": find("squ").setup(("......",) * 5 + ("1.....",), 1),
              "scware": find("scware").setup(("......",) * 5 + ("2....2",), 1)}


def forget():
    engines.native.module.cache_clear()
    engines.native.available.cache_clear()


class TestLoading:
    def test_has_our_version_in_all_places(self, native):
        project = (Path(engines.native.__file__).parent / "pyproject.toml").read_text(encoding="utf-8")
        assert project.count(f'"{VERSION}"') == 2
        assert native.__version__ == VERSION

    def test_says_how_to_install_it(self, monkeypatch):
        monkeypatch.setattr(engines.native, "find", lambda: None)
        try:
            forget()
            with pytest.raises(NativeMissing, match=r"not installed: pip install \./engines/native in the checkout"):
                engines.native.module()
            assert not engines.native.available()
        finally:
            forget()

    def test_warns_if_the_installed_one_cannot_be_used(self, monkeypatch, tmp_path):
        tmp_path.joinpath("squarefield").mkdir()
        tmp_path.joinpath("squarefield/_native.py").write_text("__version__, RULES = '0.9.0', {}")
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
        monkeypatch.delitem(sys.modules, "squarefield._native", raising=False)
        try:
            forget()
            with pytest.warns(RuntimeWarning, match=r"cannot use squarefield-native 0\.9\.0"):
                assert not engines.native.available()
        finally:
            forget()

    def test_refuses_another_version(self):
        with pytest.raises(NativeMismatch, match=rf"squarefield {VERSION} cannot use squarefield-native 0\.9\.0"):
            check("0.9.0", versions())

    def test_refuses_other_rules(self):
        with pytest.raises(NativeMismatch, match="version 9 of the rules of squ, and squarefield has 1"):
            check(VERSION, {"squ": 9})


class TestPosition:
    def test_refuses_bad_input_with_a_sentence(self, native):
        with pytest.raises(ValueError, match="does not know the ruleset chess"):
            native.Position.start("chess", 8)
        with pytest.raises(ValueError, match="2 to 19 cells per side, not 20"):
            native.Position.start("scware", 20)
        with pytest.raises(ValueError, match="stones must be 81 bytes, not 3"):
            native.Position.setup("scware", 9, b"\0\1\2", 0, native.Facts.of())
        position = native.Position.start("square-grid-hex", 3)
        position.add(4)
        with pytest.raises(ValueError, match=r"action 4, a stone on b2, is not legal in .* square-grid-hex"):
            position.add(4)
        assert position.stones == bytes([0, 0, 0, 0, 1, 0, 0, 0, 0])


    def test_refuses_a_turn_after_the_end(self, native):
        rng = native.Rng(1)
        for slug, rows in ENDED.items():
            over = native_position(find(slug).setup(rows))
            assert over.over, slug
            for ask in (over.random_turn, over.random_action):
                with pytest.raises(ValueError, match="the game is over"):
                    ask(rng)
            assert not over.actions()
            assert over.play_out(rng) == 0
            assert sum(over.playouts(2, 1)) == 2

    def test_sees_that_the_stones_end_the_game(self, native):
        for slug, rows in ENDED.items():
            python = find(slug).setup(rows)
            record = getattr(python, "record", None)
            facts = native.Facts.of(record=record.length, record_seat=record.seat) if record else native.Facts.of()
            board = native.Position.setup(slug, python.size, python.stones, 0, facts)
            assert (board.winner, board.reason) == (python.outcome.winner, python.outcome.reason.value), slug
        with pytest.raises(ValueError, match="has a crosscut"):
            native.Position.setup("ooscg-w", 3, bytes([1, 2, 0, 2, 1, 0, 0, 0, 0]), 0, native.Facts.of())

    def test_refuses_numbers_out_of_range(self, native):
        board, rng = native.Position.start("squ", 6), native.Rng(1)
        for ask, words in ((lambda: board.sample(0, 1, 9), "playouts must be at least 1, not 0"),
                           (lambda: board.sample(1, 1, -1), "turns must be at least 0, not -1"),
                           (lambda: board.perft(-1), "depth must be at least 0, not -1"),
                           (lambda: rng.below(0), "bound must be at least 1, not 0"),
                           (lambda: native.Facts.of(winner=2), "winner -1, 0 or 1"),
                           (lambda: native.Facts.of(record=20), "record must be 0 to 19"),
                           (lambda: native.Facts.of(record_seat=-1), "its seat 0 or 1"),
                           (lambda: native.Facts.of(reason="boredom"), "one of Python's endings")):
            with pytest.raises(ValueError, match=words):
                ask()

    def test_completes_an_unfinished_turn(self, native):
        for slug, first in (("squ", 3), ("scware", 1)):
            for seed in range(10):
                board = native_position(UNFINISHED[slug])
                board.add(first)
                assert board.partial == (first,)
                assert not board.play((first + 1,))
                board.random_turn(native.Rng(seed))
                before = UNFINISHED[slug].stones
                turn = tuple(cell for cell, stone in enumerate(board.stones) if stone != before[cell])
                assert first in turn
                assert UNFINISHED[slug].is_legal(turn), (slug, seed, turn)


def last_but_one(game) -> Position | None:
    ruleset = find(game["ruleset"])
    return before_last(ruleset, game["size"], [ruleset.start(game["size"]).parse(text) for text in game["turns"]])


def written_well(game):
    """Return the game with the stones of each turn in the order of a record, and its position before the last turn."""
    position, turns = find(game["ruleset"]).start(game["size"]), []
    for text in game["turns"]:
        before, turn = position, position.parse(text)
        turns.append(position.format(turn))
        position = position.play(turn)
    return {**game, "turns": turns}, before


class TestReplay:
    def test_reaches_the_position_of_the_python_rules(self, native):
        for game, before in map(written_well, GAMES):
            assert last_but_one(game) == before, game

    def test_leaves_a_game_with_a_fault_to_python(self, native):
        for game in GAMES:
            turns = [*game["turns"][:3], game["turns"][0], *game["turns"][3:]]
            assert last_but_one({**game, "turns": turns}) is None
        # A stone that starts a group is written last.
        assert before_last(find("scware"), 9, [(40,), (0,), (41,), (0, 9), (60,)]) is None


class TestSearcher:
    @pytest.mark.parametrize(("slug", "size"), [("square-grid-hex", 11), ("ooscg-w", 9), ("scware", 13)])
    def test_evaluates_paths_to_the_last_bit_as_in_python(self, native, slug, size, monkeypatch):
        rng, position, seen = Random(4), find(slug).start(size), []
        while position.outcome is None:
            seen.append(position.stones)
            position = position.after(position.random_turn(rng))
        asked = [(stones, seat) for stones in seen for seat in (0, 1)]

        def answers():
            return [(paths.shares(stones, size, seat, hexagonal=hexagonal),
                     paths.distance(stones, size, seat, hexagonal=hexagonal))
                    for stones, seat in asked for hexagonal in (False, True)]

        fast = answers()
        monkeypatch.setattr(paths, "available", lambda: False)
        assert fast == answers()

    @pytest.mark.parametrize(("slug", "size"), [("square-grid-hex", 11), ("ooscg-w", 9), ("scware", 13)])
    def test_counts_fillings_as_in_python(self, native, slug, size, monkeypatch):
        position = find(slug).start(size).play((size + 1,))
        answers = []
        for fast in (True, False):
            monkeypatch.setattr(path_fills, "available", lambda fast=fast: fast)
            sample = estimator_for(slug).sample(position, (), Random(6))
            answers.append((sample.value, sample.after(tuple(range(size * size)))))
        assert answers[0] == answers[1]

    def test_evaluates_squares_to_the_last_bit_as_in_python(self, native, monkeypatch):
        rng, position, asked = Random(4), find("squ").start(8), []
        while position.outcome is None:
            turn = position.random_turn(rng)
            asked += [(position, ()), (position, turn[:-1])]
            position = position.after(turn)

        def answers():
            found, seeded = [], Random(6)
            for position, partial in asked:
                steps, sample = position.steps(partial).next, estimator_for("squ").sample(position, partial, seeded)
                found.append((sample.value, sample.after(steps), judge_for("squ").rank(position, partial, steps)))
            return found

        fast = answers()
        for module in (square_fills, squares):
            monkeypatch.setattr(module, "available", lambda: False)
        assert fast == answers()

    def test_refuses_bits_for_another_board(self, native):
        with pytest.raises(ValueError, match="64 bytes for each empty cell"):
            native.Discs.of(bytes(16), 4, 0, 1, 0, -1).fill(bytes(64))


class TestPlayouts:
    def test_of_squaresquared_give_the_chances_of_the_python_playouts(self, native, monkeypatch):
        stones = find("squaresquared").setup(["..1..", ".12..", ".....", "..2..", "....."], 0)
        values = []
        for fast in (True, False):
            monkeypatch.setattr(go_playouts, "knows", lambda slug, fast=fast: fast)
            rng, estimator = Random(3), estimator_for("squaresquared")
            samples = [estimator.sample(stones, (), rng) for _ in range(200)]
            values.append((fmean(sample.value for sample in samples),
                           [sum(held) / 800 for held in zip(*(sample.held for sample in samples), strict=True)]))
        assert values[0][0] == pytest.approx(values[1][0], abs=0.1)
        assert values[0][1] == pytest.approx(values[1][1], abs=0.1)
