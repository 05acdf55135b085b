"""Watching games without a browser: live feeds, embedding, pictures, logs and filters."""

import json
import re
from datetime import timedelta

import pytest
from django.urls import reverse

from engines.view import View
from tests.factories import START, make_event, make_user, make_version, play_event, play_match
from tournaments.models import Game, Match
from tournaments.models.leased import FULL_TIER
from tournaments.selectors.matches.live_turns import GameKey, LiveTurn, live_turns
from tournaments.services.matches import matches

pytestmark = pytest.mark.django_db

HOSTILE = '<img src=x onerror=alert("1")>\u202e'


@pytest.fixture
def match():
    event = make_event([make_version("Alder"), make_version("Basalt")], ruleset="square-grid-hex", size=3)
    return Match.objects.get(event=event)


@pytest.fixture
def at_play(match, redis_url):
    """Return a function that adds turns to a game of the running match; None ends the game."""
    lease = matches.claim(match_id=match.pk, worker="test:1", tier=FULL_TIER, now=START)
    store = live_turns()
    store._next_try = 0.0

    def add(*texts, number=1, views=False):
        entries = [text and LiveTurn(text, 0.25, View(0.75) if views else None) for text in texts]
        store.append(GameKey(match.pk, lease.attempt.number, number), entries, anew=False)

    yield add
    # Other tests reuse the same ids.
    store.remove([GameKey(match.pk, lease.attempt.number, number) for number in (1, 2)])


def _body(client, address):
    response = client.get(address)
    assert response.status_code == 200, address
    return response.content.decode()


def _feed(client, match, number=1, **query):
    return client.get(reverse("match-turns", args=[match.pk, number]), query).json()


class TestAGameBeforeItIsPlayed:
    def test_says_why_it_waits(self, client, match):
        body = _body(client, reverse("match-game", args=[match.pk, 1]))
        assert "Waiting for a worker: next in its queue." in body
        assert "0 / 0" in body
        Match.objects.update(held=True)
        assert _feed(client, match)["state"] == "On hold: the event is paused."

    @pytest.mark.parametrize(("status", "words"), [("void", "server error"), ("cancelled", "was not played")])
    def test_says_so_when_it_will_not_be_played(self, client, match, status, words):
        Match.objects.update(status=status)
        assert words in _body(client, reverse("match-game", args=[match.pk, 2]))
        assert _feed(client, match, 2)["ended"]

    def test_has_one_address_per_game_of_the_match(self, client, match):
        assert client.get(f"/matches/{match.pk}/3/").status_code == 404
        assert client.get("/matches/999999/1/").status_code == 404


