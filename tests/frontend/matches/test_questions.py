"""Asking a bot for its turn in a position of a game."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from engines.records.record import Fault
from engines.rules.outcome import Forfeit
from tests.factories import make_event, make_version, play_match
from tests.frontend.matches.casual import reply, status_of
from tests.frontend.visits import body, signed_in
from tournaments.models import Game, Match, Question
from tournaments.services.casual.answers import claim, void

pytestmark = pytest.mark.django_db
STDERR = "<script>alert(1)</script>\x1b[2J\u202e" + "W" * 10_000


@pytest.fixture(scope="module")
def game(module_db) -> Game:
    event = make_event([make_version("Otter"), make_version("Basalt", owner="bob")], ruleset="squ", size=4)
    return play_match(Match.objects.get(event=event)).games.first()


def ask(browser: Client, game: Game, **facts) -> str:
    return browser.post(reverse("ask", args=[game.pk]), {"ply": "2", "version": game.seat1_id, **facts},
                        follow=True).content.decode()


def address_of(question: Question, name: str = "question") -> str:
    return reverse(name, args=[question.token])


class TestAskingABotHere:
    def test_shows_position_answer_and_time(self, client, game):
        page = body(client, reverse("game", args=[game.pk]), turn=2)
        assert 'name="ply" value="2" data-ply' in page
        assert f'action="{reverse("ask", args=[game.pk])}"' in page
        assert status_of(ask(client, game)) == f"Asking {game.seat1}."
        question = Question.objects.get()
        assert (question.version, len(question.turns), question.game) == (game.seat1, 2, game)
        part = address_of(question, "question-part")
        known = {"If-None-Match": client.get(part)["ETag"]}
        assert client.get(part, headers=known).status_code == 304
        played = game.record["turns"][2]["turn"]
        reply(played)
        said = f"{game.seat1} plays {played.replace(',', ' ')}."
        assert status_of(client.get(part, headers=known).content.decode()) == said
        page = body(client, address_of(question))
        assert status_of(page) == said
        assert "0.25\u202fs" in page
        assert f"{reverse('game', args=[game.pk])}?turn=2" in page
        assert "http-equiv" not in page

    def test_accepts_any_other_bot_by_name(self, client, game):
        cinder = make_version("Cinder W", owner="eve")
        for name in ("cinder w", " Cinder W v1 ", cinder.bot.slug):
            ask(client, game, bot=name)
            assert Question.objects.first().version == cinder
            reply("resign")
        count = Question.objects.count()
        for name in ("nobody", "Cinder W v9", "<b>", "\x00"):
            page = ask(client, game, bot=name, ply="99999")
            assert "There is no" in page or "there is no position" in page
        assert "The game is over in this position" in ask(client, game, ply=str(game.plies))
        assert Question.objects.count() == count

    def test_shows_a_faults_line_and_stderr_only_to_owner_and_staff(self, client, game):
        ask(client, game)
        fault = Fault(0, Forfeit.CRASH, "<img src=x>\x1b[1m", "it exited with status 1 before it answered", 2)
        question = reply(fault=fault, stderr=STDERR.encode())
        visitor, owner, staff = (body(browser, address_of(question)) for browser in (
            client, signed_in(question.version.bot.owner), signed_in("boss", staff=True)))
        for page in (visitor, owner, staff):
            assert status_of(page) == f"{question.version} would forfeit here: crash."
            assert "&lt;img src=x&gt;⟨U+001B⟩[1m" in page
            assert "<script>alert" not in page
            assert "\x1b" not in page
        assert "Standard error" not in visitor
        assert "⟨U+202E⟩" in owner
        assert "⟨U+202E⟩" in staff

    def test_distinguishes_faults_of_the_service_from_faults_of_the_bot(self, client, game):
        ask(client, game)
        question = Question.objects.get()
        for number in range(5):
            void(claim(question_id=question.pk, worker="w", tier="standard", now=timezone.now()),
                 "the sandbox failed: <b>", timezone.now())
            page = body(client, address_of(question))
            assert "A service fault, not the bot’s: the sandbox failed: &lt;b&gt;" in page
            assert status_of(page).endswith("could not be asked because of a service fault." if number == 4
                                            else "again after a service fault.")
