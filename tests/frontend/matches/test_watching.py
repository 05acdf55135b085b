"""Watching running games without a browser: pages, live feeds and lists; and director mode: choice, reason, stage."""

import json
import re
from collections.abc import Callable, Iterator

import pytest
from django.test import Client
from django.urls import reverse

from engines.view import View
from frontend.live.tension import reason_in_words
from tests.factories import START, make_event, make_version, play_match
from tests.frontend.visits import body, signed_in
from tournaments.models import Event, Match
from tournaments.models.leased import FULL_TIER
from tournaments.scoring.tension import Facts, tension
from tournaments.selectors.matches import live_turns
from tournaments.selectors.matches.live_turns import GameKey, LiveTurn, LiveTurns
from tournaments.services.ladders import rating
from tournaments.services.matches import matches

pytestmark = pytest.mark.django_db
JUNK = (b"junk{", b"7", b"[]", b'["a1"]', b"[7, 1]", b'["a1", "x"]', b'["a1", NaN]', b"{}", b"\xff", b"[" * 60_000,
        b'["' + b"9" * 700_000 + b'", 1]', b'["no turn", 1]')


@pytest.fixture(scope="module")
def made(module_db) -> list[int]:
    """The numbers of the three matches of an event."""
    event = make_event([make_version(name) for name in ("Alder", "Basalt", "Cedar")], ruleset="square-grid-hex", size=4)
    return list(Match.objects.filter(event=event).order_by("round__number", "number").values_list("pk", flat=True))


@pytest.fixture
def queued(made: list[int]) -> list[Match]:
    return [Match.objects.select_related("event", "first__bot", "second__bot", "ladder").get(pk=pk) for pk in made]


@pytest.fixture
def match(queued: list[Match]) -> Match:
    return queued[0]


@pytest.fixture
def turns(redis_url, monkeypatch) -> Iterator[LiveTurns]:
    """The lists of turns, for which pages wait as long as a busy machine needs."""
    for name in ("CONNECT_SECONDS", "ANSWER_SECONDS"):
        monkeypatch.setattr(live_turns, name, 60.0)
    live_turns._at.cache_clear()
    yield live_turns.live_turns()
    live_turns._at.cache_clear()


def begin(match: Match, turns: LiveTurns) -> Callable[..., None]:
    """Claim the match, and return a function that adds turns to one of its games; None ends the game."""
    lease = matches.claim(match_id=match.pk, worker=f"test:{match.pk}", tier=FULL_TIER, now=START)

    def add(*texts: str | None, number: int = 1, win: float | None = None) -> None:
        view = None if win is None else View(win)
        turns.append(GameKey(match.pk, lease.attempt.number, number),
                     [text and LiveTurn(text, 0.25, view) for text in texts], anew=False)
    return add


@pytest.fixture
def at_play(match, turns):
    return begin(match, turns)


def page_of(match: Match, number: int = 1) -> str:
    return reverse("match-game", args=[match.pk, number])


def feed(client: Client, match: Match, number: int = 1, **query):
    return client.get(reverse("match-turns", args=[match.pk, number]), query).json()


def texts(news) -> list[str]:
    return [turn["text"] for turn in news["turns"]]


class TestAGameBeforeItIsPlayed:
    def test_says_why_it_waits_or_will_not_be_played(self, client, match):
        page = body(client, page_of(match))
        assert "Waiting for a worker: next in its queue." in page
        assert "0 / 0" in page
        Match.objects.update(held=True)
        assert feed(client, match)["state"] == "On hold: the event is paused."
        for status, words in (("void", "server error"), ("cancelled", "was not played")):
            Match.objects.update(status=status)
            assert words in body(client, page_of(match, 2))
            assert feed(client, match, 2)["ended"]
        for address in (f"/matches/{match.pk}/3/", "/matches/999999/1/"):
            body(client, address, expect=404)


