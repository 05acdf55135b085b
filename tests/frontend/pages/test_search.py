"""Search across bots, people, teams and events: the page and the API."""

import re

import pytest
from django.urls import reverse

from frontend.views.site import search as view
from tests.factories import START, make_event, make_user, make_version
from tests.frontend.visits import body, signed_in
from tests.tournaments.api import contract
from tournaments.models import Event
from tournaments.services.accounts.teams import found_team

pytestmark = pytest.mark.django_db
HOSTILE = "<b>Gräf & co%</b>"
SHOWN = "&lt;b&gt;Gräf &amp; co%&lt;/b&gt;"


@pytest.fixture(scope="module")
def site(module_db) -> dict[str, str]:
    """Names that contain "gr" among others that do not; returns the bots' slugs by name."""
    make_user("greta")  # owns nothing
    versions = [make_version(name, owner=owner) for name, owner in (
        ("Ogre", "ingrid"), ("gravel", "mia"), ("Basalt", "mia"), (HOSTILE, "tom"))]
    found_team(founder=make_user("tom"), name="Grandmasters", now=START)
    make_event(versions[:3], name="Grand Prix")
    private = make_event(versions[:2], name="Grey box")
    Event.objects.filter(pk=private.pk).update(private=True)
    return {version.bot.name: version.bot.slug for version in versions}


def found(client, **query):
    page = body(client, reverse("search"), **query)
    main = page[page.index("<main"):]
    return re.findall(r'class="name" href="/(\w+)/[^"]*"><bdi>(.*?)</bdi>', main), main


class TestSearch:
    @pytest.mark.database
    def test_finds_names_that_begin_with_the_text_before_others(self, client, site):
        assert found(client, q="GR")[0] == [
            ("bots", "gravel"), ("bots", SHOWN), ("bots", "Ogre"), ("people", "ingrid"),
            ("teams", "Grandmasters"), ("events", "Grand Prix")]
        assert found(client, q="greta")[0] == []

    def test_shows_private_events_to_organisers_only(self, client, site):
        assert ("events", "Grey box") in found(signed_in("organiser"), q="grey")[0]
        assert found(client, q="grey")[0] == []

    @pytest.mark.database
    def test_treats_any_text_as_text(self, client, site):
        for text in ("%", "_", "\\", "'", "<script>", "\u202e", "x" * 500, "\x00", "  "):
            names, page = found(client, q=text)
            assert [name for _, name in names] == ([SHOWN] if text == "%" else []), text
            assert "<script>" not in page
            assert "\u202e" not in page.replace('value="\u202e"', "")

    def test_lists_one_kind_in_numbered_pages_up_to_a_limit(self, client, site, monkeypatch):
        monkeypatch.setattr(view, "FEW", 2)
        monkeypatch.setattr(view, "PAGE", 1)
        monkeypatch.setattr(view, "MOST", 2)
        names, page = found(client, q="gr")
        assert [name for kind, name in names if kind == "bots"] == ["gravel", SHOWN]
        assert 'href="?q=gr&amp;in=bots"' in page
        assert "in=teams" not in page
        first, page = found(client, q="gr", **{"in": "bots"})
        assert 'href="?q=gr&amp;in=bots&amp;page=2" rel="next"' in page
        second, page = found(client, q="gr", page="2", **{"in": "bots"})
        assert [name for _, name in first + second] == ["gravel", SHOWN]
        assert "at most 2 results of a kind" in page

    def test_is_offered_by_the_api(self, client, site):
        answer = client.get("/api/search/", {"q": "gr"})
        contract.check(answer, "/api/search/")
        assert answer.json() == {
            "bots": [{"slug": site[name], "name": name} for name in ("gravel", HOSTILE, "Ogre")],
            "people": [{"username": "ingrid"}], "teams": [{"slug": "grandmasters", "name": "Grandmasters"}],
            "events": [{"slug": "grand-prix", "name": "Grand Prix"}]}
        for wrong in ({}, {"q": " "}, {"q": "x" * 81}, {"q": "\x00"}):
            assert client.get("/api/search/", wrong).status_code == 400
