"""Counts of rated games, which do not depend on the order or repetition of deliveries."""

from collections import Counter
from datetime import timedelta
from functools import cache
from typing import Any, ClassVar

import pytest
from django.db import IntegrityError, transaction
from hypothesis import HealthCheck, given
from hypothesis import settings as effort
from hypothesis import strategies as st

from ratings import counting, tables
from ratings.models import COUNTS, ClusterCounts, PairCounts, Statistics
from tests.effort import ALL
from tests.factories import START, make_event, make_version, play_event, play_match, random_record
from tests.tournaments.ladders.official import STANDS, counts, from_the_games, play_to, table
from tournaments.models import Bot, Game, Match
from tournaments.services.ladders.official import compute_due, rebuild_official
from tournaments.services.ladders.rating import rate_due
from tournaments.services.matches.matches import claim, finish

pytestmark = pytest.mark.django_db


class TestCounts:
    @pytest.mark.database
    def test_match_the_games_and_include_a_period_once(self, versions, now):
        event = play_event(make_event(versions, ruleset="square-grid-hex", size=3, openings=True))
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

    def test_do_not_depend_on_the_bots_names(self):
        # Sorted by name, the second of these is last.
        event = make_event([make_version(name) for name in ("ant", "zebra", "bee")], ruleset="square-grid-hex", size=3)
        Bot.objects.filter(name="zebra").update(slug="zebra")
        play_event(event)
        assert rebuild_official(event.ladder, START, check_only=True)["counts"]

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

    def test_include_draws_and_have_one_cluster_for_the_empty_board(self, versions, now):
        make_event(versions[:2], ruleset="square-grid-hex", size=5, cycles=3)
        for match in Match.objects.all():
            play_match(match, most_plies=2)
        rate_due(now)
        assert PairCounts.objects.get().counts == (0, 3, 0, 0, 3, 0)
        assert (ClusterCounts.objects.get().opening, ClusterCounts.objects.get().games) == (counting.digest([]), 6)

    def test_leave_out_unrated_games_and_games_without_isolation(self, versions, now):
        event = make_event(versions[:2], ruleset="square-grid-hex", size=3, cycles=3)
        unrated, unsafe, last = Match.objects.order_by("pk")
        Match.objects.filter(pk=unrated.pk).update(rated=False)
        play_match(unrated)
        play_to(unsafe, 0, 0, tier="unsafe-local", now=now)
        play_match(last)
        rate_due(now)
        assert Statistics.objects.get().games == PairCounts.objects.get().games == 2
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


class TestAnyDelivery:
    """Any order of finished matches, and repeated deliveries of their results."""

    straight: ClassVar[dict[str, Any]] = {}

    @pytest.mark.slow
    @pytest.mark.parametrize("kind", ["event", "ladder"])
    @effort(max_examples=10 if ALL else 3, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(order=st.randoms(use_true_random=False))
    def test_of_results_gives_identical_tables(self, kind, order, now):
        if kind not in self.straight:
            self.straight[kind] = self.undone(kind, None, now)
        assert self.undone(kind, order, now) == self.straight[kind]

    def undone(self, kind, order, now):
        with transaction.atomic():
            found = self.played(kind, order, now)
            transaction.set_rollback(True)
        return found

    def played(self, kind, order, now):
        """The state after all matches, by the names of the bots, because ids differ from run to run."""
        versions = [make_version(name) for name in ("ant", "bee", "cat", "dog")]
        ladder = make_event(versions, ruleset="square-grid-hex", size=3, openings=True).ladder
        if kind == "ladder":
            # As if they had been paired on the ladder: each period rates the matches that are over by then.
            Match.objects.update(kind="ladder", event=None, round=None, number=None)
        matches = list(Match.objects.order_by("pk"))
        seeds = {match.pk: number for number, match in enumerate(matches)}
        if order is not None:
            order.shuffle(matches)
        for match in matches:
            lease = claim(match_id=match.pk, worker="w", tier="standard", now=now)
            records = games_of(seeds[match.pk], tuple(match.opening))
            assert finish(lease, records, now)
            if order is not None:
                # A repeated delivery, and coordinators that check at any moment.
                assert not finish(lease, records, now)
                for _ in range(order.randrange(3)):
                    rate_due(now + timedelta(minutes=order.randrange(2)))
                if order.random() < 0.3:
                    compute_due(now + timedelta(minutes=order.randrange(2)))
        rate_due(now + timedelta(minutes=2))
        compute_due(now + timedelta(minutes=9))
        assert rebuild_official(ladder, now, check_only=True) == STANDS
        bots, first = {version.pk: version.bot.name for version in versions}, versions[0].pk
        facts, lines = table(ladder)
        return ({key: fact for key, fact in facts.items() if key not in {"ladder_id", "period", "input"}},
                [{**line, "version_id": bots[line["version_id"]]} for line in lines],
                [(low - first, high - first, *rest) for low, high, *rest in counts(ladder)[0]])
