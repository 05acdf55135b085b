"""Rating of rounds and of ladder play."""

import math
from datetime import timedelta

import pytest

from ratings.models import OfficialLine, OfficialTable, RatedGame, Rating, RatingPoint, Statistics
from ratings.services import INITIAL, MOST_POINTS, superfluous
from tests.factories import make_event, make_version, play_event, play_match, spoil_match
from tests.tournaments.ladders.official import STANDS, compute_at_once, play_round, play_to
from tournaments.models import Game, Match
from tournaments.services.events.events import cancel_event
from tournaments.services.events.requeueing import requeue_match
from tournaments.services.ladders import rating as services
from tournaments.services.ladders.history import rebuild_history
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.matchmaking import pair_ladders
from tournaments.services.ladders.official import compute_due, rebuild_official
from tournaments.services.ladders.rating import LONGEST_PERIOD, rate_due

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(versions):
    return make_event(versions, ruleset="square-grid-hex", size=3)


def rated_rounds():
    """The round of each period, in order."""
    periods = RatedGame.objects.order_by("period").values_list("period", "game__match__round__number").distinct()
    return [round_ for _, round_ in periods]


class TestRateDue:
    def test_waits_for_the_whole_round(self, event, now):
        matches = list(Match.objects.filter(event=event, round__number=1))
        play_match(matches[0])
        assert rate_due(now) == 0
        play_match(matches[1])
        assert rate_due(now) == 1
        assert rate_due(now) == 0
        assert set(Match.objects.filter(round__number=1).values_list("rating_period", flat=True)) == {1}

    @pytest.mark.database
    def test_waits_for_earlier_rounds(self, event, now):
        play_round(event, 2)
        play_round(event, 3)
        assert rate_due(now) == 0
        play_round(event, 1)
        assert rate_due(now) == 3
        assert rated_rounds() == [1, 2, 3]

    def test_gives_each_game_its_level_and_chance_by_the_ratings_of_the_last_fit(self, event, now):
        play_round(event, 1)
        rate_due(now)
        assert set(RatedGame.objects.values_list("level", "lead")) == {(INITIAL, 0.0)}
        compute_due(now)
        before = dict(Rating.objects.values_list("bot", "value"))
        assert len(set(before.values())) > 1
        OfficialTable.objects.update(eta=0.3, nu=0.5)
        play_round(event, 2)
        rate_due(now)
        for game in Game.objects.filter(match__round__number=2).select_related("rated"):
            first, second = before[game.seat0.bot_id], before[game.seat1.bot_id]
            assert game.rated.before == pytest.approx((first, second))
            # Davidson's model: win and loss are e^{x/2} and e^{-x/2}, with x in natural units.
            x = (first - second) * math.log(10) / 400 * (2 + 0.5) / 2 + 0.3
            win = 1 / (1 + math.exp(-x))
            assert game.rated.chance == pytest.approx(win if game.winner == 0 else 1 - win)

    def test_skips_permanently_void_matches_and_rates_replayed_ones_in_a_period_of_their_own(self, event, now,
                                                                                            settings):
        settings.MAX_ATTEMPTS = 1
        match = spoil_match(Match.objects.order_by("pk")[0], "no disk")
        play_event(event)
        assert rated_rounds() == [1, 2, 3]
        assert RatedGame.objects.count() == 10
        requeue_match(match=match, now=now)
        play_event(event)
        assert rated_rounds() == [1, 2, 3, 1]
        compute_due(now)
        assert rebuild_official(event.ladder, now, check_only=True) == STANDS

    def test_rates_matches_finished_before_the_event_was_cancelled_but_none_without_isolation(self, event, now):
        isolated, other = Match.objects.filter(round__number=1)
        play_match(isolated)
        play_to(other, 0, 0, now=now, tier="unsafe-local")
        cancel_event(event=event, now=now)
        assert rate_due(now) == 1
        assert RatedGame.objects.count() == 2


class TestPeriodsOfLadderPlay:
    @pytest.fixture(autouse=True)
    def entries(self, ladder, versions, now):
        for version in versions:
            join(actor=version.bot.owner, ladder=ladder, version=version, now=now)

    def play(self, count, now):
        """Play this many ladder matches, one after the other."""
        while count > 0:
            pair_ladders(now)
            for match in Match.objects.filter(status="queued").order_by("pk")[:count]:
                play_match(match, now=now, most_plies=2)
                count -= 1

    def test_close_when_they_are_full_or_the_first_match_has_waited_long_enough(self, now, monkeypatch):
        self.play(1, now)
        Match.objects.filter(status="finished").update(rated=False)
        assert rate_due(now + timedelta(minutes=1)) == 0
        self.play(1, now)
        assert rate_due(now + LONGEST_PERIOD) == 0
        self.play(1, now + LONGEST_PERIOD)
        assert rate_due(now + LONGEST_PERIOD + timedelta(microseconds=1)) == 1
        assert rated_rounds() == [None]
        assert RatedGame.objects.count() == 4
        monkeypatch.setattr(services, "MATCHES_IN_PERIOD", 4)
        later = now + timedelta(hours=1)
        self.play(3, later)
        assert rate_due(later) == 0
        self.play(1, later)
        assert rate_due(later) == 1

    def test_are_numbered_together_with_those_of_events(self, ladder, versions, now):
        self.play(2, now)
        event = make_event(versions, ruleset="square-grid-hex", size=3)
        Match.objects.filter(event=event).update(ladder=ladder)
        play_round(event, 1)
        assert rate_due(now + timedelta(minutes=1)) == 2
        self.play(2, now)
        assert rate_due(now + timedelta(minutes=1)) == 1
        assert rated_rounds() == [event.rounds.get(number=1).number, None, None]
        assert set(Match.objects.filter(ladder=ladder, rating_period__isnull=False)
                   .values_list("rating_period", flat=True)) == {1, 2, 3}


