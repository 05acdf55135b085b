"""The site as a whole: policy, errors, an empty site, queries of a large one, style sheets, vendored files."""

import re
from hashlib import sha256
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

import frontend
from frontend.templatetags import styles
from tests.factories import make_event, make_version, play_event
from tests.frontend.visits import body
from tournaments.models import Event

pytestmark = pytest.mark.django_db
# No page needs more.
MOST = 31


def _half_played(name: str, *, bots: int, matches: int) -> Event:
    """Return an event in which each bot has its own owner."""
    versions = [make_version(f"{name} bot {number}", owner=f"{name} {number}") for number in range(bots)]
    return play_event(make_event(versions, name=name, ruleset="square-grid-hex", size=3), matches_to_play=matches)


def _addresses(event: Event) -> list[str]:
    bot, opponent = (entry.bot.slug for entry in event.entries.order_by("place")[:2])
    ladder, games = event.ladder.slug, reverse("games")
    return [
        *map(reverse, ("home", "home-live", "ladders", "events", "bots", "games", "watch", "watch-live")),
        *(reverse(name, args=[event.slug]) for name in (
            "event", "event-live", "event-boards", "event-fairness", "event-feed")),
        *(reverse(name, args=[ladder]) for name in ("ladder", "ladder-fairness")),
        *(reverse(name, args=[bot]) for name in ("bot", "play", "bot-feed")), reverse("events-feed"),
        f"{reverse('bots')}?q=bot", f"{reverse('search')}?q=bot",
        *(f"{games}?{query}" for query in (
            "ruleset=square-grid-hex&result=won", f"bot={bot}", f"bot={bot}&vs={opponent}", f"event={event.slug}",
            f"sort=shortest&bot={bot}", "sort=longest")),
        *(f"/api/{name}/" for name in ("bots", "ladders", "events", "matches", "games")),
        f"/api/ladders/{ladder}/standings/", f"/api/events/{event.slug}/standings/",
        f"/api/events/{event.slug}/crosstable/", f"/api/games/?bot={bot}", f"/api/matches/?event={event.slug}",
    ]


def _queries(client, event: Event) -> list[tuple[str, int]]:
    """Return each address and its number of queries."""
    counts = []
    for address in _addresses(event):
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address).status_code == 200, address
        counts.append((address, len(queries)))
    return counts


class TestEveryPage:
    def test_allows_only_its_own_inline_scripts_with_a_new_nonce_every_time(self, client, db):
        policies = [client.get("/")["Content-Security-Policy"] for _ in range(3)]
        assert policies[0].startswith("default-src 'none'")
        assert "unsafe-eval" not in policies[0]
        assert "script-src 'self' 'unsafe-inline'" not in policies[0]
        assert len({re.search(r"nonce-([\w-]+)", policy)[1] for policy in policies}) == 3

    def test_that_does_not_exist_shows_the_sites_own_error_page(self, client, db):
        for address in ("/games/999999/", "/bots/nobody/", "/events/never/", "/ladders/none/", "/nothing"):
            assert "Page not found" in body(client, address, expect=404)

    def test_that_fails_shows_no_details(self, db, monkeypatch):
        def broken(*args):
            raise RuntimeError("the secret")

        monkeypatch.setattr("tournaments.selectors.bots.bots.bots", broken)
        shown = body(Client(raise_request_exception=False), reverse("bots"), expect=500)
        assert "Something went wrong on our side" in shown
        assert "secret" not in shown


class TestEveryListAndPage:
    def test_renders_on_an_empty_site(self, client):
        for name in ("home", "home-live", "ladders", "events", "bots", "games", "watch", "trials", "challenges",
                     "events-feed"):
            answer = client.get(reverse(name))
            assert (answer.status_code, b"{{" in answer.content) == (200, False), name

    @pytest.mark.slow
    def test_takes_as_many_queries_for_ten_bots_as_for_four(self, client):
        small = _half_played("Small", bots=4, matches=4)
        _queries(client, small)
        few = _queries(client, small)
        play_event(small)
        many = _queries(client, _half_played("Big", bots=10, matches=12))
        assert [(address, before, after)
                for (_, before), (address, after) in zip(few, many, strict=True) if after > before] == []
        assert max(count for _, count in many) <= MOST


FRONTEND = Path(frontend.__file__).parent


class TestStyle:
    def test_is_in_the_page_and_allowed_by_its_policy(self, client):
        answer = client.get("/docs/")
        nonces = re.findall('<style nonce="([^"]+)">', answer.content.decode())
        assert len(nonces) == 2
        assert len(set(nonces)) == 1
        styles_allowed = re.search("style-src [^;]*", answer["Content-Security-Policy"])[0]
        assert f"'nonce-{nonces[0]}'" in styles_allowed
        assert "'unsafe-inline'" not in styles_allowed

    def test_is_the_minified_file(self):
        for name in ("site", "documents"):
            path = Path(styles._SHEETS) / f"{name}.css"
            text, written = path.read_text(), str(styles._squeezed(path, 0))
            assert len(written) < len(text)
            assert "/*" not in written
            declared = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
            assert re.sub(r"\s", "", declared).replace("../", "/static/") == re.sub(r"\s", "", written)


class TestVendoredFiles:
    def test_have_the_listed_hashes(self):
        for place in ("static/vendor/VENDORED.md", "pictures/fonts/FONTS.md"):
            table = (FRONTEND / place).read_text()
            listed = dict(re.findall(r"^\| `([^`]+)` .*`([0-9a-f]{64})` \|$", table, re.MULTILINE))
            present = {path.name: sha256(path.read_bytes()).hexdigest()
                       for path in (FRONTEND / place).parent.iterdir() if path.suffix not in (".md", ".txt")}
            assert listed == present
