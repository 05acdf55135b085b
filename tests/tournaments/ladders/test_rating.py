"""Rating rounds and ladder play, and rebuilding ratings from the games."""

import random
from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps

from ratings import elo
from ratings.models import Period, RatedGame, Rating, RatingChange
from tests.factories import make_event, make_version, play_event, play_match, random_record, spoil_match
from tournaments.models import Game, Match
from tournaments.models.lifecycle import MatchStatus
from tournaments.services.events.events import cancel_event
from tournaments.services.events.requeueing import requeue_match
from tournaments.services.ladders import rating as services
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.ladders.matchmaking import pair_ladders
from tournaments.services.ladders.rating import LONGEST_PERIOD, rate_due, rebuild
from tournaments.services.matches.matches import claim, finish

pytestmark = pytest.mark.django_db


@pytest.fixture
def versions(db):
    return [make_version(name) for name in ("ant", "bee", "cat", "dog")]


@pytest.fixture
def event(versions):
    return make_event(versions, ruleset="square-grid-hex", size=3)


def play_round(event, number):
    for match in Match.objects.filter(event=event, round__number=number).order_by("pk"):
        play_match(match)


def rated_rounds():
    return list(Period.objects.order_by("number").values_list("round__number", flat=True))


def snapshot(ladder):
    changes = RatingChange.objects.filter(period__ladder=ladder).order_by("game", "bot")
    ratings = Rating.objects.filter(ladder=ladder).order_by("bot")
    games = RatedGame.objects.filter(period__ladder=ladder).order_by("game")
    return (list(games.values_list("period__number", "game", "level", "chance")),
            list(changes.values_list("period__number", "game", "bot", "before", "change")),
            list(ratings.values_list("bot", "value", "information", "games", "wins", "draws", "rank")))


class TestRateDue:
    def test_waits_for_the_whole_round(self, event, now):
        matches = list(Match.objects.filter(event=event, round__number=1))
        play_match(matches[0])
        assert rate_due(now) == 0
        play_match(matches[1])
        assert rate_due(now) == 1
        assert rate_due(now) == 0
        assert set(Match.objects.filter(round__number=1).values_list("rating_period", flat=True)) == {1}

    def test_waits_for_earlier_rounds(self, event, now):
        play_round(event, 2)
        play_round(event, 3)
        assert rate_due(now) == 0
        play_round(event, 1)
        assert rate_due(now) == 3
        assert rated_rounds() == [1, 2, 3]

    def test_freezes_ratings_within_a_round(self, event, now):
        play_round(event, 1)
        rate_due(now)
        assert set(RatingChange.objects.values_list("before", flat=True)) == {elo.INITIAL}

    def test_gives_each_bot_its_rating_and_rank(self, event, now):
        play_event(event)
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

    def test_does_not_depend_on_the_order_in_which_games_ended(self, versions, now):
        outcomes = []
        for shuffle in (1, 2, 3):
            # A separate ladder each time, by board size.
            event = make_event(versions, ruleset="square-grid-hex", size=3 + shuffle)
            matches = list(Match.objects.filter(event=event).order_by("pk"))
            first = matches[0].pk
            random.Random(shuffle).shuffle(matches)
            for match in matches:
                play_with_winner(match, (match.pk - first) % 2, now)
                rate_due(now)
            outcomes.append([(r.bot_id, r.value, r.information, r.rank)
                             for r in Rating.objects.filter(ladder=event.ladder).order_by("bot")])
        assert outcomes[0] == outcomes[1] == outcomes[2]

    def test_skips_permanently_void_matches(self, event, now):
        for _ in range(5):
            spoil_match(Match.objects.order_by("pk")[0], "no disk")
        play_event(event)
        assert rated_rounds() == [1, 2, 3]
        assert RatingChange.objects.count() == 20

    def test_rates_matches_finished_before_the_event_was_cancelled(self, event, now):
        play_match(Match.objects.order_by("pk")[0])
        cancel_event(event=event, now=now)
        assert rate_due(now) == 1
        assert RatingChange.objects.count() == 4

    def test_rates_a_replayed_match_in_its_own_period(self, event, now):
        match = Match.objects.order_by("pk")[0]
        for _ in range(5):
            spoil_match(match, "no disk")
        play_event(event)
        requeue_match(match=match, now=now)
        play_event(event)
        assert rated_rounds() == [1, 2, 3, 1]
        assert rebuild(event.ladder, check_only=True)

    def test_ignores_games_without_isolation(self, event, now):
        for match in Match.objects.order_by("pk"):
            play_with_winner(match, 0, now, tier="unsafe-local")
        assert rate_due(now) == 3
        assert not RatingChange.objects.exists()
        assert not Rating.objects.exists()