class TestTheRatingOfABot:
    def test_is_that_of_the_version_that_plays(self, ladder, versions, now):
        older, others = versions[0], versions[1:]
        for version in versions:
            join(actor=version.bot.owner, ladder=ladder, version=version, now=now)
        newer = make_version("ant")
        event = make_event([newer, *others], ruleset="square-grid-hex", size=5)
        Match.objects.filter(event=event).update(ladder=ladder)
        pair_ladders(now)
        for match in Match.objects.filter(status="queued").order_by("pk"):
            play_match(match, now=now, most_plies=2)
        rate_due(now + timedelta(minutes=1))
        compute_due(now + timedelta(minutes=1))
        assert Rating.objects.get(bot=older.bot).version == older
        assert list(Rating.objects.order_by("rank").values_list("rank", flat=True)) == [1, 2, 3, 4]
        assert list(Rating.objects.order_by("rank")) == list(Rating.objects.order_by("-value"))
        join(actor=older.bot.owner, ladder=ladder, version=newer, now=now + timedelta(minutes=2))
        assert compute_due(now + timedelta(minutes=2)) == 1
        rating = Rating.objects.get(bot=older.bot)
        line = OfficialLine.objects.get(version=newer)
        assert (rating.version, rating.value, rating.low, rating.high) == (newer, line.rating, line.low, line.high)
        assert rebuild_official(ladder, now, check_only=True) == STANDS


class TestTheHistory:
    def test_has_a_point_for_each_fit_with_new_games_of_the_bot(self, event, now):
        for number in (1, 2):
            play_round(event, number)
            rate_due(now + timedelta(minutes=number))
            compute_at_once(now + timedelta(minutes=number, seconds=30))
        bot = event.entries.first().bot
        points = list(RatingPoint.objects.filter(bot=bot).order_by("at"))
        assert [point.at for point in points] == [now + timedelta(minutes=number, seconds=30) for number in (1, 2)]
        rating = Rating.objects.get(bot=bot)
        assert (points[1].value, points[1].low, points[1].high) == (rating.value, rating.low, rating.high)
        Statistics.objects.update(due_at=now)
        compute_at_once(now + timedelta(minutes=3))
        assert RatingPoint.objects.filter(bot=bot).count() == 2

    def test_is_thinned_when_it_is_long(self, event, now):
        play_round(event, 1)
        rate_due(now)
        compute_at_once(now)
        rating = Rating.objects.order_by("pk").first()
        RatingPoint.objects.bulk_create(
            RatingPoint(ladder=event.ladder, bot=rating.bot, at=now - timedelta(minutes=minute), version=1, value=1500,
                        low=1400, high=1600) for minute in range(1, MOST_POINTS))
        # As if the fit had new games of this bot.
        Rating.objects.filter(pk=rating.pk).update(games=0, wins=0, draws=0, losses=0)
        Statistics.objects.update(due_at=now)
        compute_at_once(now + timedelta(minutes=1))
        points = RatingPoint.objects.filter(bot=rating.bot)
        assert points.count() == MOST_POINTS // 2
        assert (points.earliest("at").at, points.latest("at").at) == (
            now - timedelta(minutes=MOST_POINTS - 1), now + timedelta(minutes=1))

    def test_of_any_length_keeps_its_ends_and_at_most_the_wanted_number(self):
        wrong = []
        for times in ([0.0], [0.0, 0.0], [0.0, 5.0], [float(n) for n in range(500)], [n ** 3.0 for n in range(400)],
                      [0.0, *(1e6 + n for n in range(300))]):
            gone = superfluous(times, 150)
            left = [time for index, time in enumerate(times) if index not in gone]
            if (left[0], left[-1]) != (times[0], times[-1]) or len(left) > max(150, 2):
                wrong.append(len(times))
        assert wrong == []

    def test_is_computed_again_from_the_games(self, event, now):
        for number in (1, 2, 3):
            play_round(event, number)
            rate_due(now + timedelta(minutes=number))
            compute_at_once(now + timedelta(minutes=number, seconds=30))
        facts = ("bot", "version", "value", "low", "high")
        before = sorted(RatingPoint.objects.values_list(*facts))
        RatingPoint.objects.all().delete()
        assert rebuild_history(event.ladder) == 3
        assert sorted(RatingPoint.objects.values_list(*facts)) == before
        assert RatingPoint.objects.filter(bot=event.entries.first().bot).count() == 3