class TestAGameBeingPlayed:
    def test_shows_the_turns_so_far(self, client, match, at_play):
        at_play("a1", "swap", "b2")
        body = _body(client, reverse("match-game", args=[match.pk, 1]))
        assert "In progress." in body
        assert "3 / 3" in body
        assert f"Turn 3 of 3: {match.first.bot.name} b2" in body
        assert "2 / 3" in _body(client, reverse("match-game", args=[match.pk, 1]) + "?turn=2")

    def test_feeds_new_turns(self, client, match, at_play):
        at_play("a1", "swap")
        assert [turn["text"] for turn in _feed(client, match, attempt=1, since=0)["turns"]] == ["a1", "swap"]
        at_play("b2")
        news = _feed(client, match, attempt=1, since=2)
        assert (news["since"], news["game"], news["ended"]) == (2, None, False)
        assert news["turns"] == [{"text": "b2", "seat": 0, "ops": [[4, 0]], "seconds": 0.25,
                                  "caption": "Stones to connect: 2–2 · level"}]

    def test_says_how_it_ended(self, client, match, at_play):
        at_play("b1", "a1", "b2", "a2", "b3", None)
        assert _feed(client, match)["state"] == (
            f"{match.first.bot.name} won by connecting north and south. The game counts once the match is finished.")

    @pytest.mark.parametrize("query", [{"attempt": 7, "since": 2}, {"since": "x"}, {"attempt": 1, "since": -1}])
    def test_feeds_all_turns_to_readers_of_another_attempt(self, client, match, at_play, query):
        at_play("a1", "b2")
        news = _feed(client, match, **query)
        assert (news["since"], news["attempt"], len(news["turns"])) == (0, 1, 2)

    def test_shows_what_the_bots_report(self, client, match, at_play):
        at_play("a1")
        page = reverse("match-game", args=[match.pk, 1])
        assert "The bots’ views" not in _body(client, page)
        at_play("b2", views=True)
        assert '<circle class="s1"' in _body(client, page)
        news = _feed(client, match)
        assert news["turns"][1]["view"] == {"win": 0.75}
        assert '<circle class="s1"' in news["views"]

    def test_feeds_no_turn_twice(self, client, match, at_play):
        at_play("a1")
        address = reverse("match-turns", args=[match.pk, 1]) + "?attempt=1&since=1"
        etag = client.get(address)["ETag"]
        assert client.get(address, headers={"If-None-Match": etag}).status_code == 304
        at_play("b2")
        assert client.get(address, headers={"If-None-Match": etag}).status_code == 200

    def test_is_found_by_its_match(self, client, match, at_play):
        address = reverse("match", args=[match.pk])
        assert f'class="whole" href="{address}"' in _body(client, reverse("event", args=[match.event.slug]))
        at_play("a1")
        assert client.get(address)["Location"] == reverse("match-game", args=[match.pk, 1])
        at_play(None)
        assert client.get(address)["Location"] == reverse("match-game", args=[match.pk, 2])

    def test_says_when_it_is_over_and_when_the_next_one_begins(self, client, match, at_play):
        at_play("a1", None)
        assert _feed(client, match)["state"] == "This game is over. It counts once the match is finished."
        assert _feed(client, match, 2)["state"] == "In progress."

    def test_stays_readable_if_redis_contains_an_invalid_turn(self, client, match, at_play):
        at_play("a1", "no turn", "b2")
        assert [turn["text"] for turn in _feed(client, match)["turns"]] == ["a1"]

    @pytest.mark.parametrize("junk", [b"junk{", b"7", b"[]", b'["a1"]', b"[7, 1]", b'["a1", "x"]', b'["a1", NaN]',
                                      b"{}", b"\xff", b"[" * 60_000, b'["' + b"9" * 700_000 + b'", 1]'])
    def test_shows_the_turns_before_a_tampered_one(self, client, match, at_play, junk):
        at_play("a1")
        store = live_turns()
        key = str(GameKey(match.pk, 1, 1))
        store._redis.rpush(key, junk)
        at_play("b2")
        assert [turn["text"] for turn in _feed(client, match)["turns"]] == ["a1"]
        for page in (reverse("watch"), reverse("home"), reverse("match-game", args=[match.pk, 1])):
            _body(client, page)

    def test_is_shown_without_turns_if_its_key_has_another_type(self, client, match, at_play):
        at_play("a1", number=2)
        live_turns()._redis.set(str(GameKey(match.pk, 1, 1)), "junk")
        assert _feed(client, match)["turns"] == []
        assert [turn["text"] for turn in _feed(client, match, 2)["turns"]] == ["a1"]

    def test_appears_on_the_watch_home_and_event_pages(self, client, match, at_play):
        at_play("a1")
        address = f'href="{reverse("match-game", args=[match.pk, 1])}"'
        for page in (reverse("watch"), reverse("watch-live"), reverse("home"), reverse("home-live"),
                     reverse("event", args=[match.event.slug]), reverse("event-boards", args=[match.event.slug])):
            body = _body(client, page)
            assert address in body, page
            assert f"{match.first.bot.name} against {match.second.bot.name}, after 1 turn" in body, page

    @pytest.mark.parametrize("name", ["watch-live", "event-boards"])
    def test_takes_no_query_while_unchanged(self, client, match, at_play, name):
        at_play("a1")
        address = reverse(name, args=[match.event.slug] if name == "event-boards" else [])
        etag = client.get(address)["ETag"]
        assert f'data-etag="{etag[1:-1]}"' in _body(client, address)
        assert client.get(address, headers={"If-None-Match": etag}).status_code == 304
        at_play("b2")
        assert client.get(address, headers={"If-None-Match": etag}).status_code == 200

    def test_of_a_private_event_is_hidden_from_others(self, client, match, at_play):
        match.event.private = True
        match.event.save()
        at_play("a1")
        addresses = [reverse("match-game", args=[match.pk, 1]), reverse("match-turns", args=[match.pk, 1])]
        assert [client.get(address).status_code for address in addresses] == [404, 404]
        assert "/matches/" not in _body(client, reverse("watch")) + _body(client, reverse("home"))
        client.force_login(make_user("organiser"))
        assert [client.get(address).status_code for address in addresses] == [200, 200]
        assert "/matches/" in _body(client, reverse("watch"))
        assert "/matches/" not in _body(client, reverse("home"))

    def test_escapes_names(self, client, redis_url):
        event = make_event([make_version(HOSTILE), make_version("Basalt")], ruleset="square-grid-hex", size=3)
        match = Match.objects.get(event=event)
        matches.claim(match_id=match.pk, worker="test:1", tier=FULL_TIER, now=START)
        for page in (reverse("watch"), reverse("match-game", args=[match.pk, 1])):
            assert "<img src=x" not in _body(client, page)


