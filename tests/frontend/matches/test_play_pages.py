"""Pages of casual games, for signed-in users and visitors, without scripts."""

import re
from random import Random

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from engines.check import size_up_to
from engines.records.record import Fault
from engines.rules.explaining import explain
from engines.rules.outcome import Forfeit
from engines.rules.registry import RULESETS
from frontend.text import turn_words
from tests.factories import make_user, make_version
from tests.frontend import visits
from tests.frontend.visits import reply, signed_in, status_of
from tournaments.models import CasualGame, Version
from tournaments.services.accounts.bans import ban
from tournaments.services.casual.turns import is_persons_turn, plies, position_of

pytestmark = pytest.mark.django_db
STARTED = "Start of the game. Your turn: a stone."


@pytest.fixture(scope="module")
def otter(module_db) -> Version:
    make_user("admin", staff=True)
    return make_version("Otter")


@pytest.fixture
def start(otter, client):
    """Return a function that starts a game in a browser; by default the visitor moves first."""

    def start(browser: Client = client, **terms) -> CasualGame:
        answer = browser.post(reverse("play", args=[otter.bot.slug]), {
            "ruleset": "square-grid-hex", "size": 3, "pace": "normal", "seat": "0", **terms})
        assert answer.status_code == 302, answer.content.decode()
        return CasualGame.objects.get(token=answer["Location"].split("/")[-2])
    return start


def shown(browser: Client, game: CasualGame, query: str = "") -> str:
    return visits.body(browser, reverse("casual-game", args=[game.token]) + query)


def play(browser: Client, game: CasualGame, turn: str, ply: object = 0) -> str:
    """Play a turn, and return the whole page that follows."""
    return browser.post(reverse("casual-turn", args=[game.token]), {"turn": turn, "ply": ply},
                        follow=True).content.decode()


def part(browser: Client, game: CasualGame, turn: str, ply: object = 0) -> str:
    """Play a turn that is refused, as the script does, and return the part of the page that it shows."""
    answer = browser.post(reverse("casual-turn", args=[game.token]), {"turn": turn, "ply": ply},
                          headers={"X-Part": "1"})
    assert answer.status_code == 409
    assert b"<html" not in answer.content
    return answer.content.decode()


def act(browser: Client, game: CasualGame, verb: str) -> str:
    """Resign or ask for a rematch, and return the page that follows."""
    return browser.post(reverse(f"casual-{verb}", args=[game.token]), follow=True).content.decode()


class TestThePlayForm:
    def test_offers_the_rulesets_that_the_bot_plays(self, client, otter):
        squid = make_version("Squid", rulesets=["squ"])
        address = reverse("play", args=[squid.bot.slug])
        page = visits.body(client, address)
        assert 'value="squ"' in page
        assert 'value="scware"' not in page
        assert address in visits.body(client, reverse("bot", args=[squid.bot.slug]))

    def test_keeps_the_input_and_shows_errors(self, client, otter):
        address = reverse("play", args=[otter.bot.slug])
        answer = client.post(address, {"ruleset": "squ", "size": 7, "pace": "quick", "seat": "1"})
        assert answer.status_code == 409
        assert "SQU is played on sizes" in answer.content.decode()
        assert 'value="7"' in answer.content.decode()
        assert client.post(address, {"ruleset": "chess"}).status_code == 400

    def test_says_if_there_is_no_active_version(self, start, client, otter):
        game = start()
        act(client, game, "resign")
        ban(actor=User.objects.get(username="admin"), reason="x", now=timezone.now(), user=otter.bot.owner)
        address = reverse("play", args=[otter.bot.slug])
        assert "This bot has no active version" in visits.body(client, address)
        assert client.post(address, {"ruleset": "squ"}).status_code == 200
        assert "This bot has no active version" in act(client, game, "rematch")
        assert CasualGame.objects.count() == 1