class TestPeriodsOfLadderPlay:
    @pytest.fixture
    def ladder(self, versions, now):
        ladder = create_ladder(ruleset="square-grid-hex", size=3, base_seconds=5)
        for version in versions:
            join(actor=version.bot.owner, ladder=ladder, version=version, now=now)
        return ladder

    def play(self, count, now):
        """Play this many ladder matches, one after the other."""
        while count > 0:
            pair_ladders(now)
            for match in Match.objects.filter(status="queued").order_by("pk")[:count]:
                play_match(match, now=now, most_plies=2)
                count -= 1

    def test_close_when_they_are_full(self, ladder, now, monkeypatch):
        monkeypatch.setattr(services, "MATCHES_IN_PERIOD", 4)
        self.play(3, now)
        assert rate_due(now) == 0
        self.play(1, now)
        assert rate_due(now) == 1
        assert Rating.objects.get(bot__name="ant").games > 0

    def test_close_when_the_first_match_has_waited_long_enough(self, ladder, now):
        self.play(1, now)
        assert rate_due(now + LONGEST_PERIOD) == 0
        self.play(1, now + LONGEST_PERIOD)
        assert rate_due(now + LONGEST_PERIOD + timedelta(microseconds=1)) == 1
        assert rated_rounds() == [None]
        assert RatingChange.objects.count() == 8

    def test_freeze_ratings_while_they_are_open(self, ladder, now):
        self.play(8, now)
        rate_due(now + timedelta(minutes=1))
        assert set(RatingChange.objects.values_list("before", flat=True)) == {elo.INITIAL}

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
        before = snapshot(ladder)
        assert rebuild(ladder, check_only=True)
        Rating.objects.all().delete()
        assert not rebuild(ladder)
        assert snapshot(ladder) == before

    def test_do_not_count_unrated_matches(self, ladder, now):
        self.play(1, now)
        Match.objects.update(rated=False)
        assert rate_due(now + timedelta(minutes=1)) == 0


class TestTheRatedGame:
    def test_has_the_chance_of_its_winner_and_the_mean_of_both_ratings(self, event, now):
        for number in (1, 2, 3):
            play_round(event, number)
            rate_due(now)
        games = list(Game.objects.select_related("rated"))
        assert len({game.rated.chance for game in games}) > 2
        for game in games:
            before = {change.bot_id: change.before for change in game.rating_changes.all()}
            first, second = before[game.seat0.bot_id], before[game.seat1.bot_id]
            assert game.rated.level == (first + second) / 2
            lead = first - second if game.winner == 0 else second - first
            assert game.rated.chance == (None if game.winner is None else elo.expected_score(lead))

    def test_is_filled_in_by_the_migration(self, event, now):
        play_event(event)
        before = snapshot(event.ladder)
        RatedGame.objects.first().delete()
        import_module("ratings.migrations.0004_fill_rated_games").fill(apps, None)
        assert snapshot(event.ladder) == before


class TestRebuild:
    def test_finds_no_difference_in_intact_ratings(self, versions, now):
        events = [make_event(versions, cycles=2, ruleset="square-grid-hex", size=3) for _ in range(2)]
        for number in range(1, 7):
            for event in events:
                play_round(event, number)
                rate_due(now)
        before = snapshot(events[0].ladder)
        assert rebuild(events[0].ladder, check_only=True)
        for model in (RatingChange, RatedGame, Rating):
            model.objects.all().delete()
        assert not rebuild(events[0].ladder)
        assert snapshot(events[0].ladder) == before
        assert rebuild(events[0].ladder)

    @pytest.mark.parametrize("damage", [
        lambda: Rating.objects.filter(bot__name="ant").update(value=1500.0000000000002),
        lambda: Rating.objects.filter(bot__name="bee").update(rank=9),
        lambda: RatingChange.objects.order_by("pk")[:1].get().delete(),
        lambda: RatingChange.objects.filter(pk=RatingChange.objects.first().pk).update(change=0.1),
        lambda: RatedGame.objects.filter(chance__isnull=False).update(level=1500.0000000000002),
        lambda: RatedGame.objects.all().delete(),
    ])
    def test_detects_and_fixes_a_single_bit(self, event, damage):
        play_event(event)
        before = snapshot(event.ladder)
        damage()
        damaged = snapshot(event.ladder)
        assert not rebuild(event.ladder, check_only=True)
        assert snapshot(event.ladder) == damaged
        assert not rebuild(event.ladder)
        assert snapshot(event.ladder) == before

    def test_removes_ratings_without_games(self, event):
        play_event(event)
        stranger = make_version("eel").bot
        Rating.objects.create(ladder=event.ladder, bot=stranger, value=2000, information=0, games=0, wins=0, draws=0,
                              rank=1)
        assert not rebuild(event.ladder)
        assert not Rating.objects.filter(bot=stranger).exists()


def play_with_winner(match, winner, now, tier="standard"):
    """Finish the match with games that the same seat wins."""
    lease = claim(match_id=match.pk, worker="w", tier=tier, now=now)
    size = match.round.event.ladder.size
    seeds = (seed for seed in range(1000)
             if random_record("square-grid-hex", size, ("x", "y"), seed).result.winner == winner)
    records = [random_record("square-grid-hex", size, ("x", "y"), next(seeds)) for _ in range(2)]
    assert finish(lease, records, now)
    match.refresh_from_db()
    assert match.status == MatchStatus.FINISHED
    assert Game.objects.filter(match=match, winner=winner).count() == 2
