"""Computing official tables from the counts of games, and rebuilding them from the games."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db.models import F

from ratings import tables
from ratings.models import Anchor, ClusterCounts, OfficialLine, OfficialTable, PairCounts, Statistics
from tests.factories import make_event, make_user, make_version, play_event, play_match
from tests.tournaments.ladders.official import STANDS, counts, from_the_games, play_to, table
from tests.tournaments.operations.test_coordinator import at_once
from tournaments.coordinator import steps
from tournaments.models import AuditEntry, Match
from tournaments.services.events.events import finish_event
from tournaments.services.ladders.anchors import AnchorRefused, remove_anchor, set_anchor
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.ladders.official import compute_due, rebuild_official
from tournaments.services.ladders.rating import rate_due

pytestmark = pytest.mark.django_db


@pytest.fixture
def versions(db):
    return [make_version(name) for name in ("ant", "bee", "cat", "dog")]


@pytest.fixture
def event(versions):
    return make_event(versions, ruleset="square-grid-hex", size=3, cycles=2, openings=True)


class TestComputeDue:
    def test_computes_the_first_table_at_once(self, event, now):
        play_event(event)
        assert compute_due(now) == 1
        facts, lines = table(event.ladder)
        assert [line["rank"] for line in lines] == [1, 2, 3, 4]
        assert sum(line["games"] for line in lines) == 2 * facts["games"] == 48
        assert (facts["model"], facts["components"], facts["period"]) == ("davidson/1", [4], 6)
        assert facts["input"] == from_the_games(event.ladder).digest()
        assert compute_due(now + timedelta(days=1)) == 0

    def test_waits_between_tables(self, event, now, settings):
        settings.OFFICIAL_SECONDS = 20
        for number in (1, 2, 3):
            for match in Match.objects.filter(event=event, round__number=number):
                play_match(match)
            rate_due(now + timedelta(seconds=number))
            assert compute_due(now + timedelta(seconds=number)) == (number == 1)
        assert compute_due(now + timedelta(seconds=21)) == 0
        assert compute_due(now + timedelta(seconds=22)) == 1
        assert OfficialTable.objects.get().games == 12

    def test_waits_ten_times_as_long_as_the_last_table_took(self, event, now):
        for number in (1, 2):
            for match in Match.objects.filter(event=event, round__number=number):
                play_match(match)
            rate_due(now)
            compute_due(now)
            OfficialTable.objects.update(seconds=60)
        assert compute_due(now + timedelta(seconds=599)) == 0
        assert compute_due(now + timedelta(seconds=600)) == 1

    def test_does_not_wait_when_an_event_ends(self, event, now):
        matches = list(Match.objects.order_by("round__number"))
        for match in matches[:2]:
            play_match(match)
        rate_due(now)
        compute_due(now)
        for match in matches[2:]:
            play_match(match)
        rate_due(now)
        assert compute_due(now) == 0
        assert finish_event(event=event, now=now)
        assert compute_due(now) == 1
        assert OfficialTable.objects.get().games == 24

    def test_is_a_step_of_the_coordinator(self, event, now, redis_url):
        for match in Match.objects.all():
            play_match(match)
        assert steps.step(now)["compute official tables"] == 1

    def test_gives_identical_tables_from_warm_and_cold_starts(self, event, now):
        for number in range(1, 7):
            for match in Match.objects.filter(event=event, round__number=number):
                play_match(match)
            rate_due(now + timedelta(minutes=number))
            compute_due(now + timedelta(minutes=number + 1))
        assert OfficialTable.objects.get().revision == 6
        warm = table(event.ladder)
        OfficialTable.objects.all().delete()
        assert rebuild_official(event.ladder, now) == {"counts": True, "official table": False}
        assert table(event.ladder) == warm

    def test_counts_games_rated_before_counts_existed(self, event, now):
        play_event(event)
        compute_due(now)
        before = counts(event.ladder), table(event.ladder)
        for model in (OfficialTable, ClusterCounts, PairCounts, Statistics):
            model.objects.all().delete()
        assert compute_due(now) == 1
        assert (counts(event.ladder), table(event.ladder)) == before

    def test_recounts_everything_after_an_uncounted_period(self, event, versions, now):
        play_event(event)
        whole = counts(event.ladder)
        PairCounts.objects.filter(low=versions[0]).delete()
        Statistics.objects.update(period=3, games=7)
        compute_due(now)
        assert counts(event.ladder) == whole

    def test_recomputes_for_a_newer_model(self, event, now, monkeypatch):
        play_event(event)
        compute_due(now)
        OfficialTable.objects.update(model="davidson/0")
        assert compute_due(now) == 1
        assert OfficialTable.objects.get().model == "davidson/1"

    def test_continues_with_other_ladders_when_one_cannot_be_computed(self, event, versions, now, monkeypatch, caplog):
        play_event(event)
        other = make_event(versions, ruleset="square-grid-hex", size=4)
        play_event(other)

        def fails(given, start=None, whole=tables.compute):
            if given.pairs.games == 24:
                raise ValueError("singular")
            return whole(given, start)

        monkeypatch.setattr(tables, "compute", fails)
        assert compute_due(now) == 1
        assert OfficialTable.objects.get().ladder == other.ladder
        assert "compute official tables: " in caplog.text
        monkeypatch.undo()
        assert compute_due(now + timedelta(minutes=2)) == 1

    def test_leaves_a_claimed_table_alone(self, event, now, monkeypatch):
        play_event(event)
        inside = []

        def meanwhile(given, start=None, whole=tables.compute):
            inside.append(compute_due(now))
            return whole(given, start)

        monkeypatch.setattr(tables, "compute", meanwhile)
        assert compute_due(now) == 1
        assert inside == [0]

    def test_takes_over_an_expired_claim(self, event, now, monkeypatch):
        class Killed(BaseException):
            pass

        def dies(given, start=None):
            raise Killed

        play_event(event)
        monkeypatch.setattr(tables, "compute", dies)
        with pytest.raises(Killed):
            compute_due(now)
        monkeypatch.undo()
        assert compute_due(now + timedelta(seconds=59)) == 0
        assert compute_due(now + timedelta(seconds=60)) == 1

    def test_does_not_store_a_table_after_losing_its_claim(self, event, now, monkeypatch):
        play_event(event)
        late = []

        def slow(given, start=None, whole=tables.compute):
            if not late:
                late.append(now)
                assert compute_due(now + timedelta(minutes=5)) == 1
            return whole(given, start)

        monkeypatch.setattr(tables, "compute", slow)
        assert compute_due(now) == 0
        assert OfficialTable.objects.get().revision == 1

    def test_includes_games_rated_during_the_computation_in_the_next_table(self, event, now, monkeypatch):
        rounds = [Match.objects.filter(event=event, round__number=number) for number in (1, 2)]
        for match in rounds[0]:
            play_match(match)
        rate_due(now)

        def meanwhile(given, start=None, whole=tables.compute):
            for match in rounds[1].filter(status="queued"):
                play_match(match)
            rate_due(now)
            return whole(given, start)

        monkeypatch.setattr(tables, "compute", meanwhile)
        assert compute_due(now) == 1
        assert OfficialTable.objects.get().games == 4
        assert rebuild_official(event.ladder, now, check_only=True) == STANDS
        assert compute_due(now + timedelta(minutes=1)) == 1
        assert OfficialTable.objects.get().games == 8


class TestRebuild:
    def test_finds_no_difference_in_intact_tables(self, event, now):
        play_event(event)
        assert rebuild_official(event.ladder, now, check_only=True) == STANDS
        compute_due(now)
        assert rebuild_official(event.ladder, now, check_only=True) == STANDS
        assert OfficialTable.objects.get().revision == 1

    @pytest.mark.parametrize(("damage", "wrong"), [
        (lambda: OfficialLine.objects.filter(rank=2).update(rating=F("rating") + 1e-6), ["official table"]),
        (lambda: OfficialLine.objects.filter(rank=4).delete(), ["official table"]),
        (lambda: OfficialTable.objects.update(eta=0.25), ["official table"]),
        (lambda: OfficialTable.objects.update(input="0" * 64), ["official table"]),
        (lambda: OfficialTable.objects.all().delete(), ["official table"]),
        (lambda: PairCounts.objects.filter(pk=PairCounts.objects.first().pk).update(low_first_wins=9), ["counts"]),
        (lambda: PairCounts.objects.filter(pk=PairCounts.objects.first().pk).update(moments=[0] * 21), ["counts"]),
        (lambda: ClusterCounts.objects.first().delete(), ["counts"]),
        (lambda: PairCounts.objects.last().delete(), ["counts"]),
        (lambda: Statistics.objects.update(games=1), ["counts"]),
        (lambda: Statistics.objects.all().delete(), ["counts"]),
    ])
    def test_detects_and_fixes_a_single_digit(self, event, now, damage, wrong):
        play_event(event)
        compute_due(now)
        before = counts(event.ladder), table(event.ladder)
        damage()
        found = rebuild_official(event.ladder, now, check_only=True)
        assert [what for what, stands in found.items() if not stands] == wrong
        assert rebuild_official(event.ladder, now) == found
        assert (counts(event.ladder), table(event.ladder)) == before
        assert rebuild_official(event.ladder, now, check_only=True) == STANDS

    def test_removes_counts_without_games(self, event, versions, now):
        play_event(event)
        PairCounts.objects.create(ladder=event.ladder, low=versions[0], high=make_version("eel"), moments=[0] * 21)
        assert not rebuild_official(event.ladder, now)["counts"]
        assert PairCounts.objects.count() == 6

    def test_finds_nothing_on_a_ladder_without_games(self, now):
        ladder = create_ladder(ruleset="squ", size=6, base_seconds=5)
        assert rebuild_official(ladder, now) == STANDS
        assert compute_due(now) == 0

    def test_makes_no_table_from_games_that_do_not_count(self, versions, now):
        event = make_event(versions[:2], ruleset="square-grid-hex", size=3)
        play_to(Match.objects.get(), 0, 0, tier="unsafe-local", now=now)
        rate_due(now)
        assert compute_due(now) == 0
        assert rebuild_official(event.ladder, now) == STANDS
        assert not OfficialTable.objects.exists()

    def test_compares_a_due_table_with_the_games_it_contains(self, event, now):
        for number in (1, 2):
            for match in Match.objects.filter(event=event, round__number=number):
                play_match(match)
            rate_due(now)
            compute_due(now)
        assert OfficialTable.objects.get().games == 4
        assert rebuild_official(event.ladder, now, check_only=True) == STANDS
        OfficialLine.objects.filter(rank=1).update(wins=F("wins") + 1, games=F("games") + 1)
        assert rebuild_official(event.ladder, now, check_only=True) == {"counts": True, "official table": False}

    def test_is_available_as_a_command(self, event, now, capsys):
        play_event(event)
        compute_due(now)
        OfficialTable.objects.update(games=1, draws=0)
        with pytest.raises(CommandError, match="do not follow from the games"):
            call_command("rebuild_ratings", "--check")
        call_command("rebuild_ratings")
        call_command("rebuild_ratings", "--check")
        assert capsys.readouterr().out.splitlines() == [
            f"{event.ladder.slug}: {outcome}" for outcome in
            ("different: official table", "different and replaced: official table", "equal, bit for bit")]


class TestAnchors:
    @pytest.fixture
    def staff(self, event):
        return make_user("organiser", staff=True)

    def test_shift_the_table_to_their_ratings(self, event, versions, now, staff):
        play_event(event)
        compute_due(now)
        before = {line.version_id: line.rating for line in OfficialLine.objects.all()}
        set_anchor(ladder=event.ladder, version=versions[0], rating=2000, actor=staff, now=now)
        assert compute_due(now) == 1
        after = {line.version_id: line.rating for line in OfficialLine.objects.all()}
        assert after[versions[0].pk] == 2000
        shift = 2000 - before[versions[0].pk]
        assert after == pytest.approx({pk: rating + shift for pk, rating in before.items()}, abs=1e-5)
        assert OfficialTable.objects.get().given_anchors == {versions[0].pk: 2000}
        assert rebuild_official(event.ladder, now, check_only=True) == STANDS

    def test_can_be_removed(self, event, versions, now, staff):
        play_event(event)
        compute_due(now)
        before = table(event.ladder)
        anchor = set_anchor(ladder=event.ladder, version=versions[0], rating=2000, actor=staff, now=now)
        compute_due(now)
        remove_anchor(anchor=anchor, actor=staff, now=now)
        compute_due(now)
        assert table(event.ladder) == before
        with pytest.raises(AnchorRefused, match="not an anchor"):
            remove_anchor(anchor=anchor, actor=staff, now=now)

    def test_have_no_effect_before_their_first_game(self, event, versions, now, staff):
        set_anchor(ladder=event.ladder, version=make_version("eel"), rating=2000, actor=staff, now=now)
        play_event(event)
        compute_due(now)
        assert OfficialLine.objects.count() == 4
        assert rebuild_official(event.ladder, now, check_only=True) == STANDS

    def test_are_recorded_in_the_audit_log(self, event, versions, now, staff):
        set_anchor(ladder=event.ladder, version=versions[0], rating=2000, actor=staff, now=now)
        set_anchor(ladder=event.ladder, version=versions[0], rating=1900, actor=staff, now=now)
        assert [(anchor.version, anchor.rating) for anchor in Anchor.objects.all()] == [(versions[0], 1900)]
        assert [entry.detail["rating"] for entry in AuditEntry.objects.filter(verb="anchor").order_by("pk")] == [
            2000, 1900]

    @pytest.mark.parametrize("elo", [float("nan"), float("inf"), 10_001.0, -1e300])
    def test_must_have_sensible_ratings(self, event, versions, now, staff, elo):
        with pytest.raises(AnchorRefused, match="from -10000 to 10000"):
            set_anchor(ladder=event.ladder, version=versions[0], rating=elo, actor=staff, now=now)


@pytest.mark.django_db(transaction=True)
@pytest.mark.serial
class TestSeveralCoordinators:
    def test_count_and_compute_each_table_once(self, versions, now):
        events = [make_event(versions, ruleset="square-grid-hex", size=size) for size in (3, 4, 5)]
        for match in Match.objects.all():
            play_match(match, most_plies=4)
        at_once(4, lambda: rate_due(now))
        assert sum(at_once(4, lambda: compute_due(now))) == 3
        assert set(OfficialTable.objects.values_list("revision", "games")) == {(1, 12)}
        for event in events:
            assert rebuild_official(event.ladder, now, check_only=True) == STANDS
