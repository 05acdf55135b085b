"""Public reading: answers follow the schema, come in pages, and take few queries."""

from base64 import b64encode
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from engines.rules.registry import RULESETS
from tests.factories import make_event, make_rating, make_version, play_event, play_match, spoil_match
from tests.tournaments.api import contract
from tests.tournaments.api.reading.conftest import Read
from tournaments.models import Event, Game, Match
from tournaments.services.ladders.ladders import create_ladder


class TestRulesets:
    def test_are_listed_and_read_individually(self, read: Read, anyone: APIClient) -> None:
        assert [ruleset["slug"] for ruleset in read("/api/rulesets/")] == list(RULESETS)
        squ = read("/api/rulesets/{slug}/", "squ")
        assert (squ["sizes"], squ["colours"]) == (list(RULESETS["squ"].sizes), list(RULESETS["squ"].colours))
        assert contract.problem(anyone.get("/api/rulesets/chess/")) == (
            404, f"There is no ruleset 'chess'. Use one of {', '.join(RULESETS)}.")


class TestBots:
    def test_include_their_newest_version(self, read: Read, event: Event) -> None:
        make_version("Morphy", rulesets=["squ"])
        morphy = read("/api/bots/")["results"][-1]
        assert (morphy["name"], morphy["owner"]) == ("Morphy", "mia")
        assert (morphy["newest"]["number"], morphy["newest"]["rulesets"]) == (2, ["squ"])
        assert read("/api/bots/{slug}/", morphy["slug"]) == morphy

    def test_are_found_by_owner_and_have_paged_versions(self, read: Read, event: Event) -> None:
        for _ in range(3):
            bot = make_version("Zukertort", owner="zoe").bot
        assert [bot["name"] for bot in read("/api/bots/", owner="zoe")["results"]] == ["Zukertort"]
        page = read("/api/bots/{slug}/versions/", bot.slug, limit=2)
        assert [version["number"] for version in page["results"]] == [3, 2]


class TestLadders:
    def test_are_listed_and_found_by_ruleset_and_size(self, read: Read, event: Event) -> None:
        create_ladder(ruleset="squ", size=6, base_seconds=1)
        assert len(read("/api/ladders/")["results"]) == 2
        assert read("/api/ladders/", ruleset="squ", size=6)["results"] == [
            read("/api/ladders/{slug}/", "squ-6x6-1s-0s")]
        assert read("/api/ladders/", ruleset="squ", size=8)["results"] == []

    def test_have_standings_with_intervals(self, read: Read, event: Event) -> None:
        lines = read("/api/ladders/{slug}/standings/", event.ladder.slug)["results"]
        assert [line["value"] for line in lines] == sorted((line["value"] for line in lines), reverse=True)
        assert all(line["high"] - line["low"] == pytest.approx(2 * line["plus_minus"]) for line in lines)
        assert all(line["low"] < line["value"] < line["high"] for line in lines)
        assert all(line["wins"] + line["draws"] + line["losses"] == line["games"] == 4 for line in lines)
        assert {line["version"] for line in lines} == {1}

    @pytest.mark.database
    def test_page_through_ratings_without_gaps(self, anyone: APIClient) -> None:
        ladder = create_ladder(ruleset="squ", size=6, base_seconds=1)
        for n in range(9):
            make_rating(ladder, make_version(f"Bot {n}"), 1500.0, rank=9 - n)
        lines = [line for page in _pages(anyone, f"/api/ladders/{ladder.slug}/standings/?limit=2")
                 for line in page["results"]]
        assert [line["name"] for line in lines] == [f"Bot {n}" for n in reversed(range(9))]