class TestAGameThatIsOver:
    def test_is_the_target_of_its_live_page_with_the_same_query(self, client, match):
        play_match(match)
        game = match.games.get(number=2)
        answer = client.get(reverse("match-game", args=[match.pk, 2]) + "?turn=2")
        assert answer["Location"] == f"/games/{game.pk}/?turn=2"
        assert _feed(client, match, 2)["game"] == f"/games/{game.pk}/"

    def test_can_be_framed_only_by_its_embed_page(self, client, match):
        game = play_match(match).games.first()
        embed = client.get(reverse("game-embed", args=[game.pk]) + "?turn=1&theme=dark&autoplay=1")
        assert "frame-ancestors *" in embed["Content-Security-Policy"]
        assert "X-Frame-Options" not in embed
        body = embed.content.decode()
        assert 'data-asked="dark"' in body.partition("<head>")[0]
        assert "data-autoplay" in body
        assert f"1 / {game.plies}" in body
        page = client.get(reverse("game", args=[game.pk]))
        assert "frame-ancestors 'none'" in page["Content-Security-Policy"]
        assert page["X-Frame-Options"] == "DENY"
        assert reverse("game-embed", args=[game.pk]) in page.content.decode()

    @pytest.mark.parametrize("name", ["game", "game-embed"])
    def test_hides_its_controls_on_request(self, client, match, name):
        address = reverse(name, args=[play_match(match).games.first().pk])
        assert "data-slider" in _body(client, address)
        assert "data-slider" not in _body(client, address + "?controls=0")

    @pytest.mark.parametrize("theme", ["pink", '"><script>'])
    def test_ignores_an_unknown_theme(self, client, match, theme):
        address = reverse("game", args=[play_match(match).games.first().pk])
        assert "data-asked" not in client.get(address, {"theme": theme}).content.decode().partition("<head>")[0]

    def test_shows_a_fault_where_it_happened(self, client, match):
        game = play_match(match, fault_after=2).games.get(number=1)
        body = _body(client, reverse("game", args=[game.pk]))
        assert body.index('data-turn="2"') < body.index("Output:") < body.index("</ol>")
        assert 'class="broke b0"' in body

    def test_is_a_png_at_any_turn(self, client, match):
        game = play_match(match).games.first()
        pictures = [client.get(reverse("game-png", args=[game.pk]), {"turn": turn}) for turn in (0, 2)]
        assert all(picture.content.startswith(b"\x89PNG") for picture in pictures)
        assert pictures[0].content != pictures[1].content


class TestStderr:
    @pytest.fixture
    def game(self, match):
        game = play_match(match).games.get(number=1)
        Game.objects.filter(pk=game.pk).update(stderr0=b"<b>thinking</b>\x1b[2J \xff", stderr1=b"")
        return game

    def test_is_shown_escaped_to_the_bots_owner_and_staff(self, client, game):
        for name in ("mia", "boss"):
            client.force_login(make_user(name, staff=name == "boss"))
            answer = client.get(reverse("game-logs", args=[game.pk, 0]))
            assert "&lt;b&gt;thinking&lt;/b&gt;⟨U+001B⟩[2J" in answer.content.decode()
            assert "no-store" in answer["Cache-Control"]
            assert reverse("game-logs", args=[game.pk, 0]) in _body(client, reverse("game", args=[game.pk]))
        assert "No output." in _body(client, reverse("game-logs", args=[game.pk, 1]))

    def test_is_not_found_by_others(self, client, game):
        assert client.get(reverse("game-logs", args=[game.pk, 0])).status_code == 404
        client.force_login(make_user("tom"))
        assert client.get(reverse("game-logs", args=[game.pk, 0])).status_code == 404
        assert "/logs/" not in _body(client, reverse("game", args=[game.pk]))
        assert client.get(f"/games/{game.pk}/logs/2/").status_code == 404