class TestAGameBeingPlayed:
    def test_shows_the_turns_so_far_in_the_format_of_a_finished_game(self, client, match, at_play):
        at_play("a1", "swap", "b2")
        page = body(client, page_of(match))
        for text in ("In progress.", "3 / 3", f"Turn 3 of 3: {match.first.bot.name} b2"):
            assert text in page
        assert "2 / 3" in body(client, page_of(match), turn=2)
        document = json.loads(re.search(r'<script id="replay"[^>]*>(.*?)</script>', page)[1])
        assert [turn["ops"] for turn in document["turns"]] == [[[0, 0]], [[0, 1]], [[5, 0]]]
        assert (document["result"]["winner"], document["result"]["ended_by"], document["fault"]) == (None, "", None)

    def test_feeds_new_turns_once(self, client, match, at_play):
        at_play("a1", "swap")
        assert texts(feed(client, match, attempt=1, since=0)) == ["a1", "swap"]
        address = reverse("match-turns", args=[match.pk, 1]) + "?attempt=1&since=2"
        known = {"If-None-Match": client.get(address)["ETag"]}
        assert client.get(address, headers=known).status_code == 304
        at_play("b2")
        news = client.get(address, headers=known).json()
        assert (news["since"], news["game"], news["ended"]) == (2, None, False)
        assert news["turns"] == [{"text": "b2", "seat": 0, "ops": [[5, 0]], "seconds": 0.25,
                                  "caption": "Stones to connect: 3–3 · level"}]
        for query in ({"attempt": 7, "since": 2}, {"since": "x"}, {"attempt": 1, "since": -1}):
            news = feed(client, match, **query)
            assert (news["since"], news["attempt"], len(news["turns"])) == (0, 1, 3), query

    def test_says_how_it_ended_and_when_the_next_one_begins(self, client, match, at_play):
        address = reverse("match", args=[match.pk])
        assert f'class="whole" href="{address}"' in body(client, reverse("event", args=[match.event.slug]))
        at_play("b1", "a1", "b2", "a2", "b3", "a3", "b4")
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
    def test_shows_the_turns_before_a_tampered_one(self, client, match, at_play, turns):
        key = str(GameKey(match.pk, 1, 1))
        for junk in JUNK:
            turns._redis.delete(key)
            at_play("a1")
            turns._redis.rpush(key, junk)
            at_play("b2")
            assert texts(feed(client, match)) == ["a1"], junk[:20]
        for page in (reverse("watch"), reverse("home"), page_of(match)):
            body(client, page)
        turns._redis.set(key, "junk")
        at_play("a1", number=2)
        assert [texts(feed(client, match, number)) for number in (1, 2)] == [[], ["a1"]]

    def test_appears_on_pages_whose_parts_are_empty_while_unchanged(self, client, match, at_play):
        at_play("a1")
        slug = match.event.slug
        parts = [reverse("watch-live"), reverse("event-boards", args=[slug])]
        for page in (*map(reverse, ("watch", "home", "home-live")), reverse("event", args=[slug]), *parts):
            shown = body(client, page)
            assert f'href="{page_of(match)}"' in shown, page
            assert f"{match.first.bot.name} against {match.second.bot.name}, after 1 turn" in shown, page
        known = {address: {"If-None-Match": client.get(address)["ETag"]} for address in parts}
        for address, headers in known.items():
            assert f'data-etag="{headers["If-None-Match"][1:-1]}"' in body(client, address)
            assert client.get(address, headers=headers).status_code == 304
        at_play("b2")
        assert [client.get(address, headers=headers).status_code for address, headers in known.items()] == [200, 200]

    def test_of_a_private_event_is_hidden_from_others(self, client, match, at_play):
        Event.objects.update(private=True)
        at_play("a1")
        organiser = signed_in("organiser")
        for address in (page_of(match), reverse("match-turns", args=[match.pk, 1])):
            assert (client.get(address).status_code, organiser.get(address).status_code) == (404, 200)
        watch, home = reverse("watch"), reverse("home")
        assert ["/matches/" in body(browser, page) for browser in (client, organiser) for page in (watch, home)] == [
            False, False, True, False]


