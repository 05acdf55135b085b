"""The page of a finished game: turns, faults, logs, cards, games under older rules, and results that readers hide."""

import re
from types import SimpleNamespace

import pytest
from django.core.cache import caches
from django.test import Client
from django.urls import reverse

from tests.factories import START, make_event, make_version, play_event, play_match
from tests.frontend.visits import HOSTILE, body, signed_in
from tournaments.models import Bot, Event, Game, Match

pytestmark = pytest.mark.django_db
LINE = f"\x1b[2J\u202e</script><script>alert(1)</script>{HOSTILE}\x00"


@pytest.fixture(scope="module")
def world(module_db) -> SimpleNamespace:
    """A game without a fault, and one broken off at its third turn and at its first."""
    event = make_event([make_version("Alder"), make_version("Basalt")], ruleset="square-grid-hex", size=5, cycles=3)
    facts = ({}, {"fault_after": 2, "fault_line": LINE}, {"fault_after": 0})
    whole, broken, empty = (
        play_match(match, now=START, **fact).games.get(number=1).pk
        for match, fact in zip(Match.objects.filter(event=event).order_by("pk"), facts, strict=True))
    opened = make_event([make_version("Cinder"), make_version("Dune")], name="Openings", size=4, openings=True)
    return SimpleNamespace(event=event.pk, whole=whole, broken=broken, empty=empty, opened=opened,
                           with_opening=play_match(Match.objects.get(event=opened)).games.get(number=1))


@pytest.fixture
def game(world) -> Game:
    return Game.objects.select_related("event", "seat0__bot", "seat1__bot").get(pk=world.whole)


class TestGamePage:
    def test_draws_any_requested_turn_and_links_to_every_turn(self, client, game):
        address = reverse("game", args=[game.pk])
        for asked in ("0", "3", "999999", "", "-1", "x", "٣"):
            shown = min(int(asked), game.plies) if asked.isascii() and asked.isdigit() else game.plies
            page = body(client, address, turn=asked)
            assert f"{shown} / {game.plies}</output>" in page, asked
        assert set(range(game.plies + 1)) <= {int(turn) for turn in re.findall(r'href="\?turn=(\d+)"', page)}
        assert client.get(reverse("game-json", args=[game.pk])).json() == game.record

    def test_shows_a_fault_where_it_happened_without_its_control_characters(self, client, world):
        page = body(client, reverse("game", args=[world.broken]))
        assert page.index('data-turn="2"') < page.index("Output:") < page.index("</ol>")
        assert 'class="broke b0"' in page
        assert "⟨U+001B⟩[2J⟨U+202E⟩&lt;/script&gt;&lt;script&gt;" in page
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert not set("\x1b\x00\u202e") & set(page)
        assert not set("\x1b\x00\u202e") & set(body(client, reverse("game-text", args=[world.broken])))

    def test_renders_if_a_bot_failed_before_the_first_turn(self, client, world):
        assert "0 / 0</output>" in body(client, reverse("game", args=[world.empty]))
        body(client, reverse("game-text", args=[world.empty]))
        body(client, f"{reverse('game-svg', args=[world.empty])}?thumb")

    def test_names_its_opening_like_the_page_of_the_event(self, client, world):
        game = world.with_opening
        given = " ".join(game.match.opening)
        assert f"opening: {given}" in body(client, reverse("game", args=[game.pk]))
        assert f"opening: {given} (random" in body(client, reverse("game-text", args=[game.pk]))
        assert "random openings" in body(client, reverse("event", args=[world.opened.slug]))

    def test_can_be_framed_only_by_its_embed_page(self, client, game):
        embed = client.get(reverse("game-embed", args=[game.pk]) + "?turn=1&theme=dark&autoplay=1")
        assert "frame-ancestors *" in embed["Content-Security-Policy"]
        assert "X-Frame-Options" not in embed
        shown = embed.content.decode()
        assert 'data-asked="dark"' in shown.partition("<head>")[0]
        assert "data-autoplay" in shown
        assert f"1 / {game.plies}" in shown
        page = client.get(reverse("game", args=[game.pk]), {"theme": '"><script>'})
        assert "frame-ancestors 'none'" in page["Content-Security-Policy"]
        assert page["X-Frame-Options"] == "DENY"
        assert reverse("game-embed", args=[game.pk]) in page.content.decode()
        assert "data-asked" not in page.content.decode().partition("<head>")[0]

    def test_hides_its_controls_on_request(self, client, game):
        for name in ("game", "game-embed"):
            address = reverse(name, args=[game.pk])
            assert "data-slider" in body(client, address)
            assert "data-slider" not in body(client, address, controls=0)


class TestStderr:
    def test_is_shown_escaped_to_the_bots_owner_and_staff_only(self, client, game):
        Game.objects.filter(pk=game.pk).update(stderr0=b"<b>thinking</b>\x1b[2J \xff", stderr1=b"")
        page, logs = reverse("game", args=[game.pk]), reverse("game-logs", args=[game.pk, 0])
        for reader in (signed_in("mia"), signed_in("boss", staff=True)):
            answer = reader.get(logs)
            assert "&lt;b&gt;thinking&lt;/b&gt;⟨U+001B⟩[2J" in answer.content.decode()
            assert "no-store" in answer["Cache-Control"]
            assert logs in body(reader, page)
            assert "No output." in body(reader, reverse("game-logs", args=[game.pk, 1]))
        for reader in (client, signed_in("tom")):
            body(reader, logs, expect=404)
            assert "/logs/" not in body(reader, page)
        body(client, f"/games/{game.pk}/logs/2/", expect=404)


