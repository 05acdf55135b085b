"""The list of games with its filters, orders and pages; and search across bots, people, teams and events."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from frontend.views.matches import games as view
from frontend.views.site import search
from tests.factories import START, make_event, make_user, make_version, play_event, play_match
from tests.frontend.visits import body, signed_in
from tests.tournaments.api import contract
from tournaments.models import Event, Game, Match
from tournaments.selectors.matches import games as reads
from tournaments.services.accounts.teams import found_team

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def event(module_db) -> Event:
    """An event of three bots; later, two others have played another ruleset, one of them with a fault."""
    other = make_event([make_version("dog"), make_version("elk")], name="Other", ruleset="squaresquared", size=3)
    event = play_event(make_event([make_version(name) for name in ("ant", "bee", "cat")], ruleset="square-grid-hex",
                                  size=4))
    play_match(Match.objects.get(event=other), fault_after=1, now=START + timedelta(hours=2))
    return event


def listed(client: Client, address: str = "/games/", **query: object) -> list[int]:
    page = body(client, address, **query)
    return [int(pk) for pk in re.findall(r'class="game-line" href="/games/(\d+)/"', page)]


def slug(event: Event, name: str) -> str:
    return event.entries.get(bot__name=name).bot.slug


class TestTheListOfGames:
    @pytest.mark.database
    def test_selects_by_each_of_its_fields(self, client, event):
        every = list(Game.objects.select_related("match__ladder", "seat0__bot", "seat1__bot").order_by("-pk"))
        ant = event.entries.get(bot__name="ant").bot
        won = [game.pk for game in every if game.winner is not None
               and (game.seat0, game.seat1)[game.winner].bot_id == ant.pk]
        assert won
        for name, value, wanted in (
                ("ruleset", "squaresquared", lambda game: game.match.ruleset == "squaresquared"),
                ("ladder", event.ladder.slug, lambda game: game.match.ladder == event.ladder),
                ("event", event.slug, lambda game: game.event_id == event.pk),
                ("ended_by", "conduct", lambda game: game.ended_by == "conduct"),
                ("result", "won", lambda game: game.winner == 0),
                ("result", "drawn", lambda game: game.winner is None),
                ("bot", "ant", lambda game: ant in (game.seat0.bot, game.seat1.bot)),
                ("ruleset", "chess", lambda game: True)):
            assert listed(client, **{name: value}) == [game.pk for game in every if wanted(game)], (name, value)
        assert listed(client, bot=ant.slug, result="won") == won

    def test_shows_each_filter_in_the_form_and_as_a_link_that_removes_it(self, client, event):
        ant = slug(event, "ant")
        page = " ".join(body(client, f"/games/?bot=Ant&event={event.slug}&result=won&sort=longest&before=9").split())
        chips = re.findall(r'<a class="chip" href="([^"]+)"> <span class="sr">Remove the filter</span> '
                           r"(.*?) <span", page)
        assert [(href.replace("&amp;", "&"), text) for href, text in chips] == [
            (f"/games/?event={event.slug}&result=won&sort=longest", "Bot: <bdi>ant</bdi>"),
            (f"/games/?bot={ant}&result=won&sort=longest", f"Event: <bdi>{event.name}</bdi>"),
            (f"/games/?bot={ant}&event={event.slug}&sort=longest", "Result: <bdi>won by the bot</bdi>")]
        assert '<input type="hidden" name="sort" value="longest">' in page
        assert '<option value="won" selected>' in page

    def test_keeps_its_filters_in_every_order(self, client, event):
        ant = slug(event, "ant")
        page = body(client, "/games/", bot=ant)
        orders = re.findall(r'href="([^"]*)"', re.search(r'<nav class="pages".*?</nav>', page, re.DOTALL)[0])
        assert [href.replace("&amp;", "&") for href in orders] == [
            f"/games/?bot={ant}",
            *(f"/games/?bot={ant}&sort={sort}" for sort in ("upset", "rating", "longest", "shortest"))]
        for href in orders[1:]:
            games = Game.objects.filter(pk__in=listed(client, href.replace("&amp;", "&")))
            assert games or "upset" in href
            assert all(ant in {game.seat0.bot.slug, game.seat1.bot.slug} for game in games)

    @pytest.mark.database
    def test_has_numbered_pages_up_to_a_limit_when_sorted(self, client, event, monkeypatch):
        monkeypatch.setattr(view, "PAGE", 2)
        monkeypatch.setattr(reads, "MOST_SORTED", 4)
        longest = list(Game.objects.order_by("-plies", "-pk").values_list("pk", flat=True))
        assert len(longest) == 8
        first = body(client, "/games/", sort="longest")
        assert 'href="?sort=longest&amp;page=2" rel="next"' in first
        assert listed(client, sort="longest") + listed(client, sort="longest", page=2) == longest[:4]
        last = body(client, "/games/", sort="longest", page=2)
        assert 'rel="next"' not in last
        assert "A sorted list has at most 4 games." in last
        for page in ("99", "0", "-1", "9" * 40):
            body(client, "/games/", sort="longest", page=page)

    @pytest.mark.database
    def test_lists_each_game_once_over_all_its_pages(self, client, event, monkeypatch):
        monkeypatch.setattr(view, "PAGE", 3)
        seen, address = [], "/games/"
        while address:
            seen += listed(client, address)
            older = re.search(r'href="(\?[^"]*before=\d+)"', body(client, address))
            address = "/games/" + older[1].replace("&amp;", "&") if older else None
        assert seen == list(Game.objects.order_by("-pk").values_list("pk", flat=True))
        for before in ("0", "-1", "9" * 40):
            body(client, "/games/", before=before)


GRAF = "<b>Gräf & co%</b>"
SHOWN = "&lt;b&gt;Gräf &amp; co%&lt;/b&gt;"


class TestSearch:
    @pytest.fixture(scope="module")
    def named(self, event) -> dict[str, str]:
        """Names that contain "gr" among others that do not; returns the bots' slugs by name."""
        make_user("greta")  # owns nothing
        versions = [make_version(name, owner=owner) for name, owner in (
            ("Ogre", "ingrid"), ("gravel", "mia"), ("Basalt", "mia"), (GRAF, "tom"))]
        found_team(founder=make_user("tom"), name="Grandmasters", now=START)
        make_event(versions[:3], name="Grand Prix")
        private = make_event(versions[:2], name="Grey box")
        Event.objects.filter(pk=private.pk).update(private=True)
        return {version.bot.name: version.bot.slug for version in versions}

    def found(self, client: Client, text: str, **query: object) -> tuple[list[tuple[str, str]], str]:
        main = body(client, reverse("search"), q=text, **query).partition("<main")[2]
        return re.findall(r'class="name" href="/(\w+)/[^"]*"><bdi>(.*?)</bdi>', main), main

    @pytest.mark.database
    def test_finds_names_that_begin_with_the_text_before_others(self, client, named):
        assert self.found(client, "GR")[0] == [
            ("bots", "gravel"), ("bots", SHOWN), ("bots", "Ogre"), ("people", "ingrid"),
            ("teams", "Grandmasters"), ("events", "Grand Prix")]
        assert self.found(client, "greta")[0] == []
        assert ("events", "Grey box") in self.found(signed_in("organiser"), "grey")[0]
        assert self.found(client, "grey")[0] == []
        for text in ("%", "_", "\\", "'", "x" * 500, "\x00", "  "):
            names, _ = self.found(client, text)
            assert [name for _, name in names] == ([SHOWN] if text == "%" else []), text

    def test_lists_one_kind_in_numbered_pages_up_to_a_limit(self, client, named, monkeypatch):
        for name, number in (("FEW", 2), ("PAGE", 1), ("MOST", 2)):
            monkeypatch.setattr(search, name, number)
        names, page = self.found(client, "gr")
        assert [name for kind, name in names if kind == "bots"] == ["gravel", SHOWN]
        assert 'href="?q=gr&amp;in=bots"' in page
        assert "in=teams" not in page
        first, page = self.found(client, "gr", **{"in": "bots"})
        assert 'href="?q=gr&amp;in=bots&amp;page=2" rel="next"' in page
        second, page = self.found(client, "gr", page="2", **{"in": "bots"})
        assert [name for _, name in first + second] == ["gravel", SHOWN]
        assert "at most 2 results of a kind" in page

    def test_is_offered_by_the_api(self, client, named):
        answer = client.get("/api/search/", {"q": "gr"})
        contract.check(answer, "/api/search/")
        assert answer.json() == {
            "bots": [{"slug": named[name], "name": name} for name in ("gravel", GRAF, "Ogre")],
            "people": [{"username": "ingrid"}], "teams": [{"slug": "grandmasters", "name": "Grandmasters"}],
            "events": [{"slug": "grand-prix", "name": "Grand Prix"}]}
        for wrong in ({}, {"q": " "}, {"q": "x" * 81}, {"q": "\x00"}):
            assert client.get("/api/search/", wrong).status_code == 400
