"""Rebuilding ratings from the games: differences are found and replaced."""

from importlib import import_module

import pytest
from django.apps import apps
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from ratings.models import (
    ClusterCounts,
    OfficialLine,
    OfficialTable,
    OpeningCount,
    PairCounts,
    RatedGame,
    Rating,
    Statistics,
)
from tests.factories import make_event, make_version
from tests.tournaments.ladders.official import STANDS, counts, play_to, table, versions_of
from tournaments.models import Match
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.ladders.official import compute_due, rebuild_official
from tournaments.services.ladders.rating import rate_due

pytestmark = pytest.mark.django_db


def pairs():
    return PairCounts.objects.order_by("pk")


DAMAGES = (
    ("ratings", lambda: Rating.objects.filter(rank=2).update(value=F("value") + 1e-6)),
    ("ratings", lambda: Rating.objects.filter(rank=4).update(rank=9)),
    ("ratings", lambda: Rating.objects.filter(rank=4).delete()),
    ("ratings", lambda: OfficialLine.objects.filter(rank=2).update(rating=F("rating") + 1e-6)),
    ("ratings", lambda: OfficialLine.objects.filter(rank=4).delete()),
    ("ratings", lambda: OfficialTable.objects.update(eta=0.25)),
    ("ratings", lambda: OfficialTable.objects.update(input="0" * 64)),
    ("ratings", lambda: OfficialTable.objects.all().delete()),
    ("counts", lambda: PairCounts.objects.filter(pk=pairs()[0].pk).update(low_first_wins=9)),
    ("counts", lambda: PairCounts.objects.filter(pk=pairs()[0].pk).update(moments=[0] * 21)),
    ("counts", lambda: ClusterCounts.objects.first().delete()),
    ("counts", lambda: pairs().last().delete()),
    ("counts", lambda: Statistics.objects.update(games=1)),
    ("counts", lambda: Statistics.objects.all().delete()),
    ("counts", lambda: PairCounts.objects.create(ladder=pairs()[0].ladder, low=pairs()[0].low,
                                                 high=make_version("eel"), moments=[0] * 21)),
)


def without_points(found):
    facts, lines, ratings = found
    return facts, lines, [{key: fact for key, fact in rating.items() if key != "points"} for rating in ratings]


class TestRebuilding:
    @pytest.mark.database
    @pytest.mark.slow
    def test_detects_and_fixes_a_single_digit(self, event, now):
        before, failed = (counts(event.ladder), without_points(table(event.ladder))), []
        assert rebuild_official(event.ladder, now, check_only=True) == STANDS
        for number, (wrong, damage) in enumerate(DAMAGES):
            with transaction.atomic():
                damage()
                found = rebuild_official(event.ladder, now, check_only=True)
                done = rebuild_official(event.ladder, now)
                after = counts(event.ladder), without_points(table(event.ladder))
                if not ([what for what, stands in found.items() if not stands] == [wrong] and done == found
                        and after == before):
                    failed.append((number, found, done))
                transaction.set_rollback(True)
        assert failed == []

    def test_finds_nothing_on_a_ladder_without_games_that_count(self, event, now):
        empty = create_ladder(ruleset="squ", size=6, base_seconds=5)
        other = make_event(versions_of(event)[:2], ruleset="square-grid-hex", size=4)
        play_to(Match.objects.get(event=other), 0, 0, tier="unsafe-local", now=now)
        rate_due(now)
        assert compute_due(now) == 0
        assert rebuild_official(empty, now) == rebuild_official(other.ladder, now) == STANDS
        assert not OfficialTable.objects.filter(ladder=other.ladder).exists()


class TestTheUpgrade:
    def test_keeps_every_rated_game_and_has_the_ratings_fitted(self, event, now):
        """The first release has rated games, counts and a table of versions, but no ratings of this release."""
        lines = dict(OfficialLine.objects.values_list("version", "rating"))
        periods = dict(RatedGame.objects.values_list("game", "period"))
        Rating.objects.all().delete()
        RatedGame.objects.all().delete()
        OpeningCount.objects.create(ladder=event.ladder)
        fill = import_module("ratings.migrations.0008_fill_rated_games").fill
        for _ in range(2):
            fill(apps, None)
        rated = RatedGame.objects.select_related("game")
        assert {row.game_id: row.period for row in rated} == periods
        for row in rated:
            assert row.before == pytest.approx((lines[row.game.seat0_id], lines[row.game.seat1_id]))
            likely = 0 if row.lead > 0 else 1
            if row.game.winner is not None and abs(row.lead) > 200:
                assert (row.chance > 0.5) == (row.game.winner == likely)
        assert OpeningCount.objects.get().clearing
        assert compute_due(timezone.now()) == 1
        assert set(Rating.objects.values_list("version", "value")) == set(lines.items())
        assert rebuild_official(event.ladder, now, check_only=True) == STANDS
