"""What anybody can read: every answer is what the schema says, in pages, with few queries."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from engines.registry import RULESETS
from engines.replay import replay_document
from ratings.models import Rating
from tests.factories import make_event, make_version, play_event, play_match, spoil_match
from tests.tournaments.api import contract
from tournaments.models import Event, Game, Ladder, Match
from tournaments.services.ladders import create_ladder


@pytest.fixture
def event(db: None) -> Event:
    """A finished round-robin of three bots, one game of which was lost by conduct."""
    event = make_event([make_version(name) for name in ("Morphy", "Anderssen", "Steinitz")], size=5)
    play_match(Match.objects.order_by("pk")[0], fault_after=3)
    return play_event(event)


@pytest.fixture
def read(anyone: APIClient):  # type: ignore[no-untyped-def]
    """GET an operation as anyone; the JSON, which is what the schema says of it."""

    def get(operation: str, key: object = "", **query: Any) -> Any:
        response = anyone.get(operation.replace("{slug}", str(key)).replace("{id}", str(key)), query)
        assert response.status_code == 200, response.content
        contract.check(response, operation)
        return response.json()

    return get


class TestRulesets:
    def test_are_listed_with_their_facts(self, read) -> None:
        assert [ruleset["slug"] for ruleset in read("/api/rulesets/")] == list(RULESETS)

    def test_are_read_one_by_one(self, read) -> None:
        squ = read("/api/rulesets/{slug}/", "squ")
        assert squ["sizes"] == list(RULESETS["squ"].sizes)
        assert squ["colours"] == list(RULESETS["squ"].colours)

    def test_say_what_there_is_when_asked_for_another(self, anyone: APIClient) -> None:
        response = anyone.get("/api/rulesets/chess/")
        assert response.status_code == 404
        assert response.json() == {"detail": f"there is no ruleset 'chess'; there are {', '.join(RULESETS)}"}


class TestBots:
    def test_come_with_their_newest_version(self, read, event: Event) -> None:
        make_version("Morphy", rulesets=["squ"])
        morphy = read("/api/bots/")["results"][-1]
        assert (morphy["name"], morphy["owner"]) == ("Morphy", "mia")
        assert (morphy["newest"]["number"], morphy["newest"]["rulesets"]) == (2, ["squ"])
        assert read("/api/bots/{slug}/", morphy["slug"]) == morphy

    def test_are_found_by_owner(self, read, event: Event) -> None:
        make_version("Zukertort", owner="zoe")
        assert [bot["name"] for bot in read("/api/bots/", owner="zoe")["results"]] == ["Zukertort"]

    def test_have_their_versions_in_pages(self, read, db: None) -> None:
        slug = [make_version("Morphy") for _ in range(3)][0].bot.slug
        page = read("/api/bots/{slug}/versions/", slug, limit=2)
        assert [version["number"] for version in page["results"]] == [3, 2]


class TestLadders:
    def test_are_listed_and_found_by_ruleset_and_size(self, read, event: Event) -> None:
        create_ladder(ruleset="squ", size=6, base_seconds=1)
        assert len(read("/api/ladders/")["results"]) == 2
        assert read("/api/ladders/", ruleset="squ", size=6)["results"] == [
            read("/api/ladders/{slug}/", "squ-6x6-1s-0s")]
        assert read("/api/ladders/", ruleset="squ", size=8)["results"] == []

    def test_have_standings_with_intervals(self, read, event: Event) -> None:
        lines = read("/api/ladders/{slug}/standings/", event.ladder.slug)["results"]
        assert [line["value"] for line in lines] == sorted((line["value"] for line in lines), reverse=True)
        assert all(line["provisional"] and line["plus_minus"] > 100 for line in lines)
        assert all(line["wins"] + line["draws"] + line["losses"] == line["games"] == 4 for line in lines)
        assert {line["version"] for line in lines} == {1}

    def test_page_through_equal_ratings_without_losing_one(self, read, db: None) -> None:
        ladder = create_ladder(ruleset="squ", size=6, base_seconds=1)
        Rating.objects.bulk_create(
            Rating(ladder=ladder, bot=make_version(f"Bot {n}").bot, value=1500 + n % 2, information=0.0, games=0,
                   wins=0, draws=0, rank=1) for n in range(9))
        page, seen = read("/api/ladders/{slug}/standings/", ladder.slug, limit=2), []
        seen += page["results"]
        while page["next"]:
            query = page["next"].partition("?")[2]
            page = read(f"/api/ladders/{{slug}}/standings/", ladder.slug, **dict(
                pair.split("=") for pair in query.replace("%3D", "%3d").split("&")) | {"limit": 2})
            seen += page["results"]
        assert sorted(line["name"] for line in seen) == [f"Bot {n}" for n in range(9)]
        assert all(line["plus_minus"] is None for line in seen)


class TestEvents:
    def test_are_listed_and_found_by_status_and_ladder(self, read, event: Event) -> None:
        make_event([make_version("Morphy"), make_version("Steinitz")], name="Next", started=False)
        assert [line["name"] for line in read("/api/events/")["results"]] == ["Next", "Autumn Round Robin"]
        assert [line["name"] for line in read("/api/events/", status="scheduled")["results"]] == ["Next"]
        assert [line["name"] for line in read("/api/events/", ladder=event.ladder.slug)["results"]] == [event.name]
        assert read("/api/events/{slug}/", event.slug)["status"] == "finished"

    def test_have_standings_that_add_up(self, read, event: Event) -> None:
        lines = read("/api/events/{slug}/standings/", event.slug)
        assert sum(line["score"]["points"] for line in lines) == Game.objects.count()
        assert all([seat["games"] for seat in line["seats"]] == [2, 2] for line in lines)
        assert [line["place"] for line in lines] == sorted(line["place"] for line in lines)
        assert all(line["rating"] and line["plus_minus"] for line in lines)

    def test_have_standings_before_they_start(self, read, db: None) -> None:
        event = make_event([make_version("Morphy"), make_version("Steinitz")], started=False)
        lines = read("/api/events/{slug}/standings/", event.slug)
        assert [(line["score"]["games"], line["rating"]) for line in lines] == [(0, None), (0, None)]

    def test_have_a_crosstable_that_mirrors_itself(self, read, event: Event) -> None:
        rows = read("/api/events/{slug}/crosstable/", event.slug)
        assert [row["bot"] for row in rows] == [cell["opponent"] for cell in rows[0]["cells"]]
        scores = {(row["bot"], cell["opponent"]): cell["score"] for row in rows for cell in row["cells"]}
        for (bot, opponent), score in scores.items():
            if bot == opponent:
                assert score is None
            else:
                assert score["wins"] == scores[opponent, bot]["losses"]

    def test_tell_their_progress(self, read, event: Event) -> None:
        progress = read("/api/events/{slug}/progress/", event.slug)
        assert (progress["games_done"], progress["games_total"], progress["share"]) == (6, 6, 1.0)
        assert progress["seconds_left"] is None


class TestMatches:
    def test_show_what_became_of_every_attempt(self, read, db: None) -> None:
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
    def test_are_found_by_bot_event_and_ending(self, read, event: Event) -> None:
        assert len(read("/api/games/", event=event.slug)["results"]) == 6
        assert len(read("/api/games/", bot=Game.objects.order_by("pk")[0].seat0.bot.slug)["results"]) == 4
        assert [game["reason"] for game in read("/api/games/", ended_by="conduct")["results"]] == ["protocol"]
        assert read("/api/games/", ruleset="squ")["results"] == []

    def test_come_with_their_records_one_by_one(self, read, event: Event) -> None:
        game = Game.objects.order_by("pk")[0]
        shown = read("/api/games/{id}/", game.pk)
        assert shown["record"] == game.record
        assert shown["record"]["fault"]["line"] == "e4\x1b[2J\u202eevil"

    def test_have_a_replay_document_each(self, read, event: Event) -> None:
        for game in Game.objects.all():
            assert read("/api/games/{id}/replay/", game.pk) == replay_document(game.record)

    @pytest.mark.parametrize("ruleset", RULESETS)
    def test_replay_in_every_ruleset(self, read, db: None, ruleset: str) -> None:
        play_event(make_event([make_version("Morphy"), make_version("Steinitz")], ruleset=ruleset,
                              size=RULESETS[ruleset].sizes[0]))
        for game in read("/api/games/")["results"]:
            assert len(read("/api/games/{id}/replay/", game["id"])["turns"]) == game["plies"]


LISTS = ["bots", "ladders", "events", "matches", "games"]


class TestPages:
    @pytest.mark.parametrize("name", LISTS)
    def test_come_newest_first_and_lead_to_one_another(self, anyone: APIClient, event: Event, name: str) -> None:
        _grow(Event.objects.get(), 3)
        whole = anyone.get(f"/api/{name}/").json()["results"]
        pages, address = [], f"/api/{name}/?limit=2"
        while address:
            page = anyone.get(address).json()
            pages.append(page["results"])
            address = page["next"]
        assert [line for page in pages for line in page] == whole
        assert [len(page) for page in pages[:-1]] == [2] * (len(pages) - 1)
        before = anyone.get(page["previous"]).json()["results"]
        assert before == pages[-2]

    @pytest.mark.parametrize("limit", ["0", "-1", "many", "99999999999999999999"])
    def test_have_a_sensible_size_whatever_is_asked(self, anyone: APIClient, event: Event, limit: str) -> None:
        assert anyone.get("/api/games/", {"limit": limit}).status_code == 200

    @pytest.mark.parametrize("position", ["abc", "1.5", "\0", "nan", "9" * 5000, "9" * 30, "-1"])
    @pytest.mark.parametrize("path", ["/api/games/", "/api/ladders/{slug}/standings/"])
    def test_answer_a_made_up_cursor_calmly(self, anyone: APIClient, event: Event, position: str, path: str) -> None:
        from base64 import b64encode
        from urllib.parse import urlencode

        cursor = b64encode(urlencode({"p": position}).encode()).decode()
        assert anyone.get(path.format(slug=event.ladder.slug), {"cursor": cursor}).status_code in {200, 404}


class TestQueries:
    def test_are_as_few_for_thirty_rows_as_for_three(self, anyone: APIClient, db: None) -> None:
        few, many = (self._count(anyone, rows) for rows in (3, 30))
        assert few == many
        assert max(few.values()) <= 7

    def _count(self, anyone: APIClient, rows: int) -> dict[str, int]:
        bots = [make_version(f"Bot {n} of {rows}") for n in range(rows)]
        event = make_event(bots, name=f"Of {rows}", size=5)
        _grow(event, rows)
        bot, match, game = bots[0].bot, Match.objects.filter(status="finished")[0], Game.objects.all()[0]
        for _ in range(rows):
            make_version(bot.name)
        counts = {}
        for path in [
            *(f"/api/{name}/" for name in LISTS), f"/api/bots/{bot.slug}/", f"/api/bots/{bot.slug}/versions/",
            f"/api/ladders/{event.ladder.slug}/", f"/api/ladders/{event.ladder.slug}/standings/",
            *(f"/api/events/{event.slug}/{table}" for table in ("", "standings/", "crosstable/", "progress/")),
            f"/api/matches/{match.pk}/", f"/api/games/{game.pk}/", f"/api/games/{game.pk}/replay/",
        ]:
            with CaptureQueriesContext(connection, ) as queries:
                answer = anyone.get(path, {"limit": 100})
            assert answer.status_code == 200
            assert answer.content.count(b"Bot ") >= rows or answer.content.count(b'"slug"') >= rows or "/api/games/" in path or len(answer.json()) > 3
            counts[path.replace(event.slug, "…").replace(bot.slug, "…").replace(str(match.pk), "…")] = len(queries)
        return counts


def _grow(event: Event, rows: int) -> None:
    """Play so many of the event's matches, and add as many ladders and events."""
    for match in Match.objects.filter(round__event=event, status="queued").order_by("pk")[:rows]:
        play_match(match, most_plies=4)
    play_event(event, matches_to_play=0)
    bots = [make_version("Morphy"), make_version("Steinitz")]
    for number in range(rows):
        create_ladder(ruleset="square-grid-hex", size=5, base_seconds=1 + number)
        make_event(bots, name=f"Small {number}", started=False)
    assert Ladder.objects.count() >= rows
