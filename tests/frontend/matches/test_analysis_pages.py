"""Pages of an analysis and of a bot's calibration, without a browser."""

import re
from dataclasses import replace

import pytest
from django.contrib.messages import get_messages
from django.urls import reverse

from engines.records.record import GameRecord
from engines.view import View
from ratings.models import ReportedChances
from tests.factories import START, make_event, make_user, make_version, play_event, play_match
from tests.frontend.visits import body, signed_in
from tournaments.models import Analysis, Bot, Game, Match
from tournaments.scoring.analysis import Verdict
from tournaments.selectors.bots.calibration import calibration
from tournaments.services.casual.analyses import analyse
from tournaments.services.casual.judging import claim, finish, note
from tournaments.services.ladders.rating import rebuild_reported

pytestmark = pytest.mark.django_db
HOSTILE = "</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def match(module_db) -> int:
    """The number of a match that was played, but not rated."""
    event = make_event([make_version("Alder"), make_version("Basalt")], ruleset="squ", size=4)
    return play_match(Match.objects.get(event=event)).pk


@pytest.fixture
def game(match: int) -> Game:
    return Game.objects.select_related("match__event", "seat0__bot", "seat1__bot").get(match=match, number=1)


@pytest.fixture
def judged(game):
    """A function that stores these chances of the side to move by position, judged by both bots."""

    def judged(chances, *, done=True) -> Analysis:
        analysis = analyse(game=game, actor=make_user("pia"), now=START)
        lease = claim(analysis_id=analysis.pk, worker="w:1", tier="standard", now=START)
        turns = [turn["turn"] for turn in game.record["turns"]]
        rows = [[Verdict(turn, View(win, 3, 900, (turn,))).to_json(), Verdict(reason="time").to_json()]
                for turn, win in zip(turns, chances, strict=False)]
        assert (finish if done else note)(lease, rows, now=START)
        return analysis

    return judged


class TestTheAnalysisPage:
    def test_names_the_turning_points_in_words(self, client, game, judged):
        # Alder (seat 0) sees 71 %, then Basalt sees 70 % for itself: turn 1 cost Alder 41 %.
        judged([0.71, 0.70, 0.32, 0.66])
        text = body(client, reverse("game-analysis", args=[game.pk]))
        name = game.seat0.bot.name
        assert f"Turn 1: {name}’s chance fell from 71% to 30%" in text
        assert 'href="?turn=1" data-turn=""' in text
        assert f"1 / {game.plies}</output>" in text
        assert f"Chance of {name}: 71% before this turn, 30% after it." in text
        assert "would play this turn, too" in text
        assert "--c:0.3" in text
        assert f"All {game.plies} positions were judged." in text
        assert "1 s per position each" in text
        assert text.count("ran out of time") + text.count("time") >= 4

    def test_draws_the_best_turn_against_the_played_one(self, client, game, judged):
        made = judged([0.5])
        best = next(cell for cell in ("a1", "b2", "c3") if cell not in game.record["turns"][0]["turn"])
        made.verdicts = [[{"turn": best, "view": "view win 0.5"}, {}]]
        made.save()
        address = reverse("game-analysis", args=[game.pk])
        text = body(client, f"{address}?turn=1")
        assert f"would play {best}." in text
        assert text.count('<circle class="best"') == 1
        assert '<circle class="best"' not in body(client, f"{address}?turn=2")

    def test_shows_hostile_verdicts_as_missing(self, client, game, judged):
        made = judged([0.5])
        address = reverse("game-analysis", args=[game.pk])
        for hostile in (HOSTILE, [[HOSTILE]], [[{"turn": HOSTILE, "view": HOSTILE}, 7], None, 3],
                        [[{"turn": "a1" * 400, "view": "view win 1e9"}, {"reason": HOSTILE}]],
                        [[{"turn": "z99", "view": f"view pv {HOSTILE}"}, {}]] * 500):
            made.verdicts = hostile
            made.save()
            text = body(client, address)
            assert "<img" not in text.replace('<img src="/static', "")
            assert HOSTILE not in text
            assert "not judged yet" in text
            assert client.get(f"/api/games/{game.pk}/analyses/").status_code == 200

    def test_shows_the_progress_without_a_script(self, client, game, judged):
        judged([0.5, 0.5, 0.5], done=False)
        address = reverse("game-analysis-part", args=[game.pk])
        text = body(client, address)
        assert f"3 of {game.plies} positions judged." in text
        assert '<progress max="' in text
        assert client.get(address, HTTP_IF_NONE_MATCH=client.get(address)["ETag"]).status_code == 304
        assert '<meta http-equiv="refresh"' in body(client, reverse("game-analysis", args=[game.pk]))

    def test_offers_an_analysis_to_signed_in_readers(self, client, game, settings):
        address = reverse("game", args=[game.pk])
        assert "Sign in to ask for an analysis" in body(client, address)
        client.force_login(make_user("pia"))
        assert "Analyse this game" in body(client, address)
        settings.ANALYSES_PER_HOUR = 0
        refused = client.post(reverse("game-analyse", args=[game.pk]))
        assert [str(message) for message in get_messages(refused.wsgi_request)] == [
            "You have had 0 analyses in the last hour, the most allowed: come back later."]
        settings.ANALYSES_PER_HOUR = 1
        client.post(reverse("game-analyse", args=[game.pk]))
        assert Analysis.objects.get().game == game
        assert "Waiting for a free worker" in body(client, address)

    def test_is_missing_for_older_rules(self, client, game):
        Game.objects.filter(pk=game.pk).update(record=game.record | {"rules": 9})
        assert client.get(reverse("game-analysis", args=[game.pk])).status_code == 404


