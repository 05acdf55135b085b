"""Public reading: answers follow the schema, come in pages, and take few queries."""

from base64 import b64encode
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from engines.records.replay import replay_document
from engines.rules.registry import RULESETS
from ratings.models import Rating
from tests.factories import make_event, make_version, play_event, play_match, spoil_match
from tests.tournaments.api import contract
from tournaments.models import Event, Game, Match
from tournaments.services.ladders.ladders import create_ladder

Read = Callable[..., Any]


@pytest.fixture
def event(db: None) -> Event:
    """A finished round-robin of three bots; one game was lost by conduct."""
    event = make_event([make_version(name) for name in ("Morphy", "Anderssen", "Steinitz")], size=5)
    play_match(Match.objects.order_by("pk")[0], fault_after=3)
    return play_event(event)


@pytest.fixture
def read(anyone: APIClient) -> Read:
    """Return a function that gets an operation without sign-in and returns its JSON, checked against the schema."""

    def get(operation: str, key: object = "", **query: Any) -> Any:
        response = anyone.get(operation.replace("{slug}", str(key)).replace("{id}", str(key)), query)
        assert response.status_code == 200, response.content
        contract.check(response, operation)
        return response.json()

    return get


class TestRulesets:
    def test_are_listed_with_their_facts(self, read) -> None:
        assert [ruleset["slug"] for ruleset in read("/api/rulesets/")] == list(RULESETS)

    def test_are_read_individually(self, read) -> None:
        squ = read("/api/rulesets/{slug}/", "squ")
        assert squ["sizes"] == list(RULESETS["squ"].sizes)
        assert squ["colours"] == list(RULESETS["squ"].colours)

    def test_are_listed_in_the_error_for_an_unknown_one(self, anyone: APIClient) -> None:
        response = anyone.get("/api/rulesets/chess/")
        assert contract.problem(response) == (404, f"There is no ruleset 'chess'. Use one of {', '.join(RULESETS)}.")


class TestBots:
    def test_include_their_newest_version(self, read: Read, event: Event) -> None:
        make_version("Morphy", rulesets=["squ"])
        morphy = read("/api/bots/")["results"][-1]
        assert (morphy["name"], morphy["owner"]) == ("Morphy", "mia")
        assert (morphy["newest"]["number"], morphy["newest"]["rulesets"]) == (2, ["squ"])
        assert read("/api/bots/{slug}/", morphy["slug"]) == morphy

    def test_are_found_by_owner(self, read: Read, event: Event) -> None:
        make_version("Zukertort", owner="zoe")
        assert [bot["name"] for bot in read("/api/bots/", owner="zoe")["results"]] == ["Zukertort"]

    def test_have_paged_versions(self, read: Read, db: None) -> None:
        for _ in range(3):
            bot = make_version("Morphy").bot
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
        assert all(line["provisional"] and line["plus_minus"] > 100 for line in lines)
        assert all(line["wins"] + line["draws"] + line["losses"] == line["games"] == 4 for line in lines)
        assert {line["version"] for line in lines} == {1}

    def test_page_through_equal_ratings_without_gaps(self, anyone: APIClient, db: None) -> None:
        ladder = create_ladder(ruleset="squ", size=6, base_seconds=1)
        Rating.objects.bulk_create(
            Rating(ladder=ladder, bot=make_version(f"Bot {n}").bot, value=1500 + n % 2, information=0.0, games=0,
                   wins=0, draws=0, rank=1) for n in range(9))
        pages = _pages(anyone, f"/api/ladders/{ladder.slug}/standings/?limit=2")
        lines = [line for page in pages for line in page["results"]]
        assert sorted(line["name"] for line in lines) == [f"Bot {n}" for n in range(9)]
        assert [line["value"] for line in lines] == [1501] * 4 + [1500] * 5
        assert all(line["plus_minus"] is None for line in lines)


class TestEvents:
    def test_are_listed_and_found_by_status_and_ladder(self, read: Read, event: Event) -> None:
        make_event([make_version("Morphy"), make_version("Steinitz")], name="Next", started=False)
        assert [line["name"] for line in read("/api/events/")["results"]] == ["Next", "Autumn Round Robin"]
        assert [line["name"] for line in read("/api/events/", status="scheduled")["results"]] == ["Next"]
        assert [line["name"] for line in read("/api/events/", ladder=event.ladder.slug)["results"]] == [event.name]
        assert read("/api/events/{slug}/", event.slug)["status"] == "finished"

    def test_have_standings_that_add_up(self, read: Read, event: Event) -> None:
        lines = read("/api/events/{slug}/standings/", event.slug)
        assert sum(line["score"]["points"] for line in lines) == Game.objects.count()
        assert all([seat["games"] for seat in line["seats"]] == [2, 2] for line in lines)
        assert [line["place"] for line in lines] == sorted(line["place"] for line in lines)
        assert all(line["rating"] and line["plus_minus"] for line in lines)

    def test_have_standings_before_they_start(self, read: Read, db: None) -> None:
        event = make_event([make_version("Morphy"), make_version("Steinitz")], started=False)
        lines = read("/api/events/{slug}/standings/", event.slug)
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

    def test_report_their_progress(self, read: Read, event: Event) -> None:
        progress = read("/api/events/{slug}/progress/", event.slug)
        assert (progress["games_done"], progress["games_total"], progress["share"]) == (6, 6, 1.0)
        assert progress["seconds_left"] is None


