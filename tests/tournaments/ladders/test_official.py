"""Ratings: when they are due, what they are computed from, and anchors."""

from datetime import timedelta

import pytest

from ratings import tables
from ratings.models import Anchor, OfficialLine, OfficialTable, Statistics
from tests.factories import make_event, make_user, make_version
from tests.tournaments.ladders.official import (
    STANDS,
    compute_at_once,
    from_the_games,
    play_round,
    stored,
    table,
    versions_of,
)
from tournaments.models import AuditEntry, Match
from tournaments.services.events.events import finish_event
from tournaments.services.ladders import official
from tournaments.services.ladders.anchors import AnchorRefused, remove_anchor, set_anchor
from tournaments.services.ladders.official import compute_due, rebuild_official
from tournaments.services.ladders.rating import rate_due

pytestmark = pytest.mark.django_db
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)


@pytest.fixture
def computing(monkeypatch):
    """Return a function that lets something happen before each computation of a table."""

    def computing(before):
        compute = tables.compute
        monkeypatch.setattr(tables, "compute", lambda given, start=None: before(given) or compute(given, start))

    return computing


class TestComputeDue:
    def test_computes_the_first_table_at_once(self, event, now):
        facts, lines, ratings = table(event.ladder)
        assert [rating["value"] for rating in ratings] == [line["rating"] for line in lines]
        assert [line["rank"] for line in lines] == [1, 2, 3, 4]
        assert sum(line["games"] for line in lines) == 2 * facts["games"] == 48
        assert (facts["model"], facts["components"], facts["period"]) == ("davidson/2", [4], 6)
        assert facts["input"] == from_the_games(event.ladder).digest()
        assert compute_due(now + timedelta(days=1)) == 0

    def test_waits_ten_times_as_long_as_the_last_took_but_at_most_five_minutes(self, fresh, now, settings):
        settings.OFFICIAL_SECONDS = 20
        for number in (1, 2, 3):
            play_round(fresh, number)
            rate_due(now + number * SECOND)
            assert compute_at_once(now + number * SECOND) == (number == 1)
        assert [compute_at_once(now + seconds * SECOND) for seconds in (21, 22)] == [0, 1]
        assert stored(fresh).games == 12
        for seconds, wait in ((20, 200), (60, 300)):
            OfficialTable.objects.filter(ladder=fresh.ladder).update(seconds=seconds, computed_at=now)
            play_round(make_event(versions_of(fresh)[:2], ruleset="square-grid-hex", size=4), 1)
            rate_due(now)
            assert [compute_due(now + later * SECOND) for later in (wait - 1, wait)] == [0, 1]

    def test_does_not_wait_when_an_event_ends(self, fresh, now):
        play_round(fresh, 1)
        rate_due(now)
        compute_due(now)
        for number in (2, 3):
            play_round(fresh, number)
        rate_due(now)
        assert compute_due(now) == 0
        assert finish_event(event=fresh, now=now)
        assert compute_due(now) == 1
        assert stored(fresh).games == 12

    def test_gives_identical_tables_from_warm_and_cold_starts(self, fresh, now):
        for number in (1, 2, 3):
            play_round(fresh, number)
            rate_due(now + number * MINUTE)
            compute_at_once(now + (number + 1) * MINUTE)
        assert stored(fresh).revision == 3
        warm = table(fresh.ladder)
        stored(fresh).delete()
        assert rebuild_official(fresh.ladder, now) == {"counts": True, "ratings": False}
        assert table(fresh.ladder) == warm

    def test_recomputes_for_a_newer_model(self, event, now):
        OfficialTable.objects.update(model="davidson/0")
        assert compute_due(now) == 1
        assert stored(event).model == "davidson/2"

    def test_continues_with_other_ladders_when_one_cannot_be_computed(self, event, fresh, now, monkeypatch, computing):
        Statistics.objects.update(due_at=now - SECOND)
        play_round(fresh, 1)
        rate_due(now)

        def fail(given):
            if given.pairs.games == 24:
                raise ValueError("singular")

        computing(fail)
        # Enough time for both on any machine.
        monkeypatch.setattr(official, "_STEP_SECONDS", 1000)
        assert compute_due(now) == 1
        assert (stored(event).revision, stored(fresh).revision) == (1, 1)
        monkeypatch.undo()
        assert compute_due(now + 2 * MINUTE) == 1
        assert stored(event).revision == 2

    def test_leaves_a_claimed_table_alone_until_the_claim_expires(self, event, now, monkeypatch, computing):
        Statistics.objects.update(due_at=now)
        inside = []

        def meanwhile(_):
            if not inside:
                inside.append(compute_due(now))
                inside.append(compute_due(now + 5 * MINUTE))

        computing(meanwhile)
        assert (compute_due(now), inside) == (0, [0, 1])
        assert stored(event).revision == 2

    def test_takes_over_the_table_of_a_process_that_died(self, event, now, monkeypatch, computing):
        def die(_):
            raise KeyboardInterrupt

        Statistics.objects.update(due_at=now)
        computing(die)
        with pytest.raises(KeyboardInterrupt):
            compute_due(now)
        monkeypatch.undo()
        assert [compute_due(now + seconds * SECOND) for seconds in (59, 60)] == [0, 1]

    def test_includes_games_rated_during_the_computation_in_the_next_table(self, fresh, now, computing):
        play_round(fresh, 1)
        rate_due(now)

        def meanwhile(_):
            if Match.objects.filter(event=fresh, round__number=2, status="queued").exists():
                play_round(fresh, 2)
            rate_due(now)

        computing(meanwhile)
        assert (compute_at_once(now), stored(fresh).games) == (1, 4)
        assert rebuild_official(fresh.ladder, now, check_only=True) == STANDS
        OfficialLine.objects.filter(table__ladder=fresh.ladder, rank=1).update(wins=9, games=9)
        assert rebuild_official(fresh.ladder, now, check_only=True) == {"counts": True, "ratings": False}
        assert (compute_at_once(now + MINUTE), stored(fresh).games) == (1, 8)


