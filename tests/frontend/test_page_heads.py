"""The heads of pages for search engines and other sites, and robots.txt.

`test_hostile_texts.py` shows that every public page has a complete head.
"""

import pytest
from django.test import Client
from django.urls import reverse

from engines.rules.registry import RULESETS
from tests.factories import make_event, make_user, make_version, play_event
from tests.frontend.page_reader import HEADS, head_of
from tournaments.models import Event, Game

pytestmark = pytest.mark.django_db


def head_at(client: Client, address: str) -> dict[str, str]:
    return head_of(client.get(address).content.decode())


@pytest.fixture(scope="module")
def event(module_db: None) -> Event:
    return play_event(make_event([make_version('Al"der & <b>'), make_version("Basalt"), make_version("Cinder")]))


class TestHeads:
    def test_of_pages_differ_and_name_their_address(self, client: Client, event: Event) -> None:
        game = Game.objects.order_by("pk")[0]
        first, second = game.seat0.bot, game.seat1.bot
        pair = reverse("pair", args=[first.slug, second.slug])
        addresses = ["/", reverse("ladder", args=[event.ladder.slug]), pair, reverse("bot", args=[first.slug]),
                     reverse("event", args=[event.slug]), reverse("game", args=[game.pk]), reverse("games"),
                     reverse("document", args=["events"])]
        heads = {address: head_at(client, address) for address in addresses}
        for address, head in heads.items():
            assert all(head[name] for name in HEADS), address
            assert head["title"] == f"{head['og:title']} · {head['og:site_name']}"
            assert head["og:description"] == head["description"]
            assert head["og:url"] == f"http://testserver{address}"
        assert len({head["title"] for head in heads.values()}) == len(addresses)
        assert first.name in heads[pair]["description"]

    def test_of_lists_of_games_name_the_filter(self, client: Client, event: Event) -> None:
        titles = {
            "": "Games",
            "bot=basalt": "Games: Basalt",
            "bot=basalt&vs=cinder": "Games: Basalt, against Cinder",
            "ruleset=squ": f"Games: {RULESETS['squ'].name}",
            "event=autumn-round-robin&ended_by=rule&bot=basalt&result=won":
                "Games: Basalt, Autumn Round Robin, ended by the rules, won by the bot",
            "result=won": "Games: won by the first player",
            "bot=<i>nobody": "Games: <i>nobody",
        }
        heads = {asked: head_at(client, f"/games/?{asked}") for asked in titles}
        assert {asked: head["og:title"] for asked, head in heads.items()} == titles
        assert all("/games/?" in head["og:url"] for asked, head in heads.items() if asked)

    def test_of_a_private_event_have_the_card_of_the_site(self, event: Event, client: Client) -> None:
        game = Game.objects.order_by("pk")[0]
        addresses = [reverse(name, args=[game.pk]) for name in ("game", "game-embed")]
        card = f"http://testserver{reverse('game-card', args=[game.pk])}"
        assert [head_at(client, address)["og:image"] for address in addresses] == [card] * 2
        Event.objects.update(private=True)
        client.force_login(make_user("boss", staff=True))
        site = f"http://testserver{reverse('site-card')}"
        assert [head_at(client, address)["og:image"] for address in addresses] == [site] * 2


class TestRobots:
    def test_are_excluded_from_personal_pages(self, client: Client) -> None:
        answer = client.get("/robots.txt")
        assert answer["Content-Type"] == "text/plain; charset=utf-8"
        lines = answer.content.decode().splitlines()
        assert lines[0] == "User-agent: *"
        assert "Disallow: /account/" in lines
        assert "Disallow: /" not in lines
