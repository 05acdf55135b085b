"""Rebuilding ratings and official tables from the games: differences are found and replaced."""

from importlib import import_module

import pytest
from django.apps import apps
from django.db import transaction
from django.db.models import F

from ratings.models import (
    ClusterCounts,
    OfficialLine,
    OfficialTable,
    PairCounts,
    RatedGame,
    Rating,
    RatingChange,
    Statistics,
)
from tests.factories import make_event, make_version
from tests.tournaments.ladders.official import STANDS, counts, play_to, snapshot, table, versions_of
from tournaments.models import Match
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.ladders.official import compute_due, rebuild_official
from tournaments.services.ladders.rating import rate_due, rebuild

pytestmark = pytest.mark.django_db


def pairs():
    return PairCounts.objects.order_by("pk")


def changes():
    return RatingChange.objects.order_by("pk")


DAMAGES_TO_RATINGS = (
    lambda: Rating.objects.filter(bot__name="ant").update(value=1500.0000000000002),
    lambda: Rating.objects.filter(bot__name="bee").update(rank=9),
    lambda: RatingChange.objects.filter(pk=changes()[0].pk).delete(),
    lambda: RatingChange.objects.filter(pk=changes()[0].pk).update(change=0.1),
    lambda: RatedGame.objects.filter(chance__isnull=False).update(level=1500.0000000000002),
    lambda: RatedGame.objects.all().delete(),
    lambda: Rating.objects.create(ladder=Rating.objects.first().ladder, bot=make_version("eel").bot, value=2000,
                                  information=0, games=0, wins=0, draws=0, rank=1),
)


DAMAGES_TO_TABLES = (
    ("official table", lambda: OfficialLine.objects.filter(rank=2).update(rating=F("rating") + 1e-6)),
    ("official table", lambda: OfficialLine.objects.filter(rank=4).delete()),
    ("official table", lambda: OfficialTable.objects.update(eta=0.25)),
    ("official table", lambda: OfficialTable.objects.update(input="0" * 64)),
    ("official table", lambda: OfficialTable.objects.all().delete()),
    ("counts", lambda: PairCounts.objects.filter(pk=pairs()[0].pk).update(low_first_wins=9)),
    ("counts", lambda: PairCounts.objects.filter(pk=pairs()[0].pk).update(moments=[0] * 21)),
    ("counts", lambda: ClusterCounts.objects.first().delete()),
    ("counts", lambda: pairs().last().delete()),
    ("counts", lambda: Statistics.objects.update(games=1)),
    ("counts", lambda: Statistics.objects.all().delete()),
    ("counts", lambda: PairCounts.objects.create(ladder=pairs()[0].ladder, low=pairs()[0].low,
                                                 high=make_version("eel"), moments=[0] * 21)),
)


class TestOfficialTables:
    @pytest.mark.database
    @pytest.mark.slow
    def test_detects_and_fixes_a_single_digit(self, event, now):
        before, failed = (counts(event.ladder), table(event.ladder)), []
        assert rebuild_official(event.ladder, now, check_only=True) == STANDS
        for number, (wrong, damage) in enumerate(DAMAGES_TO_TABLES):
            with transaction.atomic():
                damage()
                found = rebuild_official(event.ladder, now, check_only=True)
                done = rebuild_official(event.ladder, now)
                if not ([what for what, stands in found.items() if not stands] == [wrong] and done == found
                        and (counts(event.ladder), table(event.ladder)) == before):
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


class TestRatings:
    @pytest.mark.database
    def test_are_compared_and_restored_to_a_single_bit(self, event):
        before, failed = snapshot(event.ladder), []
        assert rebuild(event.ladder, check_only=True)
        for number, damage in enumerate(DAMAGES_TO_RATINGS):
            with transaction.atomic():
                damage()
                damaged = snapshot(event.ladder)
                found = rebuild(event.ladder, check_only=True), snapshot(event.ladder) == damaged
                fixed = rebuild(event.ladder), snapshot(event.ladder) == before
                if (found, fixed) != ((False, True), (False, True)):
                    failed.append((number, found, fixed))
                transaction.set_rollback(True)
        assert failed == []

    def test_have_levels_and_chances_filled_in_by_the_migration(self, event):
        before = snapshot(event.ladder)
        RatedGame.objects.first().delete()
        import_module("ratings.migrations.0004_fill_rated_games").fill(apps, None)
        assert snapshot(event.ladder) == before