class TestAnchors:
    def test_shift_the_table_to_their_ratings_until_they_are_removed(self, event, now):
        staff, ant = make_user("organiser", staff=True), versions_of(event)[0]
        table_before = table(event.ladder)
        before = dict(OfficialLine.objects.values_list("version", "rating"))
        anchor = set_anchor(ladder=event.ladder, version=ant, rating=2000, actor=staff, now=now)
        assert compute_due(now) == 1
        after = dict(OfficialLine.objects.values_list("version", "rating"))
        assert after[ant.pk] == 2000
        shift = 2000 - before[ant.pk]
        assert after == pytest.approx({pk: rating + shift for pk, rating in before.items()}, abs=1e-5)
        assert stored(event).given_anchors == {ant.pk: 2000}
        assert rebuild_official(event.ladder, now, check_only=True) == STANDS
        set_anchor(ladder=event.ladder, version=ant, rating=1900, actor=staff, now=now)
        assert [(each.version, each.rating) for each in Anchor.objects.all()] == [(ant, 1900)]
        assert [entry.detail["rating"] for entry in AuditEntry.objects.filter(verb="anchor").order_by("pk")] == [
            2000, 1900]
        remove_anchor(anchor=anchor, actor=staff, now=now)
        compute_due(now)
        assert table(event.ladder) == table_before
        with pytest.raises(AnchorRefused, match="not an anchor"):
            remove_anchor(anchor=anchor, actor=staff, now=now)

    def test_must_have_sensible_ratings_and_have_no_effect_before_their_first_game(self, event, now):
        staff, eel = make_user("organiser", staff=True), make_version("eel")
        for elo in (float("nan"), float("inf"), 10_001.0, -1e300):
            with pytest.raises(AnchorRefused, match="from -10000 to 10000"):
                set_anchor(ladder=event.ladder, version=eel, rating=elo, actor=staff, now=now)
        set_anchor(ladder=event.ladder, version=eel, rating=2000, actor=staff, now=now)
        compute_due(now)
        assert OfficialLine.objects.count() == 4
        assert rebuild_official(event.ladder, now, check_only=True) == STANDS
