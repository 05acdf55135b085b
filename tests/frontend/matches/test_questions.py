"""Asking about a game: a bot for its turn in a position, and an analysis of all positions; and a bot's calibration."""

import re
from dataclasses import replace

import pytest
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from engines.records.record import Fault, GameRecord
from engines.rules.outcome import Forfeit
from engines.view import View
from ratings.models import ReportedChances
from tests.factories import START, make_event, make_user, make_version, play_event, play_match
from tests.frontend.visits import body, reply, signed_in, status_of
from tournaments.models import Analysis, Bot, Game, Match, Question
from tournaments.scoring.analysis import Verdict
from tournaments.selectors.bots.calibration import calibration
from tournaments.services.casual import answers, judging
from tournaments.services.casual.analyses import analyse
from tournaments.services.ladders.rating import rebuild_reported

pytestmark = pytest.mark.django_db
STDERR = "<script>alert(1)</script>\x1b[2J\u202e" + "W" * 10_000
HOSTILE = "</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def match(module_db) -> int:
    """The number of a match that was played, but not rated."""
    event = make_event([make_version("Alder"), make_version("Basalt", owner="bob")], ruleset="squ", size=4)
    return play_match(Match.objects.get(event=event)).pk


@pytest.fixture
def game(match: int) -> Game:
    return Game.objects.select_related("match__event", "seat0__bot", "seat1__bot").get(match=match, number=1)


def ask(browser: Client, game: Game, **facts) -> str:
    return browser.post(reverse("ask", args=[game.pk]), {"ply": "2", "version": game.seat1_id, **facts},
                        follow=True).content.decode()


def address_of(question: Question, name: str = "question") -> str:
    return reverse(name, args=[question.token])


class TestAskingABot:
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
        assert client.get(part, headers=known).status_code == 200
        page = body(client, address_of(question))
        assert status_of(page) == f"{game.seat1} plays {played.replace(',', ' ')}."
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
        for name in ("nobody", "Cinder W v9", "<b>"):
            assert "There is no" in ask(client, game, bot=name)
        assert "there is no position" in ask(client, game, bot="\x00", ply="99999")
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
            assert ("⟨U+202E⟩" in page) == ("Standard error" in page) == (page is not visitor)

    def test_distinguishes_faults_of_the_service_from_faults_of_the_bot(self, client, game):
        ask(client, game)
        question = Question.objects.get()
        for number in range(5):
            answers.void(answers.claim(question_id=question.pk, worker="w", tier="standard", now=timezone.now()),
                         "the sandbox failed: <b>", timezone.now())
            page = body(client, address_of(question))
            assert "A service fault, not the bot’s: the sandbox failed: &lt;b&gt;" in page
            assert status_of(page).endswith("could not be asked because of a service fault." if number == 4
                                            else "again after a service fault.")


