"""Results that readers hide: on the pages of games, in lists, in heads, and in the cache of shared pages."""

import re

import pytest
from django.core.cache import caches
from django.test import Client
from django.urls import reverse

from tests.factories import make_event, make_version, play_event
from tests.frontend.visits import body
from tournaments.models import Game

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def game(module_db) -> Game:
    event = make_event([make_version("Alder"), make_version("Basalt")], ruleset="squ", size=6)
    play_event(event)
    return Game.objects.select_related("event", "seat0__bot", "seat1__bot").order_by("number").first()


@pytest.fixture
def hiding() -> Client:
    client = Client()
    client.post(reverse("results"), {"results": "hidden"})
    return client


def tells(page: str, game: Game) -> list[str]:
    """Return the texts of the page that tell how its game ended.

    The list of turns is left out, whose later lines the style sheet hides, and the example next to the rules.
    """
    shown = re.sub(r'<(script|style|ol)\b.*?</\1>|aria-label="A finished game.*?"', "", page, flags=re.DOTALL)
    return re.findall(rf"\bwon\b|Draw|{game.plies} turns|/ {game.plies}\b|of {game.plies}\b|turn={game.plies}\b"
                      r"|\d/card.png", shown)


class TestSwitch:
    def test_is_remembered_and_returns_to_its_page_only(self, client):
        client.get(reverse("results"), {"results": "hidden"})
        assert "results" not in client.cookies
        answer = client.post(reverse("results"), {"results": "hidden"}, headers={"referer": "http://testserver/games/"})
        assert (answer.status_code, answer["Location"]) == (302, "http://testserver/games/")
        assert client.cookies["results"].value == "hidden"
        answer = client.post(reverse("results"), {"results": ""}, headers={"referer": "https://evil.example/"})
        assert (answer["Location"], client.cookies["results"].value) == ("/", "")


class TestLists:
    def test_show_results_until_they_are_hidden(self, client, hiding, game):
        bot, other, event = game.seat0.bot.slug, game.seat1.bot.slug, game.event.slug
        for name, arguments in {"home": (), "home-live": (), "games": (), "bot": [bot], "pair": [bot, other],
                                "event": [event], "event-live": [event]}.items():
            address = reverse(name, args=arguments)
            assert f"{game.plies} turns" in body(client, address), name
            page = body(hiding, address)
            assert "Result hidden" in page, name
            assert f"{game.plies} turns" not in page, name
            assert "?thumb" not in page, name

    def test_have_another_etag(self, client, hiding, game):
        address = reverse("event-live", args=[game.event.slug])
        tag = client.get(address)["ETag"]
        assert hiding.get(address, headers={"if-none-match": tag}).status_code == 200

    def test_are_shared_by_choice(self, client, hiding, game, settings):
        settings.SHARED_PAGE_SECONDS = 3600
        caches["pages"].clear()
        for _ in range(2):
            assert "Result hidden" not in body(client, "/games/")
            assert "Result hidden" in body(hiding, "/games/")
        caches["pages"].clear()


class TestAGame:
    def test_begins_at_the_start_and_tells_the_end_on_request_and_at_the_last_turn(self, client, hiding, game):
        page = reverse("game", args=[game.pk])
        for address in (page, reverse("game-embed", args=[game.pk])):
            for query in ({}, {"turn": 3}):
                shown = body(hiding, address, **query)
                assert tells(shown, game) == []
                assert '"ended_by": ""' in shown
                assert "data-hides" in shown
        whole = tells(body(client, page), game)
        assert whole
        for query in ({"result": 1}, {"turn": 999}):
            assert tells(body(hiding, page, **query), game) == whole