class TestAGameThatIsOver:
    def test_is_the_target_of_its_live_page_with_the_same_query(self, client, match):
        game = play_match(match).games.get(number=2)
        assert client.get(page_of(match, 2) + "?turn=2")["Location"] == f"/games/{game.pk}/?turn=2"
        assert feed(client, match, 2)["game"] == f"/games/{game.pk}/"


class TestTheDirector:
    @pytest.fixture
    def running(self, queued, turns):
        """Two running matches: both sides of the first need two stones, the second has just begun."""
        begin(queued[0], turns)("a1", "d4", "a2", "c4", "d1", win=0.5)
        begin(queued[1], turns)("a1", win=0.5)
        return queued[:2]

    def test_chooses_the_tensest_game_and_says_why(self, client, running):
        tense, calm = running
        news = client.get(reverse("director-news")).json()
        assert news["choice"] == f"{tense.pk}-1"
        assert [game["key"] for game in news["games"]] == [f"{tense.pk}-1", f"{calm.pk}-1"]
        assert news["games"][0]["reason"] == "the bots expect a close game: 50.0% for the first player"

    def test_replays_the_latest_games_if_none_is_running_and_names_upsets(self, client, match):
        play_match(match)
        rating.rate_due(START)
        game = match.games.order_by("-pk").filter(winner__isnull=False).first()
        game.rated.chance, game.rated.level = 0.11, 1830.0
        game.rated.lead = -360.0 if game.winner == 0 else 360.0
        game.rated.save()
        news = client.get(reverse("director-news")).json()
        assert news["choice"] == ""
        assert [game["reason"] for game in news["games"]] == ["no game is running: a replay"] * 2
        (upset,) = news["upsets"]
        assert re.fullmatch(r"(\w+) \(1650\) beat (\w+) \(2010\), chance 11\.0%", upset["text"])
        client.cookies["results"] = "hidden"
        assert client.get(reverse("director-news")).json()["upsets"] == []

    def test_begins_at_the_recent_turns_of_a_running_game(self, client, running):
        match = running[0]
        page = body(client, reverse("director-match", args=[match.pk, 1]))
        assert f'data-feed="{reverse("match-turns", args=[match.pk, 1])}"' in page
        assert f'data-now="{len(match.opening)}"' in page

    def test_begins_at_the_start_of_a_finished_game_and_shows_no_result(self, client, match):
        game = play_match(match).games.get(number=1)
        for address in (reverse("director-game", args=[game.pk]), reverse("director-match", args=[game.match_id, 1])):
            page = body(client, address)
            assert 'data-now="0"' in page
            assert "data-feed" not in page
            # The script needs it for the last turn; outside its data, the page does not tell.
            told = re.sub(r'<script.*?</script>|data-ending=".*?"|aria-label=".*?"', "", page, flags=re.DOTALL)
            assert not re.search(rf"\bwon\b|/ {game.plies}\b|of {game.plies}\b", told)
            document = json.loads(re.search(r"<script.*?>(.*?)</script>", page, re.DOTALL)[1])
            assert "%(last)s" not in document["words"]["turn"]

    def test_names_the_part_that_contributes_most(self):
        for facts, words in (
                (Facts(stones=(2, 2)), "both sides need 2 stones"), (Facts(stones=(1, 1)), "both sides need 1 stone"),
                (Facts(stones=(1, 2)), "black needs 1, white needs 2 stones to connect"),
                (Facts(lead=0, filled=0.9), "the board fills, and the game is level"),
                (Facts(lead=1, filled=0.9), "the board fills, and the lead is small"),
                (Facts(chance=0.52), "the bots expect a close game: 52.0% for the first player"),
                (Facts(rating=2400), "both players have high ratings"),
                (Facts(gap=0.5), "the players are close in the standings"), (Facts(), "the newest game")):
            assert reason_in_words(facts, tension(facts).reason, "square-grid-hex") == words