class TestEvents:
    def test_are_listed_and_found_by_status_and_ladder(self, read: Read, event: Event) -> None:
        make_event([make_version("Morphy"), make_version("Steinitz")], name="Next", started=False)
        assert [line["name"] for line in read("/api/events/")["results"]] == ["Next", event.name]
        assert [line["name"] for line in read("/api/events/", status="scheduled")["results"]] == ["Next"]
        assert [line["name"] for line in read("/api/events/", ladder=event.ladder.slug)["results"]] == [event.name]
        assert read("/api/events/{slug}/", event.slug)["status"] == "finished"

    def test_have_standings_and_progress_that_add_up(self, read: Read, event: Event) -> None:
        lines = read("/api/events/{slug}/standings/", event.slug)
        assert sum(line["score"]["points"] for line in lines) == Game.objects.count()
        assert all([seat["games"] for seat in line["seats"]] == [2, 2] for line in lines)
        assert [line["place"] for line in lines] == sorted(line["place"] for line in lines)
        assert all(line["rating"] and line["plus_minus"] for line in lines)
        progress = read("/api/events/{slug}/progress/", event.slug)
        assert (progress["games_done"], progress["games_total"], progress["share"]) == (6, 6, 1.0)
        assert progress["seconds_left"] is None

    def test_have_standings_before_they_start(self, read: Read, event: Event) -> None:
        later = make_event([make_version("Paulsen"), make_version("Boden")], size=6, started=False)
        lines = read("/api/events/{slug}/standings/", later.slug)
        assert [(line["score"]["games"], line["rating"]) for line in lines] == [(0, None), (0, None)]

    def test_have_a_symmetric_crosstable(self, read: Read, event: Event) -> None:
        rows = read("/api/events/{slug}/crosstable/", event.slug)
        assert [row["bot"] for row in rows] == [cell["opponent"] for cell in rows[0]["cells"]]
        scores = {(row["bot"], cell["opponent"]): cell["score"] for row in rows for cell in row["cells"]}
        for (bot, opponent), score in scores.items():
            if bot == opponent:
                assert score is None
            else:
                assert score["wins"] == scores[opponent, bot]["losses"]


class TestMatches:
    def test_show_the_result_of_every_attempt(self, read: Read, event: Event) -> None:
        other = make_event([make_version("Morphy"), make_version("Steinitz")], size=5)
        match = spoil_match(Match.objects.get(event=other), "the worker's disk was full")
        play_event(other)
        shown = read("/api/matches/{id}/", match.pk)
        assert [(attempt["status"], attempt["reason"]) for attempt in shown["attempts"]] == [
            ("void", "the worker's disk was full"), ("counted", "")]
        assert shown["games"] == list(match.games.order_by("number").values_list("pk", flat=True))
        assert read("/api/matches/", status="finished", event=other.slug)["results"] == [shown]
        assert read("/api/matches/", status="void")["results"] == []


LISTS = ["bots", "ladders", "events", "matches", "games"]
OPERATIONS = [
    *(f"/api/{name}/" for name in LISTS), "/api/bots/{bot}/", "/api/bots/{bot}/versions/", "/api/ladders/{ladder}/",
    "/api/ladders/{ladder}/standings/", "/api/events/{event}/", "/api/events/{event}/standings/",
    "/api/events/{event}/crosstable/", "/api/events/{event}/progress/", "/api/matches/{match}/", "/api/games/{game}/",
    "/api/games/{game}/replay/",
]
# A query that ends with "?" and the name of a filter, for the list before it.
FILTERS = ["bots/?owner", "ladders/?ruleset", "ladders/?size", "events/?status", "events/?ladder", "matches/?event",
           "matches/?status", "matches/?ruleset", "games/?bot", "games/?event", "games/?ruleset", "games/?ended_by",
           "games/?reason"]


