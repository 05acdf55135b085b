"""Rating of rounds and of ladder play."""

from datetime import timedelta

import pytest

from ratings import elo
from ratings.models import Period, Rating, RatingChange
from tests.factories import make_event, play_event, play_match, spoil_match
from tests.tournaments.ladders.official import play_round, play_to, snapshot
from tournaments.models import Game, Match
from tournaments.services.events.events import cancel_event
from tournaments.services.events.requeueing import requeue_match
from tournaments.services.ladders import rating as services
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.matchmaking import pair_ladders
from tournaments.services.ladders.rating import LONGEST_PERIOD, rate_due, rebuild

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(versions):
    return make_event(versions, ruleset="square-grid-hex", size=3)


def rated_rounds():
    return list(Period.objects.order_by("number").values_list("round__number", flat=True))


class TestRateDue:
    def test_waits_for_the_whole_round(self, event, now):
        matches = list(Match.objects.filter(event=event, round__number=1))
        play_match(matches[0])
        assert rate_due(now) == 0
        play_match(matches[1])
        assert rate_due(now) == 1
        assert rate_due(now) == 0
        assert set(Match.objects.filter(round__number=1).values_list("rating_period", flat=True)) == {1}
        # Ratings do not change within a round.
        assert set(RatingChange.objects.values_list("before", flat=True)) == {elo.INITIAL}

    @pytest.mark.database
    def test_waits_for_earlier_rounds(self, event, now):
        play_round(event, 2)
        play_round(event, 3)
        assert rate_due(now) == 0
        play_round(event, 1)
        assert rate_due(now) == 3
        assert rated_rounds() == [1, 2, 3]

    def test_gives_each_bot_its_rating_and_each_game_its_level_and_chance(self, event, now):
        for number in (1, 2, 3):
            play_round(event, number)
            rate_due(now)
        ratings = list(Rating.objects.order_by("rank"))
        assert len(ratings) == 4
        assert [rating.value for rating in ratings] == sorted((rating.value for rating in ratings), reverse=True)
        for rating in ratings:
            changes = RatingChange.objects.filter(bot=rating.bot)
            assert rating.value == pytest.approx(elo.INITIAL + sum(changes.values_list("change", flat=True)))
            assert rating.games == changes.count() == 6
            assert rating.wins + rating.draws + rating.losses == 6
            assert rating.provisional
            assert rating.plus_minus > 200
        games = list(Game.objects.select_related("rated"))
        assert len({game.rated.chance for game in games}) > 2
        for game in games:
            before = {change.bot_id: change.before for change in game.rating_changes.all()}
            first, second = before[game.seat0.bot_id], before[game.seat1.bot_id]
            assert game.rated.level == (first + second) / 2
            lead = first - second if game.winner == 0 else second - first
            assert game.rated.chance == (None if game.winner is None else elo.expected_score(lead))

    def test_skips_permanently_void_matches_and_rates_replayed_ones_in_a_period_of_their_own(self, event, now,
                                                                                            settings):
        settings.MAX_ATTEMPTS = 1
        match = spoil_match(Match.objects.order_by("pk")[0], "no disk")
        play_event(event)
        assert rated_rounds() == [1, 2, 3]
        assert RatingChange.objects.count() == 20
        requeue_match(match=match, now=now)
        play_event(event)
        assert rated_rounds() == [1, 2, 3, 1]
        assert rebuild(event.ladder, check_only=True)

    def test_rates_matches_finished_before_the_event_was_cancelled_but_none_without_isolation(self, event, now):
        isolated, other = Match.objects.filter(round__number=1)
        play_match(isolated)
        play_to(other, 0, 0, now=now, tier="unsafe-local")
        cancel_event(event=event, now=now)
        assert rate_due(now) == 1
        assert RatingChange.objects.count() == 4


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
        assert RatingChange.objects.count() == 8
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

    def test_can_be_recomputed_bit_for_bit(self, ladder, now):
        for minute in range(3):
            self.play(3, now + timedelta(minutes=minute))
            rate_due(now + timedelta(minutes=minute + 1))
        assert Period.objects.count() == 3
        # Ratings do not change while a period is open.
        assert set(RatingChange.objects.filter(period__number=1).values_list("before", flat=True)) == {elo.INITIAL}
        before = snapshot(ladder)
        assert rebuild(ladder, check_only=True)
        Rating.objects.all().delete()
        assert not rebuild(ladder)
        assert snapshot(ladder) == before
