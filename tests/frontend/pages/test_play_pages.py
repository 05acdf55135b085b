"""Pages of casual games and questions, for signed-in users and visitors, without scripts."""

import re
from random import Random

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from engines.check import size_up_to
from engines.records.record import Fault
from engines.records.time_control import ClockKind
from engines.referee.questions import Answer
from engines.rules.explaining import explain
from engines.rules.outcome import Forfeit
from engines.rules.registry import RULESETS
from frontend.text import turn_words
from tests.factories import make_event, make_user, make_version, play_match
from tournaments.models import CasualGame, Game, Match, Question
from tournaments.services.accounts.bans import ban
from tournaments.services.casual.answers import claim, finish, void
from tournaments.services.casual.turns import is_persons_turn, plies, position_of

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>\x1b[2J\u202e" + "W" * 10_000


@pytest.fixture
def otter():
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


def reply(text: str = "", *, fault: Fault | None = None, stderr: bytes = b"") -> Question:
    """Answer the open question as the bot."""
    question = Question.objects.get(status="received")
    lease = claim(question_id=question.pk, worker="host:1", tier="standard", now=timezone.now())
    assert finish(lease, Answer(text, fault, 0.25, 0.5, 0.1, ClockKind.CPU, stderr=stderr), timezone.now())
    question.refresh_from_db()
    return question


def shown(browser: Client, game: CasualGame, query: str = "") -> str:
    return browser.get(reverse("casual-game", args=[game.token]) + query).content.decode()


def said(page: str) -> str:
    return re.search(r'role="status">([^<]*)<', page)[1]


class TestThePlayForm:
    def test_offers_the_rulesets_that_the_bot_plays(self, client):
        squid = make_version("Squid", rulesets=["squ"])
        page = client.get(reverse("play", args=[squid.bot.slug])).content.decode()
        assert 'value="squ"' in page
        assert 'value="scware"' not in page

    def test_is_linked_from_the_bots_page(self, client, otter):
        assert reverse("play", args=[otter.bot.slug]) in client.get(
            reverse("bot", args=[otter.bot.slug])).content.decode()

    def test_keeps_the_input_and_shows_errors(self, client, otter):
        answer = client.post(reverse("play", args=[otter.bot.slug]), {
            "ruleset": "squ", "size": 7, "pace": "quick", "seat": "1"})
        assert answer.status_code == 409
        assert "SQU is played on sizes" in answer.content.decode()
        assert 'value="7"' in answer.content.decode()
        assert client.post(reverse("play", args=[otter.bot.slug]), {"ruleset": "chess"}).status_code == 400

    def test_says_if_there_is_no_active_version(self, client, otter, admin_user):
        ban(actor=admin_user, reason="x", now=timezone.now(), user=otter.bot.owner)
        answer = client.get(reverse("play", args=[otter.bot.slug]))
        assert "This bot has no active version" in answer.content.decode()
        assert client.post(reverse("play", args=[otter.bot.slug]), {"ruleset": "squ"}).status_code == 200
        assert not CasualGame.objects.exists()

    def test_uses_the_default_size_and_a_random_seat(self, start):
        game = start(size="", seat="lot", opening="on")
        assert game.size == RULESETS["square-grid-hex"].default_size
        assert game.seat in (0, 1)
        assert game.opening


class TestAGameWithoutScripts:
    def test_is_played_by_links_and_buttons(self, start, client):
        game = start()
        page = shown(client, game)
        assert said(page) == "Start of the game. Your turn: a stone."
        assert page.count('class="target"') == 9
        page = shown(client, game, "?stones=b2")
        assert said(page) == "Stone on b2. The turn is complete: end it, or take back a stone."
        assert 'value="b2"' in page
        assert "Take back b2" in page
        answer = client.post(reverse("casual-turn", args=[game.token]), {"turn": "b2", "ply": "0"}, follow=True)
        page = answer.content.decode()
        assert said(page) == "You played b2. Otter is to move."
        assert re.search(r'<noscript>\s*<meta http-equiv="refresh" content="2">\s*</noscript>', page)
        assert "target" not in page.split("<main")[1]
        reply("swap")
        page = shown(client, game)
        assert said(page) == "Otter played swap. Your turn: a stone."
        assert "http-equiv" not in page

    def test_builds_turns_of_several_stones_and_removes_them(self, start, client):
        game = start(ruleset="squ", size=6, seat="1")
        reply("a1")
        page = shown(client, game)
        assert 'href="?stones=b1"' in page
        page = shown(client, game, "?stones=b1")
        assert 'href="?stones=b1,c1"' in page
        assert "Place 1 more disc." in said(page)
        assert "disabled>End the turn<" in page
        page = shown(client, game, "?stones=b1,c1")
        assert 'name="turn" value="b1,c1"' in page
        assert page.count('class="hollow goal1"') == 2
        assert 'href="?stones=b1" data-undo' in page
        assert ">2</text>" in page

    @pytest.mark.parametrize("slug", RULESETS)
    def test_shows_the_legal_cells_of_every_ruleset(self, start, client, slug):
        game = start(ruleset=slug, size="")
        page = shown(client, game)
        cells = [cell for cell in position_of(game).steps().next if cell >= 0]
        assert page.count('class="target"') == len(cells)
        assert "<summary>Board as text</summary>" in page

    def test_offers_swap_and_pass_as_buttons(self, start, client):
        game = start(seat="1")
        reply("b2")
        assert 'name="turn" value="swap"' in shown(client, game)
        go = start(ruleset="squaresquared", size=4)
        assert 'name="turn" value="pass"' in shown(client, go)

    def test_asks_for_confirmation_before_resigning(self, start, client):
        game = start()
        assert "Yes, resign" in shown(client, game)
        page = client.post(reverse("casual-resign", args=[game.token]), follow=True).content.decode()
        assert said(page) == "Otter won by resignation at turn 1."
        assert "Rematch with sides swapped" in page
        assert "target" not in page.split("<main")[1]
        game.refresh_from_db()
        assert not is_persons_turn(game)

    def test_shows_how_it_ended(self, start, client):
        game = start()
        client.post(reverse("casual-turn", args=[game.token]), {"turn": "b2", "ply": "0"})
        reply(fault=Fault(1, Forfeit.ILLEGAL, HOSTILE[:500], "x", 1))
        page = shown(client, game)
        assert said(page) == "You won by forfeit: Otter played an illegal turn at turn 2."
        assert "<script>alert" not in page

    @pytest.mark.parametrize("stones", ["z9", "<b>", "b2,b2", "pass", "%00", "b2," * 700])
    def test_ignores_illegal_stones_in_the_address(self, start, client, stones):
        assert said(shown(client, start(), f"?stones={stones}")) == "Start of the game. Your turn: a stone."

    def test_refuses_an_illegal_turn_with_a_reason(self, start, client):
        game = start()
        for turn, ply, words in [("z9", "0", "Invalid turn"), ("b2", "7", "continued in the meantime"),
                                 ("b2", "x", "continued in the meantime")]:
            page = client.post(reverse("casual-turn", args=[game.token]), {"turn": turn, "ply": ply},
                               follow=True).content.decode()
            assert words in page
        part = client.post(reverse("casual-turn", args=[game.token]), {"turn": "z9", "ply": "0"},
                           headers={"X-Part": "1"})
        assert part.status_code == 409
        assert 'role="alert" dir="auto">Invalid turn' in part.content.decode()
        assert "<html" not in part.content.decode()


    def test_keeps_the_stones_of_a_refused_turn_and_says_why_in_the_players_words(self, start, client):
        game = start(ruleset="scware", size=5)
        client.post(reverse("casual-turn", args=[game.token]), {"turn": "a1", "ply": "0"})
        reply("e5")
        address = reverse("casual-turn", args=[game.token])
        part = client.post(address, {"turn": "a2,b1", "ply": "2"}, headers={"X-Part": "1"}).content.decode()
        assert "a2 and b1 would both grow the group of a1: each group grows by one stone per turn." in part
        part = client.post(address, {"turn": "a2", "ply": "0"}, headers={"X-Part": "1"}).content.decode()
        assert "continued in the meantime" in part
        assert 'data-stones="a2"' in part
        page = client.post(address, {"turn": "a2", "ply": "0"}, follow=True).content.decode()
        assert "a2 grows your a1 group. The turn is complete: end it, or take back a stone." in page
        game.refresh_from_db()
        assert plies(game) == ["a1", "e5"]


class TestTheWords:
    @pytest.fixture
    def scware(self, start, client):
        """Return a game on a board with two groups of the person."""
        game = start(ruleset="scware", size=6)
        for turn, answer in [("b2", "a6"), ("e5", "f1")]:
            client.post(reverse("casual-turn", args=[game.token]), {"turn": turn, "ply": len(plies(game))})
            reply(answer)
            game.refresh_from_db()
        return game

    def test_say_what_the_stone_does_and_which_groups_may_also_grow(self, client, scware):
        page = shown(client, scware, "?stones=b3")
        assert said(page) == "b3 grows your b2 group. Your e5 group may also grow. End the turn, or add a stone."

    def test_say_what_a_cell_would_do_and_why_others_are_closed(self, client, scware):
        page = shown(client, scware)
        assert 'aria-label="b3"><title>b3 grows your b2 group.</title>' in page
        assert 'aria-label="d3"><title>d3 starts a group.</title>' in page
        assert "<title>c3 and b2 would touch diagonally without being in one group.</title>" in page
        page = shown(client, scware, "?stones=b3")
        assert ("<title>b3 and b1 would both grow the group of b2: each group grows by one stone per turn.</title>"
                in page)

    @pytest.mark.parametrize("slug", RULESETS)
    def test_exist_for_every_reason_in_every_ruleset(self, slug):
        ruleset, rng = RULESETS[slug], Random(3)
        position = ruleset.start(size_up_to(ruleset, 6))
        while position.outcome is None:
            turn = position.random_turn(rng)
            for length in range(len(turn) if turn[0] >= 0 else 0):
                facts = explain(position, turn[:length])
                for cell, why in facts.closed.items():
                    assert "not possible now" not in turn_words.closed(why, position.size, cell)
                assert not length or turn_words.so_far(facts, position.size)
            position = position.after(turn)


class TestTheEnd:
    def test_has_a_replay_and_a_link_to_share(self, start, client):
        game = start()
        client.post(reverse("casual-resign", args=[game.token]))
        page = shown(client, game)
        assert "<replay-viewer" in page
        assert 'id="share"' in page
        assert f"http://testserver{reverse('casual-game', args=[game.token])}</pre>" in page
        assert "/ 1<" in page
        assert "0 / 1<" in shown(client, game, "?turn=0")
        stranger = shown(Client(), game)
        assert "<replay-viewer" in stranger
        assert "Rematch" not in stranger

    def test_offers_a_rematch_on_the_same_terms_with_seats_swapped(self, start, client):
        game = start(pace="quick")
        rematch = reverse("casual-rematch", args=[game.token])
        assert "The game is not over" in client.post(rematch, follow=True).content.decode()
        client.post(reverse("casual-resign", args=[game.token]))
        assert "This is another player" in Client().post(rematch, follow=True).content.decode()
        assert CasualGame.objects.count() == 1
        answer = client.post(rematch)
        new = CasualGame.objects.get(token=answer["Location"].split("/")[-2])
        assert (new.seat, new.ruleset, new.size, new.base_seconds) == (1, game.ruleset, game.size, 180.0)
        assert new.version == game.version

    def test_refuses_a_rematch_if_the_bot_has_no_active_version(self, start, client, otter, admin_user):
        game = start()
        client.post(reverse("casual-resign", args=[game.token]))
        ban(actor=admin_user, reason="x", now=timezone.now(), user=otter.bot.owner)
        page = client.post(reverse("casual-rematch", args=[game.token]), follow=True).content.decode()
        assert "This bot has no active version" in page


class TestThePlayer:
    def test_is_the_visitor_with_the_cookie(self, start, client):
        game = start()
        assert client.cookies["visitor"]["httponly"]
        stranger = Client()
        page = shown(stranger, game)
        assert said(page) == "Start of the game. The person is to move."
        assert "Resign" not in page
        answer = stranger.post(reverse("casual-turn", args=[game.token]), {"turn": "b2", "ply": "0"}, follow=True)
        assert "This is another player" in answer.content.decode()
        assert client.post(reverse("casual-turn", args=[game.token]), {"turn": "b2", "ply": "0"}).status_code == 302
        game.refresh_from_db()
        assert plies(game) == ["b2"]

    def test_is_the_account_from_any_browser(self, start):
        pia = make_user("pia")
        here, there = Client(), Client()
        for browser in (here, there):
            browser.force_login(pia)
        game = start(here)
        assert (game.user, game.visitor, game.network) == (pia, "", "")
        assert "visitor" not in here.cookies
        assert "Your turn" in shown(there, game)

    def test_is_not_a_visitor_with_a_forged_cookie(self, start):
        game = start()
        forger = Client()
        forger.cookies["visitor"] = f"{game.visitor}:forged"
        assert "Your turn" not in shown(forger, game)

    def test_opens_the_game_by_an_unguessable_address_or_an_older_one(self, start, client):
        game = start()
        # base64 encodes six bits per character.
        assert len(game.token) * 6 >= 128
        CasualGame.objects.filter(pk=game.pk).update(token="Fx3_-9aZ0bQ7mK1d")
        game.refresh_from_db()
        assert "Your turn" in shown(client, game)

    def test_is_limited_by_network_even_after_clearing_cookies(self, start, otter, settings):
        settings.OPEN_CASUAL_GAMES, settings.VISITORS_PER_NETWORK = 1, 2
        for _ in range(2):
            start(Client())
        answer = Client().post(reverse("play", args=[otter.bot.slug]), {
            "ruleset": "square-grid-hex", "pace": "normal", "seat": "0"})
        assert answer.status_code == 409
        assert "Visitors from your network have 2 open casual games" in answer.content.decode()
        settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": 1}
        elsewhere = Client(headers={"X-Forwarded-For": "203.0.113.9, 198.51.100.1"})
        assert start(elsewhere)


class TestTheTablesPart:
    def test_is_empty_if_unchanged(self, start, client):
        game = start(seat="1")
        first = client.get(reverse("casual-part", args=[game.token]))
        assert "data-wait" in first.content.decode()
        again = client.get(reverse("casual-part", args=[game.token]), headers={"If-None-Match": first["ETag"]})
        assert again.status_code == 304
        reply("b2")
        after = client.get(reverse("casual-part", args=[game.token]), headers={"If-None-Match": first["ETag"]})
        assert after.status_code == 200
        assert "data-wait" not in after.content.decode()

    def test_takes_as_many_queries_for_long_games_as_for_short_ones(self, start, client, django_assert_max_num_queries):
        game = start(ruleset="squaresquared", size=7)
        with django_assert_max_num_queries(3):
            client.get(reverse("casual-game", args=[game.token]))


class TestAskingABotHere:
    @pytest.fixture
    def game(self, otter) -> Game:
        event = make_event([otter, make_version("Basalt", owner="bob")], ruleset="squ", size=4)
        return play_match(Match.objects.get(event=event)).games.first()

    def ask(self, browser: Client, game: Game, **facts):
        return browser.post(reverse("ask", args=[game.pk]), {"ply": "2", "version": game.seat1_id, **facts},
                            follow=True).content.decode()

    def test_is_offered_for_the_turn_shown(self, client, game):
        page = client.get(reverse("game", args=[game.pk]) + "?turn=2").content.decode()
        assert 'name="ply" value="2" data-ply' in page
        assert f'action="{reverse("ask", args=[game.pk])}"' in page

    def test_shows_position_answer_and_time(self, client, game):
        page = self.ask(client, game)
        assert said(page) == f"Asking {game.seat1}."
        question = Question.objects.get()
        assert (question.version, len(question.turns), question.game) == (game.seat1, 2, game)
        played = game.record["turns"][2]["turn"]
        reply(played)
        page = client.get(reverse("question", args=[question.token])).content.decode()
        assert said(page) == f"{game.seat1} plays {played.replace(',', ' ')}."
        assert "0.25\u202fs" in page
        assert f"{reverse('game', args=[game.pk])}?turn=2" in page
        assert "http-equiv" not in page

    def test_accepts_any_other_bot_by_name(self, client, game):
        cinder = make_version("Cinder W", owner="eve")
        for name in ("cinder w", " Cinder W v1 ", cinder.bot.slug):
            self.ask(client, game, bot=name)
            assert Question.objects.first().version == cinder
            reply("a1" if not Question.objects.first().turns else "resign")
        for name in ("nobody", "Cinder W v9", "<b>", "\x00"):
            count = Question.objects.count()
            page = self.ask(client, game, bot=name, ply="99999")
            assert Question.objects.count() == count
            assert "There is no" in page or "there is no position" in page

    def test_shows_a_faults_line_and_stderr_only_to_owner_and_staff(self, client, game, admin_client):
        self.ask(client, game)
        fault = Fault(0, Forfeit.CRASH, "<img src=x>\x1b[1m", "it exited with status 1 before it answered", 2)
        question = reply(fault=fault, stderr=HOSTILE.encode())
        address = reverse("question", args=[question.token])
        owner = Client()
        owner.force_login(question.version.bot.owner)
        pages = {name: browser.get(address).content.decode()
                 for name, browser in [("visitor", client), ("owner", owner), ("staff", admin_client)]}
        for page in pages.values():
            assert said(page) == f"{question.version} would forfeit here: crash."
            assert "&lt;img src=x&gt;⟨U+001B⟩[1m" in page
            assert "<script>alert" not in page
            assert "\x1b" not in page
        assert "Standard error" not in pages["visitor"]
        assert all("⟨U+202E⟩" in pages[name] for name in ("owner", "staff"))

    def test_distinguishes_faults_of_the_service_from_faults_of_the_bot(self, client, game):
        self.ask(client, game)
        question = Question.objects.get()
        for number in range(5):
            void(claim(question_id=question.pk, worker="w", tier="standard", now=timezone.now()),
                 "the sandbox failed: <b>", timezone.now())
            page = client.get(reverse("question", args=[question.token])).content.decode()
            assert "A service fault, not the bot’s: the sandbox failed: &lt;b&gt;" in page
            assert said(page).endswith("could not be asked because of a service fault." if number == 4
                                       else "again after a service fault.")

    def test_is_refused_with_a_reason_at_the_end_of_the_game(self, client, game):
        page = self.ask(client, game, ply=str(game.plies))
        assert "The game is over in this position" in page
        assert not Question.objects.exists()

    def test_has_a_part_that_is_empty_if_unchanged(self, client, game):
        self.ask(client, game)
        question = Question.objects.get()
        first = client.get(reverse("question-part", args=[question.token]))
        assert client.get(reverse("question-part", args=[question.token]),
                          headers={"If-None-Match": first["ETag"]}).status_code == 304
        reply("resign")
        after = client.get(reverse("question-part", args=[question.token]), headers={"If-None-Match": first["ETag"]})
        assert said(after.content.decode()) == f"{game.seat1} resigns here."
