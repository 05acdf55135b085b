"""Games recorded under older rules: shown without a board on every page, and never an error."""

import pytest
from django.urls import reverse

from engines.rules.registry import find
from tests.factories import make_event, make_version, play_event
from tournaments.models import Game
from tournaments.services.events.exports import event_bundle

pytestmark = pytest.mark.django_db

NOTICE = "Recorded under older rules"
PAGES = ("game", "game-embed")
FILES = ("game-json", "game-text")
API = ("", "replay/", "record/")
PICTURES = ("game-svg", "game-png", "game-card")


@pytest.fixture
def game():
    """Return a game of Square Grid Hex, which also has an SGF record."""
    event = play_event(make_event([make_version("Alder"), make_version("Basalt")], ruleset="square-grid-hex"))
    return Game.objects.filter(event=event).order_by("pk").first()


def under_other_rules(game, monkeypatch):
    monkeypatch.setattr(find("square-grid-hex"), "version", 2)


def against_the_rules(game, monkeypatch):
    store(game, {**game.record, "turns": game.record["turns"][:1] * 2})


def of_no_known_format(game, monkeypatch):
    store(game, {**game.record, "format": 99})


def without_anything_in_it(game, monkeypatch):
    store(game, {})


def store(game, record):
    Game.objects.filter(pk=game.pk).update(record=record)


@pytest.mark.parametrize("make_old", [under_other_rules, against_the_rules, of_no_known_format, without_anything_in_it])
class TestAnOlderGame:
    def test_is_shown_without_a_board(self, game, make_old, client, monkeypatch):
        text = game.record["turns"][0]["turn"]
        make_old(game, monkeypatch)
        for name in PAGES:
            answer = client.get(reverse(name, args=[game.pk]))
            body = answer.content.decode()
            assert (answer.status_code, NOTICE in body, "<replay-viewer" in body) == (200, True, False), name
            assert make_old is without_anything_in_it or f"<span> {text} </span>" in " ".join(body.split())

    def test_is_served_at_every_address(self, game, make_old, client, monkeypatch):
        make_old(game, monkeypatch)
        assert [client.get(reverse(name, args=[game.pk])).status_code for name in FILES] == [200] * len(FILES)
        assert [client.get(reverse(name, args=[game.pk])).status_code for name in PICTURES] == [404] * len(PICTURES)
        assert [client.get(f"/api/games/{game.pk}/{name}").status_code for name in API] == [200] * len(API)
        assert client.get(f"{reverse('game-svg', args=[game.pk])}?thumb").status_code == 200
        # A record that is sent unchanged needs no rules, only a known format.
        assert client.get(reverse("game-sgf", args=[game.pk])).status_code in (200, 404)
        assert client.get(f"/api/games/{game.pk}/sgf/").status_code in (200, 409)
        assert client.get(f"/api/games/{game.pk}/replay/").json()["older"] is True

    def test_is_listed_on_the_pages_of_its_event_and_bots(self, game, make_old, client, monkeypatch):
        make_old(game, monkeypatch)
        for address in (reverse("games"), reverse("event", args=[game.event.slug]),
                        reverse("bot", args=[game.seat0.bot.slug]), "/api/games/"):
            assert client.get(address).status_code == 200, address


class TestABundle:
    def test_can_contain_games_under_other_rules(self, game, monkeypatch):
        under_other_rules(game, monkeypatch)
        with event_bundle(game.event) as file:
            assert file.read(2) == b"PK"