class TestMatches:
    def test_show_the_result_of_every_attempt(self, read: Read, db: None) -> None:
        event = make_event([make_version("Morphy"), make_version("Steinitz")], size=5)
        match = spoil_match(Match.objects.get(), "the worker's disk was full")
        play_event(event)
        shown = read("/api/matches/{id}/", match.pk)
        assert [(attempt["status"], attempt["reason"]) for attempt in shown["attempts"]] == [
            ("void", "the worker's disk was full"), ("counted", "")]
        assert shown["games"] == list(Game.objects.order_by("number").values_list("pk", flat=True))
        assert read("/api/matches/", status="finished", event=event.slug)["results"] == [shown]
        assert read("/api/matches/", status="void")["results"] == []


class TestGames:
    def test_are_found_by_bot_event_and_ending(self, read: Read, event: Event) -> None:
        assert len(read("/api/games/", event=event.slug)["results"]) == 6
        assert len(read("/api/games/", bot=Game.objects.order_by("pk")[0].seat0.bot.slug)["results"]) == 4
        assert [game["reason"] for game in read("/api/games/", ended_by="conduct")["results"]] == ["protocol"]
        assert read("/api/games/", ruleset="squ")["results"] == []

    def test_include_their_records_when_read_individually(self, read: Read, event: Event) -> None:
        game = Game.objects.order_by("pk")[0]
        shown = read("/api/games/{id}/", game.pk)
        assert shown["record"] == game.record
        assert shown["record"]["fault"]["line"] == "e4\x1b[2J\u202eevil"

    def test_each_have_a_replay_document(self, read: Read, event: Event) -> None:
        for game in Game.objects.all():
            assert read("/api/games/{id}/replay/", game.pk) == replay_document(game.record)

    @pytest.mark.parametrize("ruleset", RULESETS)
    def test_replay_in_every_ruleset(self, read: Read, db: None, ruleset: str) -> None:
        play_event(make_event([make_version("Morphy"), make_version("Steinitz")], ruleset=ruleset,
                              size=RULESETS[ruleset].sizes[0]))
        for game in read("/api/games/")["results"]:
            assert len(read("/api/games/{id}/replay/", game["id"])["turns"]) == game["plies"]


LISTS = ["bots", "ladders", "events", "matches", "games"]
OPERATIONS = [
    *(f"/api/{name}/" for name in LISTS), "/api/bots/{bot}/", "/api/bots/{bot}/versions/", "/api/ladders/{ladder}/",
    "/api/ladders/{ladder}/standings/", "/api/events/{event}/", "/api/events/{event}/standings/",
    "/api/events/{event}/crosstable/", "/api/events/{event}/progress/", "/api/matches/{match}/", "/api/games/{game}/",
    "/api/games/{game}/replay/",
]


class TestPages:
    @pytest.mark.parametrize("name", LISTS)
    def test_come_newest_first_and_link_to_each_other(self, anyone: APIClient, event: Event, name: str) -> None:
        _grow(event, 3)
        whole = anyone.get(f"/api/{name}/").json()["results"]
        pages = _pages(anyone, f"/api/{name}/?limit=2")
        assert [line for page in pages for line in page["results"]] == whole
        assert len(pages) == (len(whole) + 1) // 2
        assert anyone.get(pages[-1]["previous"]).json()["results"] == pages[-2]["results"]

    @pytest.mark.parametrize("limit", ["0", "-1", "201", "many", "null", "", "٣", "99999999999999999999"])
    def test_have_1_to_200_rows(self, anyone: APIClient, event: Event, limit: str) -> None:
        assert contract.malformed(anyone.get("/api/games/", {"limit": limit})) == ["limit"]
        assert anyone.get("/api/games/", {"limit": "200"}).status_code == 200

    @pytest.mark.parametrize("position", ["abc", "1.5", "\0", "nan", "9" * 5000, "9" * 30, "-1"])
    @pytest.mark.parametrize("path", ["/api/games/", "/api/ladders/{slug}/standings/"])
    def test_handle_a_made_up_cursor(self, anyone: APIClient, event: Event, position: str, path: str) -> None:
        cursor = b64encode(urlencode({"p": position}).encode()).decode()
        assert anyone.get(path.format(slug=event.ladder.slug), {"cursor": cursor}).status_code in {200, 404}


class TestQueries:
    def test_are_as_few_for_thirty_rows_as_for_three(self, anyone: APIClient, db: None) -> None:
        few, many = self._count(anyone, 3), self._count(anyone, 30)
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
    """Yield the page at the address and all pages that follow it."""
    pages = [client.get(address).json()]
    while pages[-1]["next"]:
        pages.append(client.get(pages[-1]["next"]).json())
    return pages


def _grow(event: Event, rows: int) -> None:
    """Play this many of the event's matches, rate them, and add as many ladders and events."""
    for match in Match.objects.filter(event=event, status="queued").order_by("pk")[:rows]:
        play_match(match, most_plies=4)
    play_event(event, matches_to_play=0)
    bots = [make_version("Tarrasch"), make_version("Lasker")]
    for number in range(rows):
        create_ladder(ruleset="square-grid-hex", size=5, base_seconds=1 + number)
        make_event(bots, name=f"Small {number}", started=False)
