"""Drawings of a game: the board as SVG, frame by frame, the bots' views, and the side that is ahead."""

import re
from pathlib import Path
from xml.dom import minidom

import pytest
from django.utils.translation import override

from engines.check import size_up_to
from engines.records.replay import replay_document, rows_after
from engines.rules.registry import RULESETS
from frontend.drawing import board, views_plot
from frontend.drawing.lead import HEIGHT, graph
from frontend.templatetags.rules import won_game
from frontend.text.measures import captions
from tests.factories import make_event, make_version, play_event, random_record

SIZES = {slug: size_up_to(ruleset, 5) for slug, ruleset in RULESETS.items()}


def board_document(turns, *, size=3, cells=(), drawn="cells", goal_sides=False):
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

    def test_distinguishes_placed_recoloured_and_removed_stones_of_its_turn(self):
        for turns, turn, (stones, placed, changed, ghosts) in (
                ([[[0, 0]], [[8, 1], [4, 1]]], 2, ({0: 0, 8: 1, 4: 1}, [8, 4], [], {})),
                ([[[0, 0]], [[1, 1], [0, None]], [[5, 0]]], 2, ({1: 1}, [1], [], {0: 0})),
                ([[[0, 0]], [[1, 1], [0, None]], [[5, 0]]], 3, ({1: 1, 5: 0}, [5], [], {})),
                # A stone that removed itself.
                ([[[4, 0], [4, None]]], 1, ({}, [], [], {4: 0})),
                ([[[4, 0]], [[4, 1]]], 2, ({4: 1}, [], [4], {}))):
            frame = board.frame_at(board_document(turns), turn)
            assert (frame.stones, frame.placed, frame.changed, frame.ghosts) == (stones, placed, changed, ghosts), turns

    def test_rings_the_deciding_cells_only_on_the_last_turn_and_clamps_numbers(self):
        document = board_document([[[0, 0]], [[1, 1]]], cells=[0])
        frames = [board.frame_at(document, turn) for turn in (-5, 1, 2, 99)]
        assert [(frame.turn, frame.ringed) for frame in frames] == [(0, []), (1, []), (2, [0]), (2, [0])]


class TestSvg:
    def test_is_well_formed_inline_and_as_a_file(self):
        for slug, size in SIZES.items():
            document = replay_document(random_record(slug, size, ("<b>", '"&'), 5, most_plies=6).to_dict())
            frame = board.frame_at(document, 4)
            for svg in (board.svg(document, frame, '"><script>&'), board.standalone_svg(document, frame),
                        board.thumbnail(document)):
                minidom.parseString(svg)  # noqa: S318 — our own drawing

    def test_draws_goal_sides_only_if_the_ruleset_has_them(self):
        assert ["goal1" in board.background(board_document([], goal_sides=goals)) for goals in (True, False)] == [
            True, False]

    def test_draws_row_0_at_the_bottom_and_column_0_at_the_left(self):
        (x, y), (east, _), (_, north) = map(board.Geometry(3).centre, (0, 2, 6))
        assert x < east
        assert north < y

    def test_numbers_several_stones_of_a_turn_and_dots_a_single_one(self):
        several = board.layer(board_document([[[0, 0], [1, 0]]]), board.frame_at(board_document([[[0, 0], [1, 0]]]), 1))
        single = board.layer(board_document([[[0, 0]]]), board.frame_at(board_document([[[0, 0]]]), 1))
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


def lead_document(slug, *measures):
    """Return the replay document of turns with these counts and leaders."""
    return {"ruleset": {"slug": slug}, "turns": [
        {"measure": {"counts": counts, "leader": leader}} for counts, leader in measures]}


def heights(drawn):
    """Return the bars as (seat, turn, height), up for seat 0 and down for seat 1."""
    paths = [re.search(rf'class="s{seat}" d="([^"]*)"', drawn)[1] for seat in (0, 1)]
    return [(seat, int(turn) + 1, int(height)) for seat, path in enumerate(paths)
            for turn, height in re.findall(r"M(\d+)\.1 \d+v(-?\d+)", path)]