class TestCards:
    @pytest.fixture
    def event(self):
        return play_event(make_event([make_version(HOSTILE), make_version("日本 Ł")], name="<b>Cup</b>"))

    def test_are_pictures_for_any_name(self, client, event):
        game = Game.objects.first()
        for address in (reverse("game-card", args=[game.pk]), reverse("event-card", args=[event.slug]),
                        reverse("bot-card", args=[game.seat0.bot.slug])):
            answer = client.get(address)
            assert answer.content.startswith(b"\x89PNG"), address
            assert answer["Cache-Control"].startswith("public")

    def test_are_linked_in_page_heads_with_escaped_names(self, client, event):
        game = Game.objects.first()
        for address, card in ((reverse("game", args=[game.pk]), reverse("game-card", args=[game.pk])),
                              (reverse("event", args=[event.slug]), reverse("event-card", args=[event.slug])),
                              (reverse("bot", args=[game.seat0.bot.slug]),
                               reverse("bot-card", args=[game.seat0.bot.slug]))):
            head = " ".join(_body(client, address).split("</head>")[0].split())
            assert f'property="og:image" content="http://testserver{card}"' in head
            assert "<img" not in head
            assert "<b>" not in head
            assert "\u202e" not in "".join(re.findall(r"<meta[^>]*>", head))

    def test_do_not_exist_for_private_events(self, client, event):
        event.private = True
        event.save()
        client.force_login(make_user("organiser"))
        game = Game.objects.first()
        assert client.get(reverse("game-card", args=[game.pk])).status_code == 404
        assert client.get(reverse("event-card", args=[event.slug])).status_code == 404
        body = _body(client, reverse("game", args=[game.pk]))
        assert reverse("game-card", args=[game.pk]) not in body
        assert f'content="http://testserver{reverse("site-card")}"' in body


class TestFilters:
    @pytest.fixture
    def event(self):
        return play_event(make_event([make_version(name) for name in ("Alder", "Basalt", "Cinder")]))

    @staticmethod
    def _listed(client, **query):
        body = client.get(reverse("games"), query).content.decode()
        return [int(pk) for pk in re.findall(r'class="game-line" href="/games/(\d+)/"', body)]

    def test_select_by_each_of_their_fields(self, client, event):
        play_match(Match.objects.get(event=make_event([make_version("Dolomite"), make_version("Elm")], name="Other",
                                                      ruleset="squaresquared", size=3)),
                   fault_after=1, now=START + timedelta(hours=2))
        every = list(Game.objects.select_related("match__ladder", "seat0__bot", "seat1__bot").order_by("-pk"))
        chosen = {
            ("ruleset", "squaresquared"): lambda game: game.match.ruleset == "squaresquared",
            ("ladder", event.ladder.slug): lambda game: game.match.ladder == event.ladder,
            ("event", event.slug): lambda game: game.event_id == event.pk,
            ("ended_by", "conduct"): lambda game: game.ended_by == "conduct",
            ("result", "won"): lambda game: game.winner == 0,
            ("result", "drawn"): lambda game: game.winner is None,
            ("bot", "alder"): lambda game: "Alder" in (game.seat0.bot.name, game.seat1.bot.name),
            ("ruleset", "chess"): lambda game: True,
        }
        for (name, value), wanted in chosen.items():
            assert self._listed(client, **{name: value}) == [game.pk for game in every if wanted(game)][:30], name

    def test_interpret_the_result_from_the_bots_side(self, client, event):
        bot = event.entries.first().bot
        won = Game.objects.filter(winner=0, seat0__bot=bot) | Game.objects.filter(winner=1, seat1__bot=bot)
        assert self._listed(client, bot=bot.slug, result="won") == list(
            won.order_by("-pk").values_list("pk", flat=True))

    def test_remain_in_the_form_and_in_the_link_to_older_games(self, client, event):
        body = client.get(reverse("games"), {"ruleset": "scware", "result": "lost"}).content.decode()
        assert '<option value="scware" selected>' in body
        assert '<option value="lost" selected>' in body

    @pytest.mark.parametrize("junk", ["\x00", '"><script>', "x" * 500, "' OR 1=1"])
    def test_ignore_invalid_values(self, client, event, junk):
        query = dict.fromkeys(("bot", "vs", "ladder", "event", "ruleset", "ended_by", "result"), junk)
        answer = client.get(reverse("games"), query)
        assert answer.status_code == 200
        assert "<script>" not in answer.content.decode().split("<main")[1]


class TestReplayDocument:
    def test_of_a_running_game_has_the_format_of_a_finished_one(self, client, match, at_play):
        at_play("a1", "swap", "b2")
        body = _body(client, reverse("match-game", args=[match.pk, 1]))
        document = json.loads(re.search(r'<script id="replay"[^>]*>(.*?)</script>', body)[1])
        assert [turn["ops"] for turn in document["turns"]] == [[[0, 0]], [[0, 1]], [[4, 0]]]
        assert (document["result"]["winner"], document["result"]["ended_by"], document["fault"]) == (None, "", None)
