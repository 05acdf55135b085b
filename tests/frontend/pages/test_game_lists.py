"""The list of games: chips of its filters, and its orders."""

import re

import pytest

from frontend.views.matches import games as view
from tests.factories import make_event, make_version, play_event
from tournaments.models import Game
from tournaments.selectors.matches import games as reads

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(db):
    return play_event(make_event([make_version(name) for name in ("ant", "bee", "cat")], ruleset="scware", size=5))


def listed(client, address):
    page = client.get(address).content.decode()
    return [int(pk) for pk in re.findall(r'class="game-line" href="/games/(\d+)/"', page)]


class TestTheListOfGames:
    def test_shows_each_filter_as_a_link_that_removes_it(self, client, event):
        answer = client.get(f"/games/?bot=Ant&event={event.slug}&result=won&sort=longest&before=9")
        page = " ".join(answer.content.decode().split())
        chips = re.findall(r'<a class="chip" href="([^"]+)"> <span class="sr">Remove the filter</span> '
                           r"(.*?) <span", page)
        assert [(href.replace("&amp;", "&"), text) for href, text in chips] == [
            (f"/games/?event={event.slug}&result=won&sort=longest", "Bot: <bdi>ant</bdi>"),
            ("/games/?bot=bot-1&result=won&sort=longest", f"Event: <bdi>{event.name}</bdi>"),
            (f"/games/?bot=bot-1&event={event.slug}&sort=longest", "Result: <bdi>won by the bot</bdi>")]
        assert '<input type="hidden" name="sort" value="longest">' in page

    def test_shows_a_hostile_filter_as_text(self, client, event):
        page = client.get("/games/", {"bot": "<script>x\u202e", "sort": "<i>"}).content.decode()
        assert "Bot: <bdi>&lt;script&gt;x" in page
        assert "<script>x" not in page
        assert "\u202e" not in re.search(r'<a class="chip".*?</a>', page, re.DOTALL)[0]

    def test_keeps_its_filters_in_every_order(self, client, event):
        page = client.get("/games/?bot=bot-1").content.decode()
        orders = re.findall(r'href="([^"]*)"', re.search(r'<nav class="pages".*?</nav>', page, re.DOTALL)[0])
        assert [href.replace("&amp;", "&") for href in orders] == [
            "/games/?bot=bot-1",
            *(f"/games/?bot=bot-1&sort={sort}" for sort in ("upset", "rating", "longest", "shortest"))]
        for href in orders[1:]:
            games = Game.objects.filter(pk__in=listed(client, href.replace("&amp;", "&")))
            assert games or "upset" in href
            assert all("bot-1" in {game.seat0.bot.slug, game.seat1.bot.slug} for game in games)

    def test_has_numbered_pages_up_to_a_limit_when_sorted(self, client, event, monkeypatch):
        monkeypatch.setattr(view, "PAGE", 2)
        monkeypatch.setattr(reads, "MOST_SORTED", 4)
        longest = list(Game.objects.order_by("-plies", "-pk").values_list("pk", flat=True))
        assert len(longest) == 6
        first = client.get("/games/?sort=longest").content.decode()
        assert 'href="?sort=longest&amp;page=2" rel="next"' in first
        assert listed(client, "/games/?sort=longest") + listed(client, "/games/?sort=longest&page=2") == longest[:4]
        last = client.get("/games/?sort=longest&page=2").content.decode()
        assert 'rel="next"' not in last
        assert "A sorted list has at most 4 games." in last
        for page in ("99", "0", "-1", "x", "9" * 40):
            assert client.get("/games/", {"sort": "longest", "page": page}).status_code == 200