class TestAGameWithoutScripts:
    def test_is_played_by_links_and_buttons(self, start, client):
        game = start()
        page = shown(client, game)
        assert status_of(page) == STARTED
        assert page.count('class="target"') == 9
        for stones in ("z9", "<b>", "b2,b2", "pass", "%00", "b2," * 700):
            assert status_of(shown(client, game, f"?stones={stones}")) == STARTED, stones
        page = shown(client, game, "?stones=b2")
        assert status_of(page) == "Stone on b2. The turn is complete: end it, or take back a stone."
        assert 'value="b2"' in page
        assert "Take back b2" in page
        page = play(client, game, "b2")
        assert status_of(page) == "You played b2. Otter is to move."
        assert re.search(r'<noscript>\s*<meta http-equiv="refresh" content="2">\s*</noscript>', page)
        assert "target" not in page.split("<main")[1]
        reply("swap")
        page = shown(client, game)
        assert status_of(page) == "Otter played swap. Your turn: a stone."
        assert "http-equiv" not in page
        game = start(size="", seat="lot", opening="on")
        assert (game.size, bool(game.opening)) == (RULESETS["square-grid-hex"].default_size, True)

    def test_builds_turns_of_several_stones_and_removes_them(self, start, client):
        game = start(ruleset="squ", size=6, seat="1")
        reply("a1")
        assert 'href="?stones=b1"' in shown(client, game)
        page = shown(client, game, "?stones=b1")
        assert 'href="?stones=b1,c1"' in page
        assert "Place 1 more disc." in status_of(page)
        assert "disabled>End the turn<" in page
        page = shown(client, game, "?stones=b1,c1")
        assert 'name="turn" value="b1,c1"' in page
        assert page.count('class="hollow goal1"') == 2
        assert 'href="?stones=b1" data-undo' in page
        assert ">2</text>" in page

    def test_shows_the_legal_cells_of_every_ruleset_and_swap_and_pass_as_buttons(self, start, client, settings):
        settings.OPEN_CASUAL_GAMES = len(RULESETS) + 1
        for slug, ruleset in RULESETS.items():
            game = start(ruleset=slug, size=size_up_to(ruleset, 6))
            page = shown(client, game)
            cells = [cell for cell in position_of(game).steps().next if cell >= 0]
            assert page.count('class="target"') == len(cells), slug
            assert "<summary>Board as text</summary>" in page
            assert ('name="turn" value="pass"' in page) == (slug == "squaresquared")
        game = start(seat="1")
        reply("b2")
        assert 'name="turn" value="swap"' in shown(client, game)

    def test_shows_how_it_ended(self, start, client):
        game = start()
        play(client, game, "b2")
        reply(fault=Fault(1, Forfeit.ILLEGAL, "<script>alert(1)</script>", "x", 1))
        page = shown(client, game)
        assert status_of(page) == "You won by forfeit: Otter played an illegal turn at turn 2."
        assert "<script>alert" not in page

    def test_keeps_the_stones_of_a_refused_turn_and_says_why_in_the_players_words(self, start, client):
        game = start(ruleset="scware", size=5)
        play(client, game, "a1")
        reply("e5")
        assert ("a2 and b1 would both grow the group of a1: each group grows by one stone per turn."
                in part(client, game, "a2,b1", 2))
        page = part(client, game, "a2")
        assert "continued in the meantime" in page
        assert 'data-stones="a2"' in page
        assert 'role="alert" dir="auto">Invalid turn' in part(client, game, "z9", 2)
        for turn, ply, words in (("z9", 2, "Invalid turn"), ("b2", "x", "continued in the meantime")):
            assert words in play(client, game, turn, ply)
        assert "a2 grows your a1 group. The turn is complete: end it, or take back a stone." in play(client, game, "a2")
        game.refresh_from_db()
        assert plies(game) == ["a1", "e5"]


class TestTheWords:
    def test_say_what_a_stone_does_which_groups_may_also_grow_and_why_cells_are_closed(self, start, client):
        game = start(ruleset="scware", size=6)
        for ply, (turn, answer) in enumerate((("b2", "a6"), ("e5", "f1"))):
            play(client, game, turn, 2 * ply)
            reply(answer)
        page = shown(client, game)
        assert 'aria-label="b3"><title>b3 grows your b2 group.</title>' in page
        assert 'aria-label="d3"><title>d3 starts a group.</title>' in page
        assert "<title>c3 and b2 would touch diagonally without being in one group.</title>" in page
        page = shown(client, game, "?stones=b3")
        assert status_of(page) == (
            "b3 grows your b2 group. Your e5 group may also grow. End the turn, or add a stone.")
        assert ("<title>b3 and b1 would both grow the group of b2: each group grows by one stone per turn.</title>"
                in page)

    def test_exist_for_every_reason_in_every_ruleset(self):
        for ruleset in RULESETS.values():
            rng, position = Random(3), ruleset.start(size_up_to(ruleset, 5))
            while position.outcome is None:
                turn = position.random_turn(rng)
                for length in range(len(turn) if turn[0] >= 0 else 0):
                    facts = explain(position, turn[:length])
                    for cell, why in facts.closed.items():
                        assert "not possible now" not in turn_words.closed(why, position.size, cell)
                    assert not length or turn_words.so_far(facts, position.size)
                position = position.after(turn)


