"""The side that is ahead, under the board: the caption of each turn, and the graph."""

import re
from xml.dom import minidom

import pytest
from django.utils.translation import override

from engines.check import size_up_to
from engines.records.replay import replay_document
from engines.rules.registry import RULESETS
from frontend.drawing.lead import HEIGHT, graph
from frontend.templatetags.rules import won_game
from frontend.text.measures import captions
from tests.factories import make_event, make_version, play_event, random_record


def document(slug, *measures):
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
        game = document("square-grid-hex", ([[3, 3]], None), ([[3, 2]], 1), ([[2, 1]], 1), ([[None, 0]], 1))
        assert captions("square-grid-hex", game["turns"]) == [
            "Stones to connect: 3–3 · level", "Stones to connect: 3–2 · white ahead since turn 2",
            "Stones to connect: 2–1 · white ahead since turn 2",
            "Stones to connect: cut off – 0 · white ahead since turn 2"]

    def test_lists_the_outer_rings_and_the_one_that_decides(self):
        for counts, listed in (
                ([[3, 3], [1, 0]], "3–3, 1–0"), ([[3, 2], *[[1, 1]] * 5], "3–2, 1–1, 1–1, 1–1, …"),
                ([*[[1, 1]] * 5, [1, 0], [0, 0]], "1–1, 1–1, 1–1, 1–1, 1–1, 1–0, …")):
            assert captions("squaresquared", document("squaresquared", (counts, 0))["turns"]) == [
                f"Stones on each ring, edge first: {listed} · black ahead since turn 1"]

    def test_is_missing_where_nothing_is_measured(self):
        assert captions("removed", [{"text": "a1"}]) == [""]


class TestTheGraph:
    def test_draws_the_lead_of_each_turn_up_or_down(self):
        game = document("square-grid-hex", ([[3, 3]], None), ([[3, 2]], 1), ([[1, 5]], 0), ([[0, None]], 0))
        assert heights(graph(game, 2)) == [(0, 3, -20), (0, 4, -20), (1, 2, 5)]

    def test_draws_the_deciding_pair(self):
        game = document("squaresquared", ([[3, 3], [1, 5]], 1), ([[2, 1], [0, 5]], 0))
        assert heights(graph(game, 1)) == [(0, 2, -5), (1, 1, 20)]

    def test_draws_the_order_of_equal_squares_as_a_small_lead(self):
        assert heights(graph(document("squ", ([[2, 2]], 1), ([[8, 2]], 0)), 1)) == [(0, 2, -20), (1, 1, 2)]

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
        drawn = graph(document("squ", *[([[1, 2]], 1)] * 301), 300)
        links = re.findall(r'turn=(\d+)" tabindex="-1"><rect x="(\d+)" width="5">', drawn)
        assert links == [(str(first + 1), str(first)) for first in range(0, 301, 5)]

    def test_has_its_place_before_the_first_turn_but_not_without_a_measure(self):
        assert "<a" not in graph(document("squ"), 0)
        assert "<svg" in graph(document("squ"), 0)
        assert graph(document("removed"), 0) == ""
        assert graph({**document("squ"), "older": True}, 0) == ""


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