class TestTheCaption:
    def test_says_since_when_a_side_is_ahead(self):
        game = lead_document("square-grid-hex", ([[3, 3]], None), ([[3, 2]], 1), ([[2, 1]], 1), ([[None, 0]], 1))
        assert captions("square-grid-hex", game["turns"]) == [
            "Stones to connect: 3–3 · level", "Stones to connect: 3–2 · white ahead since turn 2",
            "Stones to connect: 2–1 · white ahead since turn 2",
            "Stones to connect: cut off – 0 · white ahead since turn 2"]

    def test_lists_the_outer_rings_and_the_one_that_decides(self):
        for counts, listed in (
                ([[3, 3], [1, 0]], "3–3, 1–0"), ([[3, 2], *[[1, 1]] * 5], "3–2, 1–1, 1–1, 1–1, …"),
                ([*[[1, 1]] * 5, [1, 0], [0, 0]], "1–1, 1–1, 1–1, 1–1, 1–1, 1–0, …")):
            assert captions("squaresquared", lead_document("squaresquared", (counts, 0))["turns"]) == [
                f"Stones on each ring, edge first: {listed} · black ahead since turn 1"]
        assert captions("removed", [{"text": "a1"}]) == [""]


class TestTheGraph:
    def test_draws_the_lead_of_each_turn_up_or_down(self):
        for slug, measures, turn, bars in (
                ("square-grid-hex", (([[3, 3]], None), ([[3, 2]], 1), ([[1, 5]], 0), ([[0, None]], 0)), 2,
                 [(0, 3, -20), (0, 4, -20), (1, 2, 5)]),
                # The pair that decides.
                ("squaresquared", (([[3, 3], [1, 5]], 1), ([[2, 1], [0, 5]], 0)), 1, [(0, 2, -5), (1, 1, 20)]),
                # The order of equal squares is a small lead.
                ("squ", (([[2, 2]], 1), ([[8, 2]], 0)), 1, [(0, 2, -20), (1, 1, 2)])):
            assert heights(graph(lead_document(slug, *measures), turn)) == bars, slug

    @pytest.mark.slow
    def test_links_every_turn_of_a_real_game_and_marks_one(self):
        for slug, ruleset in RULESETS.items():
            game = replay_document(random_record(slug, size_up_to(ruleset, 6), ("one", "two"), 3).to_dict())
            drawn = graph(game, 2)
            assert (drawn == "") == (not ruleset.caption), slug
            if ruleset.caption:
                minidom.parseString(drawn)  # noqa: S318 — our own drawing
                assert re.findall(r'href="\?turn=(\d+)"', drawn) == [
                    str(number + 1) for number in range(len(game["turns"]))]
                assert re.findall(r'class="now" x="(\d+)"', drawn) == ["1"]
                assert all(abs(height) <= HEIGHT / 2 for _, _, height in heights(drawn))

    def test_of_a_long_game_has_a_link_for_several_turns(self):
        drawn = graph(lead_document("squ", *[([[1, 2]], 1)] * 301), 300)
        links = re.findall(r'turn=(\d+)" tabindex="-1"><rect x="(\d+)" width="5">', drawn)
        assert links == [(str(first + 1), str(first)) for first in range(0, 301, 5)]

    def test_has_its_place_before_the_first_turn_but_not_without_a_measure(self):
        drawn = graph(lead_document("squ"), 0)
        assert ("<a" in drawn, "<svg" in drawn) == (False, True)
        assert graph(lead_document("removed"), 0) == ""
        assert graph({**lead_document("squ"), "older": True}, 0) == ""


class TestTheWonGame:
    def test_is_drawn_and_described_for_every_ruleset(self):
        for slug in RULESETS:
            with override("en"):
                drawn = won_game(slug)
            minidom.parseString(drawn)  # noqa: S318 — our own drawing
            assert re.search(r'aria-label="A finished game: \w+ won ', drawn), slug


@pytest.mark.django_db
class TestTheGamePage:
    def test_shows_the_ending_the_lead_of_the_turn_and_the_rules(self, client):
        event = play_event(make_event([make_version("Alder"), make_version("Basalt")], ruleset="squ", size=4))
        game = event.games.order_by("pk").first()
        page = client.get(f"/games/{game.pk}/?turn=2").content.decode()
        assert re.search(r"data-caption>Sides of the largest squares: \d–\d · ", page)
        assert '<rect class="now" x="1" width="1">' in page
        assert '<a class="goal-line" href="/rules/squ/">' in page
        ending = re.search(r'<meta name="description" content="([^"]*)"', page)[1]
        assert re.fullmatch(r"(Alder|Basalt) won \d–\d: the .* \([a-d]\d–[a-d]\d\)", ending)
        answer = client.get(f"/api/games/{game.pk}/").json()
        assert answer["ending"] == ending
        assert client.get("/api/games/").json()["results"][-1]["ending"].endswith(" won with the larger square")
