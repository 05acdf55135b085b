"""Watching running games without a browser: their pages, live feeds, and where they are listed."""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import make_event, make_version, play_match
from tests.frontend.matches.live import begin, patient_redis
from tests.frontend.visits import HOSTILE, body, signed_in
from tournaments.models import Bot, Event, Match
from tournaments.selectors.matches.live_turns import GameKey, live_turns

pytestmark = pytest.mark.django_db
JUNK = (b"junk{", b"7", b"[]", b'["a1"]', b"[7, 1]", b'["a1", "x"]', b'["a1", NaN]', b"{}", b"\xff", b"[" * 60_000,
        b'["' + b"9" * 700_000 + b'", 1]', b'["no turn", 1]')


@pytest.fixture(scope="module")
def made(module_db) -> int:
    """The number of the only match of an event."""
    event = make_event([make_version("Alder"), make_version("Basalt")], ruleset="square-grid-hex", size=3)
    return Match.objects.get(event=event).pk


@pytest.fixture
def match(made: int) -> Match:
    return Match.objects.select_related("event", "first__bot", "second__bot", "ladder").get(pk=made)


@pytest.fixture
def at_play(match, redis_url):
    """Return a function that adds turns to a game of the running match; None ends the game."""
    with patient_redis() as store:
        yield begin(match, store)


def page_of(match: Match, number: int = 1) -> str:
    return reverse("match-game", args=[match.pk, number])


def feed(client: Client, match: Match, number: int = 1, **query):
    return client.get(reverse("match-turns", args=[match.pk, number]), query).json()


def texts(news) -> list[str]:
    return [turn["text"] for turn in news["turns"]]


class TestAGameBeforeItIsPlayed:
    def test_says_why_it_waits(self, client, match):
        page = body(client, page_of(match))
        assert "Waiting for a worker: next in its queue." in page
        assert "0 / 0" in page
        Match.objects.update(held=True)
        assert feed(client, match)["state"] == "On hold: the event is paused."

    def test_says_so_when_it_will_not_be_played(self, client, match):
        for status, words in (("void", "server error"), ("cancelled", "was not played")):
            Match.objects.update(status=status)
            assert words in body(client, page_of(match, 2))
            assert feed(client, match, 2)["ended"]

    def test_has_one_address_per_game_of_the_match(self, client, match):
        body(client, f"/matches/{match.pk}/3/", expect=404)
        body(client, "/matches/999999/1/", expect=404)


