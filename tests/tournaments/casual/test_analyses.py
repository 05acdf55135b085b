"""Analyses of games: judges, limits, claims, interruptions and results."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from engines.view import View
from ratings.models import OfficialLine, ReportedChances
from tests.factories import START, make_event, make_user, make_version, play_event, play_match
from tests.tournaments.conftest import NOW
from tournaments.models import Analysis, Bot, Game, Match, Version
from tournaments.scoring.analysis import Verdict
from tournaments.selectors.casual.analyses import Judged, newest
from tournaments.selectors.casual.judges import judges_for
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.services.accounts.visitors import TooMany
from tournaments.services.casual.analyses import AnalysisRefused, analyse, seconds_for, set_judging
from tournaments.services.casual.judging import claim, finish, interrupt, note, reap, void
from tournaments.services.ladders.official import compute_due

HOUR = timedelta(hours=1)
ROW = [Verdict("a1", View(0.5)).to_json(), {"reason": "time"}]
pytestmark = pytest.mark.django_db


@pytest.fixture
def game():
    event = make_event([make_version("Alder"), make_version("Basalt")], ruleset="squ", size=4)
    return play_match(Match.objects.get(event=event)).games.get(number=1)


@pytest.fixture
def pia():
    return make_user("pia")


def take(analysis, now=NOW, tier="standard"):
    return claim(analysis_id=analysis.pk, worker="host:1", tier=tier, now=now)


class TestTheJudges:
    @pytest.mark.database
    def test_are_the_best_rated_with_views_first_and_of_different_bots(self):
        event = play_event(make_event([make_version(name) for name in ("Alder", "Basalt", "Cinder")], ruleset="squ",
                                      size=4, cycles=2))
        compute_due(START + 2 * HOUR)
        game = Game.objects.first()
        best = [line.version for line in OfficialLine.objects.order_by("rank")]
        assert judges_for(game) == best[:2]
        ReportedChances.objects.create(ladder=event.ladder, version=best[2], bin=5, turns=1, games=1, squares=1,
                                       chance=5000, halves=1)
        assert judges_for(game) == [best[2], best[0]]
        # An older version of the same bot adds little, and versions that play other games nothing.
        newer = make_version(best[2].bot.name)
        make_version("Squid", rulesets=["scware"])
        assert newer not in judges_for(game)

    def test_are_willing(self, game, pia, now):
        boss = make_user("boss", staff=True)
        foreign = make_version("Foreign", owner="eve")
        Version.objects.filter(pk=foreign.pk).update(trusted=False)
        assert foreign not in judges_for(game)
        set_judging(bot=foreign.bot, judges=True, actor=foreign.bot.owner, now=now)
        for bot in Bot.objects.exclude(pk=foreign.bot_id):
            set_judging(bot=bot, judges=False, actor=boss, now=now)
        assert judges_for(game) == [foreign]
        with pytest.raises(Forbidden, match="Foreign is not your bot"):
            set_judging(bot=foreign.bot, judges=False, actor=pia, now=now)
        set_judging(bot=foreign.bot, judges=False, actor=foreign.bot.owner, now=now)
        with pytest.raises(AnalysisRefused, match="No active bot that plays this game may judge"):
            analyse(game=game, actor=pia, now=now)


class TestAnAnalysis:
    def test_has_a_budget(self, game, pia, settings):
        settings.ANALYSIS_POSITION_SECONDS, settings.ANALYSIS_GAME_SECONDS = 0.5, 10
        assert [seconds_for(positions) for positions in (10, 20, 40, 100_000)] == [0.5, 0.5, 0.25, 0.05]
        made = analyse(game=game, actor=pia, now=NOW)
        assert (made.positions, made.seconds, made.status) == (game.plies, seconds_for(game.plies), "received")

    @pytest.mark.database
    def test_is_one_at_a_time_per_game_and_within_the_quota(self, game, pia, settings):
        settings.OPEN_ANALYSES, settings.ANALYSES_PER_HOUR = 1, 2
        first = analyse(game=game, actor=pia, now=NOW)
        with pytest.raises(AnalysisRefused, match="is being analysed"):
            analyse(game=game, actor=make_user("mia"), now=NOW)
        with transaction.atomic(), pytest.raises(IntegrityError):
            Analysis.objects.create(game=game, created_at=NOW, judge=first.judge, positions=1, seconds=1)
        other = game.match.games.get(number=2)
        with pytest.raises(TooMany, match="You have 1 open analyses"):
            analyse(game=other, actor=pia, now=NOW)
        assert finish(take(first), [ROW], NOW)
        with pytest.raises(AnalysisRefused, match="have already analysed the game"):
            analyse(game=game, actor=pia, now=NOW)
        finish(take(analyse(game=other, actor=pia, now=NOW)), [ROW], NOW)
        make_version("Cinder", owner="cid")
        for bot in Bot.objects.exclude(name="Cinder"):
            set_judging(bot=bot, judges=False, actor=make_user("boss", staff=True), now=NOW)
        with pytest.raises(TooMany, match="You have had 2 analyses in the last hour"):
            analyse(game=game, actor=pia, now=NOW)
        assert analyse(game=game, actor=pia, now=NOW + 2 * HOUR).other is None

    def test_is_refused_for_a_game_under_older_rules(self, game, pia):
        for change in ({"rules": 2}, {"format": 99}):
            game.record = game.record | change
            with pytest.raises(AnalysisRefused, match="recorded under older rules"):
                analyse(game=game, actor=pia, now=NOW)

    def test_continues_after_an_interruption_and_after_a_dead_worker(self, game, pia):
        made = analyse(game=game, actor=pia, now=NOW)
        lease = take(made)
        assert lease.work.game == game
        assert [version.pk for version in lease.work.judges] == [made.judge_id, made.other_id]
        assert take(made) is None
        assert note(lease, [ROW], now=NOW)
        assert interrupt(lease, [ROW] * 2, NOW)
        assert not finish(lease, [ROW] * 3, NOW)
        # The second worker dies after one more position.
        dead = take(made)
        note(dead, [ROW] * 3, now=NOW)
        assert reap(NOW + HOUR) == 1
        assert not note(dead, [], now=NOW)
        made.refresh_from_db()
        assert (made.status, made.judged, made.voids, made.setback) == (
            "received", 3, 1, "the lease of host:1 ran out")
        third = take(made, NOW + 2 * HOUR)
        assert len(third.work.verdicts) == 3
        assert finish(third, [ROW] * game.plies, NOW + 2 * HOUR)
        assert newest(game).status == "done"

    def test_keeps_its_verdicts_if_it_becomes_void(self, game, pia, settings):
        made, now = analyse(game=game, actor=pia, now=NOW), NOW
        for number in range(settings.MAX_ATTEMPTS):
            lease = take(made, now)
            if number == 0:
                note(lease, [ROW], now=now)
            assert void(lease, "the sandbox failed", now)
            now += HOUR
        made.refresh_from_db()
        assert (made.status, made.judged) == ("void", 1)
        judged = Judged(newest(game))
        assert judged.main == 0
        assert judged.verdicts_of(0) == [Verdict("a1", View(0.5)), *[Verdict()] * (game.plies - 1)]

    def test_of_a_foreign_bot_needs_full_isolation(self, game, pia):
        Version.objects.update(trusted=False)
        Bot.objects.update(judges=True)
        made = analyse(game=game, actor=pia, now=NOW)
        assert take(made, tier="reduced") is None
        assert take(made) is not None
