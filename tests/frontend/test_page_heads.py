"""The heads of pages for search engines and other sites, robots.txt and cards."""

import re
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from engines.rules.registry import RULESETS
from tests.factories import make_event, make_user, make_version, play_event
from tests.frontend.every_address import addresses
from tests.frontend.whole_site import fill
from tournaments.models import Event, Game

HEADS = ("description", "og:site_name", "og:type", "og:title", "og:description", "og:url")


def head_of(client: Client, address: str) -> dict[str, str]:
    """Return the title and the content of each `meta` element."""
    text = client.get(address).content.decode().split("</head>")[0]
    found = dict(re.findall(r'<meta (?:name|property)="([^"]+)"\s+content="([^"]*)"', text))
    title = re.search("<title>(.*?)</title>", text, re.DOTALL)
    assert title is not None
    return {name: unescape(words) for name, words in {"title": title[1], **found}.items()}


@pytest.fixture
def event(db: None) -> Event:
    return play_event(make_event([make_version('Al"der & <b>'), make_version("Basalt"), make_version("Cinder")]))


class TestHeads:
    def test_of_all_pages_are_complete(self, client: Client, event: Event) -> None:
        game = Game.objects.order_by("pk")[0]
        first, second = game.seat0.bot, game.seat1.bot
        addresses = ["/", reverse("ladders"), reverse("ladder", args=[event.ladder.slug]),
                     reverse("pair", args=[first.slug, second.slug]), reverse("bots"),
                     reverse("bot", args=[first.slug]), reverse("event", args=[event.slug]),
                     reverse("game", args=[game.pk]), reverse("games"), reverse("rules"),
                     reverse("document", args=["events"]), reverse("account_login")]
        heads = {address: head_of(client, address) for address in addresses}
        for address, head in heads.items():
            assert all(head[name] for name in HEADS), address
            assert head["title"] == f"{head['og:title']} · {head['og:site_name']}"
            assert head["og:description"] == head["description"]
            assert head["og:url"] == f"http://testserver{address}"
        assert len({head["title"] for head in heads.values()}) == len(addresses)
        assert first.name in heads[reverse("pair", args=[first.slug, second.slug])]["description"]

    @pytest.mark.parametrize(("asked", "title"), [
        ("", "Games"),
        ("bot=basalt", "Games: Basalt"),
        ("bot=basalt&vs=cinder", "Games: Basalt, against Cinder"),
        ("ruleset=squ", f"Games: {RULESETS['squ'].name}"),
        ("event=autumn-round-robin&ended_by=rule&bot=basalt&result=won",
         "Games: Basalt, Autumn Round Robin, ended by the rules, won by the bot"),
        ("result=won", "Games: won by the first player"),
        ("bot=<i>nobody", "Games: <i>nobody"),
    ])
    def test_of_lists_of_games_name_the_filter(self, client: Client, event: Event, asked: str, title: str) -> None:
        head = head_of(client, f"/games/?{asked}")
        assert head["og:title"] == title
        assert asked == "" or "/games/?" in head["og:url"]


@pytest.mark.slow
class TestEveryPublicPage:
    def test_has_a_title_a_description_and_a_picture(self, client: Client, db: None, settings, redis_url) -> None:
        site = fill(settings)
        pictures, seen = {}, 0
        for name, address in addresses(site):
            # No other site links to what browsers show without a network, and to lists for pip.
            if name in {"offline", "download-index"}:
                continue
            answer = client.get(address)
            if answer.status_code != 200 or not answer.getvalue().lstrip().lower().startswith(b"<!doctype"):
                continue
            seen += 1
            head = head_of(client, address)
            assert [wanted for wanted in (*HEADS, "og:image") if not head.get(wanted)] == [], f"{name} {address}"
            assert head["title"].startswith(head["og:title"])
            assert head["og:image"].startswith("http://testserver/")
            pictures[head["og:image"]] = address
        assert seen > 50
        wrong = [f"{address}: {picture}" for picture, address in pictures.items()
                 if client.get(picture.removeprefix("http://testserver"))["Content-Type"] != "image/png"]
        assert not wrong, "\n".join(wrong)

    def test_with_a_private_event_has_the_card_of_the_site(self, event: Event, client: Client) -> None:
        game = Game.objects.order_by("pk")[0]
        addresses = [reverse(name, args=[game.pk]) for name in ("game", "game-embed")]
        card = f"http://testserver{reverse('game-card', args=[game.pk])}"
        assert [head_of(client, address)["og:image"] for address in addresses] == [card] * 2
        Event.objects.update(private=True)
        client.force_login(make_user("boss", staff=True))
        site = f"http://testserver{reverse('site-card')}"
        assert [head_of(client, address)["og:image"] for address in addresses] == [site] * 2


class TestRobots:
    def test_are_excluded_from_personal_pages(self, client: Client) -> None:
        answer = client.get("/robots.txt")
        assert answer["Content-Type"] == "text/plain; charset=utf-8"
        lines = answer.content.decode().splitlines()
        assert lines[0] == "User-agent: *"
        assert "Disallow: /account/" in lines
        assert "Disallow: /" not in lines


@pytest.mark.browser
@pytest.mark.serial
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
class TestCards:
    def test_with_fewer_items_than_columns_have_no_trailing_line(self, look) -> None:
        play_event(make_event([make_version("Alder"), make_version("Basalt")]))
        page = look.at("/games/")
        items = page.locator(".rows.grid > li")
        assert items.count() == 2
        boxes = [item.bounding_box() for item in items.all()]
        assert boxes[0]["y"] == boxes[1]["y"], "they are next to each other"
        assert items.evaluate_all("all => all.map(item => getComputedStyle(item).borderRightWidth)") == ["0px", "0px"]
        assert boxes[1]["x"] + boxes[1]["width"] < page.locator(".rows.grid").bounding_box()["width"]