class TestTheApi:
    def test_takes_and_lists_analyses(self, client, game, judged):
        assert client.post(f"/api/games/{game.pk}/analysis/").status_code == 401
        judged([0.71])
        client.force_login(make_user("pia"))
        refused = client.post(f"/api/games/{game.pk}/analysis/")
        assert (refused.status_code, "already analysed" in refused.content.decode()) == (409, True)
        [analysis] = client.get(f"/api/games/{game.pk}/analyses/").json()
        assert (analysis["status"], analysis["judged"], len(analysis["judges"])) == ("done", 1, 2)
        first, second = analysis["verdicts"][0]
        assert (first["win"], first["depth"], second["reason"]) == (0.71, 3, "time")


class TestCalibration:
    def test_follows_the_rated_games(self, client, game):
        match = game.match
        for each in match.games.all():
            record = GameRecord.from_dict(each.record)
            turns = tuple(replace(turn, view=View(0.75)) for turn in record.turns)
            Game.objects.filter(pk=each.pk).update(record=replace(record, turns=turns).to_dict())
        play_event(match.event)
        ladder = match.ladder
        for version in (match.first, match.second):
            [row] = ReportedChances.objects.filter(version=version)
            score = sum(2 if game.winner is not None and (game.seat0, game.seat1)[game.winner] == version else
                        game.winner is None for game in match.games.all())
            own = [sum(1 for number in range(game.plies) if (game.seat0, game.seat1)[number % 2] == version)
                   for game in match.games.all()]
            assert (row.bin, row.games, row.turns, row.squares) == (7, 2, sum(own), sum(n * n for n in own))
            assert row.chance == 7500 * sum(own)
            assert row.halves <= 2 * sum(own)
            assert (row.halves > 0) == (score > 0)
        [found] = calibration(match.first.bot)
        text = body(client, reverse("bot", args=[match.first.bot.slug]))
        assert "Own evaluation" in text
        assert re.search(r"70–80 %</th>\s*<td class=\"n\">75.0%</td>", text)
        [fact] = client.get(f"/api/bots/{match.first.bot.slug}/calibration/").json()
        assert (fact["low"], fact["turns"], fact["reported"]) == (0.7, found.turns, 0.75)
        assert rebuild_reported(ladder, check_only=True)
        ReportedChances.objects.update(turns=99, games=3)
        assert not rebuild_reported(ladder)
        assert rebuild_reported(ladder, check_only=True)

    def test_is_not_shown_without_views(self, client, game):
        play_event(game.match.event)
        assert not ReportedChances.objects.exists()
        assert "Own evaluation" not in body(client, reverse("bot", args=[game.seat0.bot.slug]))


class TestTheAuthor:
    def test_says_whether_the_bot_may_judge(self, game):
        bot = game.seat0.bot
        owner = signed_in(bot.owner)
        assert "Its versions may judge" in body(owner, reverse("bot", args=[bot.slug]))
        for value, stored in (("yes", True), ("no", False), ("", None)):
            owner.post(reverse("bot-judging", args=[bot.slug]), {"judges": value})
            assert Bot.objects.get(pk=bot.pk).judges is stored
