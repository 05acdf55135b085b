"""The board as SVG: frames from replay documents, and their drawings."""

from pathlib import Path
from xml.dom import minidom

from engines.check import size_up_to
from engines.records.replay import replay_document, rows_after
from engines.rules.registry import RULESETS
from frontend.drawing import board, views_plot
from tests.factories import random_record

SIZES = {slug: size_up_to(ruleset, 5) for slug, ruleset in RULESETS.items()}


def _document(turns, *, size=3, cells=(), drawn="cells", goal_sides=False):
    return {"board": {"size": size, "drawn": drawn, "goal_sides": goal_sides}, "initial": [],
            "turns": [{"seat": i % 2, "text": "", "ops": ops} for i, ops in enumerate(turns)],
            "result": {"cells": list(cells), "reason": ""}}


class TestFrame:
    def test_has_the_stones_of_the_rules_engine_on_every_turn(self):
        for slug, size in SIZES.items():
            document = replay_document(random_record(slug, size, ("one", "two"), 3).to_dict())
            for turn in range(len(document["turns"]) + 1):
                stones = board.frame_at(document, turn).stones
                rows = ["".join(".12"[stones.get(row * size + column, -1) + 1] for column in range(size))
                        for row in range(size - 1, -1, -1)]
                assert rows == rows_after(document, turn), (slug, turn)

    def test_lists_the_last_turns_stones_in_order_of_placement(self):
        frame = board.frame_at(_document([[[0, 0]], [[8, 1], [4, 1]]]), 2)
        assert (frame.placed, frame.changed, frame.ghosts) == ([8, 4], [], {})

    def test_shows_removed_stones_as_ghosts_for_one_turn(self):
        document = _document([[[0, 0]], [[1, 1], [0, None]], [[5, 0]]])
        assert board.frame_at(document, 2).ghosts == {0: 0}
        assert board.frame_at(document, 3).ghosts == {}

    def test_shows_a_stone_that_removed_itself_as_a_ghost(self):
        frame = board.frame_at(_document([[[4, 0], [4, None]]]), 1)
        assert (frame.stones, frame.placed, frame.ghosts) == ({}, [], {4: 0})

    def test_distinguishes_recoloured_from_new_stones(self):
        frame = board.frame_at(_document([[[4, 0]], [[4, 1]]]), 2)
        assert (frame.placed, frame.changed, frame.stones) == ([], [4], {4: 1})

    def test_rings_the_deciding_cells_only_on_the_last_turn(self):
        document = _document([[[0, 0]], [[1, 1]]], cells=[0])
        assert [board.frame_at(document, turn).ringed for turn in range(3)] == [[], [], [0]]

    def test_clamps_turn_numbers(self):
        assert [board.frame_at(_document([[[0, 0]], [[1, 1]]]), asked).turn for asked in (-5, 99)] == [0, 2]


class TestSvg:
    def test_is_well_formed_inline_and_as_a_file(self):
        for slug, size in SIZES.items():
            document = replay_document(random_record(slug, size, ("<b>", '"&'), 5, most_plies=6).to_dict())
            frame = board.frame_at(document, 4)
            for svg in (board.svg(document, frame, '"><script>&'), board.standalone_svg(document, frame),
                        board.thumbnail(document)):
                minidom.parseString(svg)  # noqa: S318 — our own drawing

    def test_draws_goal_sides_only_if_the_ruleset_has_them(self):
        frame = board.frame_at(_document([]), 0)
        assert "goal1" in board.background(_document([], goal_sides=True))
        assert "goal1" not in board.background(_document([]))
        assert frame.stones == {}

    def test_draws_row_0_at_the_bottom_and_column_0_at_the_left(self):
        geometry = board.Geometry(3)
        (x, y), (x_east, _), (_, y_north) = geometry.centre(0), geometry.centre(2), geometry.centre(6)
        assert x < x_east
        assert y_north < y

    def test_numbers_several_stones_of_a_turn_and_dots_a_single_one(self):
        several = board.layer(_document([[[0, 0], [1, 0]]]), board.frame_at(_document([[[0, 0], [1, 0]]]), 1))
        single = board.layer(_document([[[0, 0]]]), board.frame_at(_document([[[0, 0]]]), 1))
        assert (several.count(">1</text>"), several.count(">2</text>"), several.count("dot")) == (1, 1, 0)
        assert (single.count("dot on0"), single.count("<text")) == (1, 0)

    def test_has_the_light_colours_as_a_file(self):
        sheet = Path(board.__file__).parents[1].joinpath("static").joinpath("frontend", "site.css").read_text()
        for name in ("board", "last", "accent", "board-line"):
            colour = sheet.split(f"--{name}: light-dark(")[1].split(",")[0]
            assert colour in board.STANDALONE_STYLE


class TestTheBotsViews:
    """The plot of the chances that the bots reported, and where they disagree."""

    def reported(self, *wins):
        record = random_record("square-grid-hex", 5, ("<b>one", "two"), 3).to_dict()
        for turn, win in zip(record["turns"], wins, strict=False):
            if win is not None:
                turn["view"] = {"win": win}
        return replay_document(record)

    def test_are_empty_if_no_bot_reported_a_chance(self):
        document = self.reported()
        document["turns"][0]["view"] = {"nodes": 12}
        assert (views_plot.views_plot(document), views_plot.widest_gap(document)) == ("", ())

    def test_are_chances_of_the_first_seat(self):
        document = self.reported(0.5, 0.5, 0.75, None, 0.25)
        assert [chance for _, _, chance in views_plot.chances(document)] == [0.5, 0.5, 0.75, 0.25]
        drawn = minidom.parseString(views_plot.views_plot(document))  # noqa: S318 - our own
        assert [mark.getAttribute("href") for mark in drawn.getElementsByTagName("a")] == [
            f"?turn={turn}" for turn in (1, 2, 3, 5)]

    def test_differ_most_where_successive_estimates_of_the_two_bots_do(self):
        assert views_plot.widest_gap(self.reported(0.9, 0.3, 0.9, 0.6, 0.9)) == (3, 4)
        assert views_plot.widest_gap(self.reported(0.6, 0.6, 0.6)) == ()