class TestTheEnd:
    def test_asks_for_confirmation_and_has_a_replay_and_a_link_to_share(self, start, client):
        game = start()
        assert "Yes, resign" in shown(client, game)
        page = act(client, game, "resign")
        assert status_of(page) == "Otter won by resignation at turn 1."
        assert "Rematch with sides swapped" in page
        assert "target" not in page.split("<main")[1]
        game.refresh_from_db()
        assert not is_persons_turn(game)
        for text in ("<replay-viewer", f"http://testserver{reverse('casual-game', args=[game.token])}</pre>", "/ 1<"):
            assert text in page
        assert "0 / 1<" in shown(client, game, "?turn=0")
        assert "Rematch" not in shown(Client(), game)

    def test_offers_a_rematch_on_the_same_terms_with_seats_swapped(self, start, client):
        game = start(pace="quick")
        assert "The game is not over" in act(client, game, "rematch")
        act(client, game, "resign")
        assert "This is another player" in act(Client(), game, "rematch")
        assert CasualGame.objects.count() == 1
        act(client, game, "rematch")
        new = CasualGame.objects.exclude(pk=game.pk).get()
        assert (new.seat, new.ruleset, new.size, new.base_seconds) == (1, game.ruleset, game.size, 180.0)
        assert new.version == game.version


class TestThePlayer:
    def test_is_the_visitor_with_the_cookie(self, start, client):
        game = start()
        assert client.cookies["visitor"]["httponly"]
        stranger, forger = Client(), Client()
        forger.cookies["visitor"] = f"{game.visitor}:forged"
        for other in (stranger, forger):
            page = shown(other, game)
            assert status_of(page) == "Start of the game. The person is to move."
            assert "Resign" not in page
        assert "This is another player" in play(stranger, game, "b2")
        play(client, game, "b2")
        game.refresh_from_db()
        assert plies(game) == ["b2"]

    def test_is_the_account_from_any_browser(self, start):
        here, there = signed_in("pia"), signed_in("pia")
        game = start(here)
        assert (game.user.username, game.visitor, game.network) == ("pia", "", "")
        assert "visitor" not in here.cookies
        assert "Your turn" in shown(there, game)
        # base64 encodes six bits per character; older addresses were shorter.
        assert len(game.token) * 6 >= 128
        CasualGame.objects.update(token="Fx3_-9aZ0bQ7mK1d")
        assert "Your turn" in shown(there, CasualGame.objects.get())

    def test_is_limited_by_network_even_after_clearing_cookies(self, start, otter, settings):
        settings.OPEN_CASUAL_GAMES, settings.VISITORS_PER_NETWORK = 1, 2
        for _ in range(2):
            start(Client())
        answer = Client().post(reverse("play", args=[otter.bot.slug]), {
            "ruleset": "square-grid-hex", "pace": "normal", "seat": "0"})
        assert answer.status_code == 409
        assert "Visitors from your network have 2 open casual games" in answer.content.decode()
        settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": 1}
        assert start(Client(headers={"X-Forwarded-For": "203.0.113.9, 198.51.100.1"}))


class TestTheTablesPart:
    def test_is_empty_if_unchanged(self, start, client, django_assert_max_num_queries):
        game = start(seat="1")
        address = reverse("casual-part", args=[game.token])
        with django_assert_max_num_queries(3):
            first = client.get(address)
        assert "data-wait" in first.content.decode()
        assert client.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 304
        reply("b2")
        after = client.get(address, headers={"If-None-Match": first["ETag"]})
        assert (after.status_code, b"data-wait" in after.content) == (200, False)