class TestAnAnalysis:
    @pytest.fixture
    def judged(self, game):
        """A function that stores these chances of the side to move by position, judged by both bots."""
        def judged(chances, *, done=True) -> Analysis:
            analysis = analyse(game=game, actor=make_user("pia"), now=START)
            lease = judging.claim(analysis_id=analysis.pk, worker="w:1", tier="standard", now=START)
            turns = [turn["turn"] for turn in game.record["turns"]]
            rows = [[Verdict(turn, View(win, 3, 900, (turn,))).to_json(), Verdict(reason="time").to_json()]
                    for turn, win in zip(turns, chances, strict=False)]
            assert (judging.finish if done else judging.note)(lease, rows, now=START)
            return analysis
        return judged

    def test_names_the_turning_points_in_words(self, client, game, judged):
        # Seat 0 sees 71 %, then seat 1 sees 70 % for itself: turn 1 cost seat 0 41 %.
        judged([0.71, 0.70, 0.32, 0.66])
        page, name = body(client, reverse("game-analysis", args=[game.pk])), game.seat0.bot.name
        for text in (f"Turn 1: {name}’s chance fell from 71% to 30%", 'href="?turn=1" data-turn=""',
                     f"1 / {game.plies}</output>", f"Chance of {name}: 71% before this turn, 30% after it.",
                     "would play this turn, too", "--c:0.3", f"All {game.plies} positions were judged.",
                     "1 s per position each"):
            assert text in page
        assert page.count("time") >= 4

    def test_draws_the_best_turn_against_the_played_one(self, client, game, judged):
        made, address = judged([0.5]), reverse("game-analysis", args=[game.pk])
        best = next(cell for cell in ("a1", "b2", "c3") if cell not in game.record["turns"][0]["turn"])
        Analysis.objects.filter(pk=made.pk).update(verdicts=[[{"turn": best, "view": "view win 0.5"}, {}]])
        page = body(client, address, turn=1)
        assert f"would play {best}." in page
        assert page.count('<circle class="best"') == 1
        assert '<circle class="best"' not in body(client, address, turn=2)

    def test_shows_hostile_verdicts_as_missing(self, client, game, judged):
        judged([0.5])
        for hostile in (HOSTILE, [[HOSTILE]], [[{"turn": HOSTILE, "view": HOSTILE}, 7], None, 3],
                        [[{"turn": "a1" * 400, "view": "view win 1e9"}, {"reason": HOSTILE}]],
                        [[{"turn": "z99", "view": f"view pv {HOSTILE}"}, {}]] * 500):
            Analysis.objects.update(verdicts=hostile)
            page = body(client, reverse("game-analysis", args=[game.pk]))
            assert "<img" not in page.replace('<img src="/static', "")
            assert HOSTILE not in page
            assert "not judged yet" in page
            body(client, f"/api/games/{game.pk}/analyses/")

    def test_shows_the_progress_without_a_script(self, client, game, judged):
        judged([0.5, 0.5, 0.5], done=False)
        address = reverse("game-analysis-part", args=[game.pk])
        page = body(client, address)
        assert f"3 of {game.plies} positions judged." in page
        assert '<progress max="' in page
        assert client.get(address, headers={"If-None-Match": client.get(address)["ETag"]}).status_code == 304
        whole = reverse("game-analysis", args=[game.pk])
        assert '<meta http-equiv="refresh"' in body(client, whole)
        Game.objects.filter(pk=game.pk).update(record=game.record | {"rules": 9})
        body(client, whole, expect=404)

    def test_is_offered_to_signed_in_readers(self, client, game, settings):
        address, pia = reverse("game", args=[game.pk]), signed_in("pia")
        assert "Sign in to ask for an analysis" in body(client, address)
        assert "Analyse this game" in body(pia, address)
        settings.ANALYSES_PER_HOUR = 0
        [refusal] = get_messages(pia.post(reverse("game-analyse", args=[game.pk])).wsgi_request)
        assert str(refusal) == "You have had 0 analyses in the last hour, the most allowed: come back later."
        settings.ANALYSES_PER_HOUR = 1
        pia.post(reverse("game-analyse", args=[game.pk]))
        assert Analysis.objects.get().game == game
        assert "Waiting for a free worker" in body(pia, address)

    def test_is_taken_and_listed_by_the_api(self, client, game, judged):
        assert client.post(f"/api/games/{game.pk}/analysis/").status_code == 401
        judged([0.71])
        refused = signed_in("pia").post(f"/api/games/{game.pk}/analysis/")
        assert (refused.status_code, "already analysed" in refused.content.decode()) == (409, True)
        [analysis] = client.get(f"/api/games/{game.pk}/analyses/").json()
        assert (analysis["status"], analysis["judged"], len(analysis["judges"])) == ("done", 1, 2)
        first, second = analysis["verdicts"][0]
        assert (first["win"], first["depth"], second["reason"]) == (0.71, 3, "time")


class TestCalibration:
    @pytest.mark.database
    def test_follows_the_rated_games(self, client, game):
        match, page = game.match, reverse("bot", args=[game.seat0.bot.slug])
        for each in match.games.all():
            record = GameRecord.from_dict(each.record)
            turns = tuple(replace(turn, view=View(0.75)) for turn in record.turns)
            Game.objects.filter(pk=each.pk).update(record=replace(record, turns=turns).to_dict())
        assert "Own evaluation" not in body(client, page)
        play_event(match.event)
        for version in (match.first, match.second):
            [row] = ReportedChances.objects.filter(version=version)
            seats = [(each.seat0, each.seat1) for each in match.games.all()]
            score = sum(2 if each.winner is not None and pair[each.winner] == version else each.winner is None
                        for each, pair in zip(match.games.all(), seats, strict=True))
            own = [sum(pair[number % 2] == version for number in range(each.plies))
                   for each, pair in zip(match.games.all(), seats, strict=True)]
            assert (row.bin, row.games, row.turns, row.squares) == (7, 2, sum(own), sum(n * n for n in own))
            assert row.chance == 7500 * sum(own)
            assert row.halves <= 2 * sum(own)
            assert (row.halves > 0) == (score > 0)
        [found] = calibration(game.seat0.bot)
        shown = body(client, page)
        assert "Own evaluation" in shown
        assert re.search(r"70–80 %</th>\s*<td class=\"n\">75.0%</td>", shown)
        [fact] = client.get(f"/api/bots/{game.seat0.bot.slug}/calibration/").json()
        assert (fact["low"], fact["turns"], fact["reported"]) == (0.7, found.turns, 0.75)
        assert rebuild_reported(match.ladder, check_only=True)
        ReportedChances.objects.update(turns=99, games=3)
        assert not rebuild_reported(match.ladder)
        assert rebuild_reported(match.ladder, check_only=True)

    def test_says_whether_the_bot_may_judge(self, game):
        bot = game.seat0.bot
        owner = signed_in(bot.owner)
        assert "Its versions may judge" in body(owner, reverse("bot", args=[bot.slug]))
        for value, stored in (("yes", True), ("no", False), ("", None)):
            owner.post(reverse("bot-judging", args=[bot.slug]), {"judges": value})
            assert Bot.objects.get(pk=bot.pk).judges is stored
