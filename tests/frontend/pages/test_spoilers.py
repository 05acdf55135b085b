"""Results that readers hide: on the pages of games, in lists, in heads, and in the cache of shared pages."""

import re

import pytest
from django.core.cache import caches
from django.test import Client
from django.urls import reverse

from tests.factories import make_event, make_version, play_event
from tournaments.models import Game

pytestmark = pytest.mark.django_db


@pytest.fixture
def game() -> Game:
    event = make_event([make_version("Alder"), make_version("Basalt")], ruleset="squ", size=6)
    play_event(event)
    return event.games.order_by("number").first()


@pytest.fixture
def hiding() -> Client:
    client = Client()
    client.post(reverse("results"), {"results": "hidden"})
    return client


def _body(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, address
    return answer.content.decode()


def _tells(body: str, game: Game) -> list[str]:
    """Return the texts of the page that tell how its game ended.

    The list of turns is left out, whose later lines the style sheet hides, and the example next to the rules.
    """
    shown = re.sub(r'<(script|style|ol)\b.*?</\1>|aria-label="A finished game.*?"', "", body, flags=re.DOTALL)
    return re.findall(rf"\bwon\b|Draw|{game.plies} turns|/ {game.plies}\b|of {game.plies}\b|turn={game.plies}\b"
                      r"|\d/card.png", shown)


class TestSwitch:
    def test_is_remembered_and_returns_to_its_page(self, client):
        answer = client.post(reverse("results"), {"results": "hidden"}, headers={"referer": "http://testserver/games/"})
        assert (answer.status_code, answer["Location"]) == (302, "http://testserver/games/")
        assert client.cookies["results"].value == "hidden"
        client.post(reverse("results"), {"results": ""})
        assert client.cookies["results"].value == ""

    def test_does_not_redirect_to_other_sites(self, client):
        assert client.post(reverse("results"), headers={"referer": "https://evil.example/"})["Location"] == "/"

    def test_needs_a_post_to_change_anything(self, client):
        client.get(reverse("results"), {"results": "hidden"})
        assert "results" not in client.cookies


class TestLists:
    def test_show_results_until_they_are_hidden(self, client, hiding, game):
        bot, other, event = game.seat0.bot.slug, game.seat1.bot.slug, game.event.slug
        for name, arguments in {"home": (), "home-live": (), "games": (), "bot": [bot], "pair": [bot, other],
                                "event": [event], "event-live": [event]}.items():
            address = reverse(name, args=arguments)
            assert f"{game.plies} turns" in _body(client, address), name
            body = _body(hiding, address)
            assert "Result hidden" in body, name
            assert f"{game.plies} turns" not in body, name
            assert "?thumb" not in body, name
            # The other readers' page was not replaced in the cache.
            assert f"{game.plies} turns" in _body(client, address), name

    def test_have_another_etag(self, client, hiding, game):
        address = reverse("event-live", args=[game.event.slug])
        tag = client.get(address)["ETag"]
        assert hiding.get(address, headers={"if-none-match": tag}).status_code == 200

    def test_are_shared_by_choice(self, client, hiding, game, settings):
        settings.SHARED_PAGE_SECONDS = 3600
        caches["pages"].clear()
        for _ in range(2):
            assert "Result hidden" not in _body(client, "/games/")
            assert "Result hidden" in _body(hiding, "/games/")
        caches["pages"].clear()


class TestAGame:
    def test_shows_everything_by_default(self, client, game):
        assert _tells(_body(client, reverse("game", args=[game.pk])), game)

    @pytest.mark.parametrize("name", ["game", "game-embed"])
    def test_begins_at_the_start_and_does_not_tell_the_end(self, hiding, game, name):
        for query in ("", "?turn=3"):
            body = _body(hiding, reverse(name, args=[game.pk]) + query)
            assert _tells(body, game) == []
            assert '"ended_by": ""' in body
            assert "data-hides" in body

    @pytest.mark.parametrize("query", ["?result=1", "?turn=999"])
    def test_shows_everything_on_request_and_at_the_last_turn(self, client, hiding, game, query):
        address = reverse("game", args=[game.pk]) + query
        assert _tells(_body(hiding, address), game) == _tells(_body(client, address), game)