class TestAGameBeingPlayed:
    def test_shows_the_turns_so_far_in_the_format_of_a_finished_game(self, client, match, at_play):
        at_play("a1", "swap", "b2")
        page = body(client, page_of(match))
        assert "In progress." in page
        assert "3 / 3" in page
        assert f"Turn 3 of 3: {match.first.bot.name} b2" in page
        assert "2 / 3" in body(client, page_of(match), turn=2)
        document = json.loads(re.search(r'<script id="replay"[^>]*>(.*?)</script>', page)[1])
        assert [turn["ops"] for turn in document["turns"]] == [[[0, 0]], [[0, 1]], [[4, 0]]]
        assert (document["result"]["winner"], document["result"]["ended_by"], document["fault"]) == (None, "", None)

    def test_feeds_new_turns_once(self, client, match, at_play):
        at_play("a1", "swap")
        assert texts(feed(client, match, attempt=1, since=0)) == ["a1", "swap"]
        address = reverse("match-turns", args=[match.pk, 1]) + "?attempt=1&since=2"
        etag = client.get(address)["ETag"]
        assert client.get(address, headers={"If-None-Match": etag}).status_code == 304
        at_play("b2")
        news = client.get(address, headers={"If-None-Match": etag}).json()
        assert (news["since"], news["game"], news["ended"]) == (2, None, False)
        assert news["turns"] == [{"text": "b2", "seat": 0, "ops": [[4, 0]], "seconds": 0.25,
                                  "caption": "Stones to connect: 2–2 · level"}]
        for query in ({"attempt": 7, "since": 2}, {"since": "x"}, {"attempt": 1, "since": -1}):
            news = feed(client, match, **query)
            assert (news["since"], news["attempt"], len(news["turns"])) == (0, 1, 3), query

    def test_says_how_it_ended_and_when_the_next_one_begins(self, client, match, at_play):
        address = reverse("match", args=[match.pk])
        assert f'class="whole" href="{address}"' in body(client, reverse("event", args=[match.event.slug]))
        at_play("b1", "a1", "b2", "a2", "b3")
        assert client.get(address)["Location"] == page_of(match)
        at_play(None)
        assert feed(client, match)["state"] == (
            f"{match.first.bot.name} won by connecting north and south. The game counts once the match is finished.")
        assert feed(client, match, 2)["state"] == "In progress."
        assert client.get(address)["Location"] == page_of(match, 2)
        at_play("a1", None, number=2)
        assert feed(client, match, 2)["state"] == "This game is over. It counts once the match is finished."

    def test_shows_what_the_bots_report(self, client, match, at_play):
        at_play("a1")
        assert "The bots’ views" not in body(client, page_of(match))
        at_play("b2", win=0.75)
        assert '<circle class="s1"' in body(client, page_of(match))
        news = feed(client, match)
        assert news["turns"][1]["view"] == {"win": 0.75}
        assert '<circle class="s1"' in news["views"]

    @pytest.mark.broker
    def test_shows_the_turns_before_a_tampered_one(self, client, match, at_play):
        redis, key = live_turns()._redis, str(GameKey(match.pk, 1, 1))
        for junk in JUNK:
            redis.delete(key)
            at_play("a1")
            redis.rpush(key, junk)
            at_play("b2")
            assert texts(feed(client, match)) == ["a1"], junk[:20]
        for page in (reverse("watch"), reverse("home"), page_of(match)):
            body(client, page)
        redis.set(key, "junk")
        at_play("a1", number=2)
        assert texts(feed(client, match)) == []
        assert texts(feed(client, match, 2)) == ["a1"]

    def test_appears_on_the_watch_home_and_event_pages(self, client, match, at_play):
        at_play("a1")
        for page in (*map(reverse, ("watch", "watch-live", "home", "home-live")),
                     reverse("event", args=[match.event.slug]), reverse("event-boards", args=[match.event.slug])):
            shown = body(client, page)
            assert f'href="{page_of(match)}"' in shown, page
            assert f"{match.first.bot.name} against {match.second.bot.name}, after 1 turn" in shown, page

    def test_is_sent_in_parts_that_are_empty_while_unchanged(self, client, match, at_play):
        at_play("a1")
        addresses = (reverse("watch-live"), reverse("event-boards", args=[match.event.slug]))
        etags = [client.get(address)["ETag"] for address in addresses]
        for address, etag in zip(addresses, etags, strict=True):
            assert f'data-etag="{etag[1:-1]}"' in body(client, address)
            assert client.get(address, headers={"If-None-Match": etag}).status_code == 304
        at_play("b2")
        for address, etag in zip(addresses, etags, strict=True):
            assert client.get(address, headers={"If-None-Match": etag}).status_code == 200

    def test_of_a_private_event_is_hidden_from_others(self, client, match, at_play):
        Event.objects.update(private=True)
        at_play("a1")
        addresses = [page_of(match), reverse("match-turns", args=[match.pk, 1])]
        assert [client.get(address).status_code for address in addresses] == [404, 404]
        assert "/matches/" not in body(client, reverse("watch")) + body(client, reverse("home"))
        organiser = signed_in("organiser")
        assert [organiser.get(address).status_code for address in addresses] == [200, 200]
        assert "/matches/" in body(organiser, reverse("watch"))
        assert "/matches/" not in body(organiser, reverse("home"))

    def test_escapes_names(self, client, match, at_play):
        for bot in Bot.objects.all():
            Bot.objects.filter(pk=bot.pk).update(name=f"{HOSTILE}{bot.pk}")
        for page in (reverse("watch"), page_of(match)):
            assert "<img src=x" not in body(client, page)


class TestAGameThatIsOver:
    def test_is_the_target_of_its_live_page_with_the_same_query(self, client, match):
        game = play_match(match).games.get(number=2)
        assert client.get(page_of(match, 2) + "?turn=2")["Location"] == f"/games/{game.pk}/?turn=2"
        assert feed(client, match, 2)["game"] == f"/games/{game.pk}/"