class TestCards:
    def test_are_pictures_for_any_name_but_not_of_private_events(self, client, game):
        Event.objects.filter(pk=game.event_id).update(name="<b>Cup</b>")
        for seat, name in ((game.seat0, f"{HOSTILE}\u202e"), (game.seat1, "日本 Ł")):
            Bot.objects.filter(pk=seat.bot_id).update(name=name)
        keys = {"game": game.pk, "event": game.event.slug, "bot": game.seat0.bot.slug}
        for noun, key in keys.items():
            answer = client.get(reverse(f"{noun}-card", args=[key]))
            assert answer.content.startswith(b"\x89PNG"), noun
            assert answer["Cache-Control"].startswith("public")
        Event.objects.update(private=True)
        for noun in ("game", "event"):
            body(signed_in("organiser"), reverse(f"{noun}-card", args=[keys[noun]]), expect=404)


class TestAnOlderGame:
    @pytest.mark.parametrize("change", [{"rules": 9}, {"turns": ["a1", "a1"]}, {"format": 99}, None])
    def test_is_shown_without_a_board_at_every_address(self, game, client, change):
        """Recorded under other rules, against the rules, in an unknown format, or without anything in it."""
        text, api = game.record["turns"][0]["turn"], f"/api/games/{game.pk}/"
        if change and "turns" in change:
            change = {"turns": game.record["turns"][:1] * 2}
        Game.objects.filter(pk=game.pk).update(record={} if change is None else {**game.record, **change})
        for name in ("game", "game-embed"):
            page = body(client, reverse(name, args=[game.pk]))
            assert ("Recorded under older rules" in page, "<replay-viewer" in page) == (True, False), name
            assert change is None or f"<span> {text} </span>" in " ".join(page.split())
        for name in ("game-svg", "game-png", "game-card"):
            body(client, reverse(name, args=[game.pk]), expect=404)
        for address in (reverse("games"), reverse("event", args=[game.event.slug]), f"{api}record/", "/api/games/",
                        reverse("bot", args=[game.seat0.bot.slug]), api, reverse("game-json", args=[game.pk]),
                        reverse("game-text", args=[game.pk]), f"{reverse('game-svg', args=[game.pk])}?thumb"):
            body(client, address)
        assert client.get(f"{api}replay/").json()["older"] is True
        # A record that is sent unchanged needs no rules, only a known format.
        assert client.get(reverse("game-sgf", args=[game.pk])).status_code in (200, 404)
        assert client.get(f"{api}sgf/").status_code in (200, 409)


@pytest.fixture(scope="module")
def hidden(module_db) -> Game:
    """The first game of a finished event."""
    event = play_event(make_event([make_version("Elm"), make_version("Fir")], name="Last", ruleset="squ", size=6))
    return Game.objects.select_related("event", "seat0__bot", "seat1__bot").get(event=event, number=1)


@pytest.fixture
def hiding() -> Client:
    client = Client()
    client.post(reverse("results"), {"results": "hidden"})
    return client


def tells(page: str, game: Game) -> list[str]:
    """Return the texts of the page that tell how its game ended.

    The list of turns is left out, whose later lines the style sheet hides, and the example next to the rules.
    """
    shown = re.sub(r'<(script|style|ol)\b.*?</\1>|aria-label="A finished game.*?"', "", page, flags=re.DOTALL)
    return re.findall(rf"\bwon\b|Draw|{game.plies} turns|/ {game.plies}\b|of {game.plies}\b|turn={game.plies}\b"
                      r"|\d/card.png", shown)


class TestHiddenResults:
    def test_are_a_choice_that_is_remembered_and_returns_to_its_page_only(self, client):
        client.get(reverse("results"), {"results": "hidden"})
        assert "results" not in client.cookies
        answer = client.post(reverse("results"), {"results": "hidden"}, headers={"referer": "http://testserver/games/"})
        assert (answer.status_code, answer["Location"]) == (302, "http://testserver/games/")
        assert client.cookies["results"].value == "hidden"
        answer = client.post(reverse("results"), {"results": ""}, headers={"referer": "https://evil.example/"})
        assert (answer["Location"], client.cookies["results"].value) == ("/", "")

    def test_are_left_out_of_lists(self, client, hiding, hidden):
        bot, other, event = hidden.seat0.bot.slug, hidden.seat1.bot.slug, hidden.event.slug
        for name, *arguments in (("home",), ("home-live",), ("games",), ("bot", bot), ("pair", bot, other),
                                 ("event", event), ("event-live", event)):
            address = reverse(name, args=arguments)
            assert f"{hidden.plies} turns" in body(client, address), name
            page = body(hiding, address)
            assert ["Result hidden" in page, f"{hidden.plies} turns" in page, "?thumb" in page] == [True, False, False]

    def test_have_an_etag_of_their_own(self, client, hiding, hidden):
        address = reverse("event-live", args=[hidden.event.slug])
        tag = client.get(address)["ETag"]
        assert hiding.get(address, headers={"if-none-match": tag}).status_code == 200

    def test_are_shared_by_choice(self, client, hiding, hidden, settings):
        settings.SHARED_PAGE_SECONDS = 3600
        caches["pages"].clear()
        for _ in range(2):
            assert "Result hidden" not in body(client, "/games/")
            assert "Result hidden" in body(hiding, "/games/")
        caches["pages"].clear()

    def test_are_told_by_a_game_on_request_and_at_its_last_turn(self, client, hiding, hidden):
        page = reverse("game", args=[hidden.pk])
        for address in (page, reverse("game-embed", args=[hidden.pk])):
            for query in ({}, {"turn": 3}):
                shown = body(hiding, address, **query)
                assert tells(shown, hidden) == []
                assert '"ended_by": ""' in shown
                assert "data-hides" in shown
        whole = tells(body(client, page), hidden)
        assert whole
        for query in ({"result": 1}, {"turn": 999}):
            assert tells(body(hiding, page, **query), hidden) == whole
