"""Counts of rated games, which do not depend on the order or repetition of deliveries."""

from collections import Counter
from datetime import timedelta
from functools import cache
from random import Random

import pytest
from django.db import IntegrityError, transaction

from ratings import counting, tables
from ratings.models import COUNTS, ClusterCounts, PairCounts, Statistics
from tests.effort import ALL
from tests.factories import make_event, make_version, play_event, play_match, random_record
from tests.tournaments.ladders.official import STANDS, counts, from_the_games, play_to, table
from tournaments.models import Bot, Game, Match
from tournaments.services.ladders.official import compute_due, rebuild_official
from tournaments.services.ladders.rating import rate_due
from tournaments.services.matches.matches import claim, finish

pytestmark = pytest.mark.django_db


class TestCounts:
    @pytest.mark.database
    def test_match_the_games_and_include_a_period_once(self, versions, now):
        # Sorted by slug, the second version is last.
        Bot.objects.filter(pk=versions[1].bot_id).update(slug="zebra")
        event = play_event(make_event(versions, ruleset="square-grid-hex", size=3, openings=True))
        assert rebuild_official(event.ladder, now, check_only=True) == STANDS
        assert Statistics.objects.get().games == Game.objects.count() == 12
        assert tables.counted(event.ladder_id).digest() == from_the_games(event.ladder).digest()
        played = Counter((frozenset((match.first_id, match.second_id)), counting.digest(match.opening))
                         for match in Match.objects.all())
        assert ClusterCounts.objects.count() == len(played)
        before = counts(event.ladder)
        game = counting.Played(versions[0].pk, versions[1].pk, 0, [])
        with transaction.atomic():
            for number in (1, before[2][0], before[2][0] + 2):
                assert not counting.count_period(ladder_id=event.ladder_id, number=number, games=[game], due_at=now)
        assert counts(event.ladder) == before

    def test_distinguish_seats_and_results(self, versions, now):
        ant, bee = versions[:2]
        event = make_event([bee, ant], ruleset="square-grid-hex", size=3)
        match = Match.objects.get(event=event)
        play_to(match, 0, 1, now=now)
        rate_due(now)
        pair = PairCounts.objects.get()
        assert (pair.low, pair.high) == (ant, bee)
        first = "low" if match.first == ant else "high"
        # Both games were won by the first player of the first game.
        assert [name for name in COUNTS if getattr(pair, name)] == sorted(
            [f"{first}_first_wins", f"{'high' if first == 'low' else 'low'}_first_losses"], key=COUNTS.index)
        assert pair.games == 2

    def test_include_draws_and_leave_out_unrated_games_and_games_without_isolation(self, versions, now):
        event = make_event(versions[:2], ruleset="square-grid-hex", size=5, cycles=4)
        unrated, unsafe, *others = Match.objects.order_by("pk")
        Match.objects.filter(pk=unrated.pk).update(rated=False)
        play_to(unsafe, 0, 0, tier="unsafe-local", now=now)
        for match in (unrated, *others):
            play_match(match, most_plies=2)
        rate_due(now)
        assert PairCounts.objects.get().counts == (0, 2, 0, 0, 2, 0)
        assert Statistics.objects.get().games == 4
        # All from the empty board.
        assert (ClusterCounts.objects.get().opening, ClusterCounts.objects.get().games) == (counting.digest([]), 4)
        assert compute_due(now) == 1
        assert rebuild_official(event.ladder, now, check_only=True) == STANDS

    def test_take_as_many_queries_for_many_matches_as_for_few(self, now, django_assert_max_num_queries):
        event = make_event([make_version(f"bot {number}") for number in range(16)], ruleset="square-grid-hex", size=3)
        for number in (1, 2):
            for match in Match.objects.filter(event=event, round__number=number):
                play_match(match, most_plies=2)
            with django_assert_max_num_queries(35):
                assert rate_due(now) == 1
        assert PairCounts.objects.count() == 16

    @pytest.mark.database
    def test_refuse_a_pair_in_the_wrong_order(self, ladder, versions):
        with pytest.raises(IntegrityError, match=r"a_pair_names_the_lower_version_first|CHECK"), transaction.atomic():
            PairCounts.objects.create(ladder=ladder, low=versions[1], high=versions[0], moments=[])


@cache
def games_of(seed, opening):
    """The records of a match's two games, the same regardless of the order of matches."""
    return [random_record("square-grid-hex", 3, ("x", "y"), 2 * seed + number, opening=opening) for number in (0, 1)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["event", "ladder"])
def test_any_order_and_repetition_of_deliveries_gives_identical_tables(kind, now):
    found = []
    for dice in (None, *map(Random, range(10 if ALL else 3))):
        with transaction.atomic():
            found.append(played(kind, dice, now))
            transaction.set_rollback(True)
    assert all(each == found[0] for each in found)


def played(kind, dice, now):
    """The state after all matches, by the names of the bots, because ids differ from run to run."""
    versions = [make_version(name) for name in ("ant", "bee", "cat", "dog")]
    ladder = make_event(versions, ruleset="square-grid-hex", size=3, openings=True).ladder
    if kind == "ladder":
        # As if they had been paired on the ladder: each period rates the matches that are over by then.
        Match.objects.update(kind="ladder", event=None, round=None, number=None)
    matches = list(Match.objects.order_by("pk"))
    seeds = {match.pk: number for number, match in enumerate(matches)}
    if dice is not None:
        dice.shuffle(matches)
    for match in matches:
        lease = claim(match_id=match.pk, worker="w", tier="standard", now=now)
        records = games_of(seeds[match.pk], tuple(match.opening))
        assert finish(lease, records, now)
        if dice is not None:
            # A repeated delivery, and coordinators that check at any moment.
            assert not finish(lease, records, now)
            for _ in range(dice.randrange(3)):
                rate_due(now + timedelta(minutes=dice.randrange(2)))
            if dice.random() < 0.3:
                compute_due(now + timedelta(minutes=dice.randrange(2)))
    rate_due(now + timedelta(minutes=2))
    compute_due(now + timedelta(minutes=9))
    assert rebuild_official(ladder, now, check_only=True) == STANDS
    bots, first = {version.pk: version.bot.name for version in versions}, versions[0].pk
    facts, lines, _ = table(ladder)
    return ({key: fact for key, fact in facts.items() if key not in {"ladder_id", "period", "input"}},
            [{**line, "version_id": bots[line["version_id"]]} for line in lines],
            [(low - first, high - first, *rest) for low, high, *rest in counts(ladder)[0]])