class TestPages:
    @pytest.mark.slow
    def test_come_newest_first_and_link_to_each_other(self, anyone: APIClient, event: Event) -> None:
        _grow(event, 3)
        for name in LISTS:
            whole = anyone.get(f"/api/{name}/").json()["results"]
            pages = _pages(anyone, f"/api/{name}/?limit=2")
            assert [line for page in pages for line in page["results"]] == whole
            assert len(pages) == (len(whole) + 1) // 2
            assert anyone.get(pages[-1]["previous"]).json()["results"] == pages[-2]["results"]

    def test_have_1_to_200_rows(self, anyone: APIClient, event: Event, db: None) -> None:
        for limit in ("0", "-1", "201", "many", "null", "", "٣", "99999999999999999999"):
            assert contract.malformed(anyone.get("/api/games/", {"limit": limit})) == ["limit"], limit
        assert anyone.get("/api/games/", {"limit": "200"}).status_code == 200

    @pytest.mark.database
    def test_accept_or_refuse_a_made_up_cursor(self, anyone: APIClient, event: Event) -> None:
        ladder = f"/api/ladders/{event.ladder.slug}"
        answers = {}
        for position in ("abc", "1.5", "\0", "nan", "9" * 5000, "9" * 30, "-1"):
            cursor = b64encode(urlencode({"p": position}).encode()).decode()
            for path in ("/api/games/", f"{ladder}/standings/", f"{ladder}/table/"):
                answers[path, position[:30]] = anyone.get(path, {"cursor": cursor}).status_code
        assert {key: status for key, status in answers.items() if status not in {200, 404}} == {}


class TestMadeUpValues:
    @pytest.mark.database
    def test_of_keys_are_not_found(self, anyone: APIClient, event: Event) -> None:
        keys = ("0", "-1", "x", "1.5", "9" * 30, "%00", "..", "%F0%9F%98%80")
        paths = [f"/api/{name}/{key}/" for name in (*LISTS, "rulesets", "candidacies", "challenges")
                 for key in keys]
        assert {contract.problem(anyone.get(path))[0] for path in paths} == {404}

    @pytest.mark.database
    def test_of_filters_give_no_rows_or_the_invalid_field(self, anyone: APIClient, event: Event) -> None:
        failures = []
        for path, _, name in (query.partition("?") for query in FILTERS):
            for value in ("x", "9" * 30, "\0", "\ud800".encode("utf-8", "surrogatepass")):
                answer = anyone.get(f"/api/{path}", {name: value})
                if not (answer.json()["results"] == [] if answer.status_code == 200
                        else contract.malformed(answer) == [name]):
                    failures.append((path, name, value))
        assert failures == []


class TestQueries:
    @pytest.mark.slow
    def test_are_as_few_for_many_rows_as_for_few(self, anyone: APIClient, event: Event) -> None:
        few, many = self._count(anyone, 2), self._count(anyone, 3)
        assert few == many
        assert max(few.values()) <= 5

    def _count(self, anyone: APIClient, rows: int) -> dict[str, int]:
        """Return the number of queries per address with the given number of rows of each kind."""
        bots = [make_version(f"Bot {n} of {rows}") for n in range(rows + 1)]
        event = make_event(bots, name=f"Event of {rows}", size=5)
        _grow(event, rows)
        for _ in range(rows):
            make_version(bots[0].bot.name)
        game = Game.objects.filter(match__event=event)[0]
        return {operation: self._queries(anyone, operation.format(
            bot=bots[0].bot.slug, ladder=event.ladder.slug, event=event.slug, match=game.match_id, game=game.pk))
            for operation in OPERATIONS}

    def _queries(self, anyone: APIClient, path: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            assert anyone.get(path, {"limit": 100}).status_code == 200
        return len(queries)


def _pages(client: APIClient, address: str) -> list[dict[str, Any]]:
    """Return the page at the address and all pages that follow it."""
    pages = [client.get(address).json()]
    while pages[-1]["next"]:
        pages.append(client.get(pages[-1]["next"]).json())
    return pages


def _grow(event: Event, rows: int) -> None:
    """Play this many of the event's open matches, rate them, and add as many ladders and events."""
    for match in Match.objects.filter(event=event, status="queued").order_by("pk")[:rows]:
        play_match(match, most_plies=4)
    play_event(event, matches_to_play=0)
    bots = [make_version("Tarrasch"), make_version("Lasker")]
    for number in range(rows):
        create_ladder(ruleset="square-grid-hex", size=5, base_seconds=1 + number)
        make_event(bots, name=f"Small {number}", started=False)
