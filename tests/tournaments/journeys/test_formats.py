"""Formats that are paired round by round, played to the end by real workers."""

from datetime import timedelta
from itertools import pairwise
from tempfile import NamedTemporaryFile

import pytest
from django.db.models import F
from django.utils import timezone

from tests.tournaments.site import finished
from tournaments.formats.verification import verify_bundle
from tournaments.models import Bye, Event, Game, Match
from tournaments.models.lifecycle import MatchStatus
from tournaments.selectors.events import events as reads
from tournaments.selectors.events.precision import precision
from tournaments.services.events.exports import event_bundle
from tournaments.services.events.scheduling import create_event
from tournaments.services.ladders.ladders import create_ladder

pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow, pytest.mark.needs_servers]


@pytest.fixture
def hold(enter, staff):
    """Return a function that creates an event of random bots in a format, starting now."""

    def hold(form: str, bots: int, **facts: object) -> Event:
        ladder = create_ladder(ruleset="square-grid-hex", size=3, base_seconds=60.0)
        versions = [enter(f"bot {number}", staff) for number in range(1, bots + 1)]
        now = timezone.now()
        return create_event(name=f"{form} of {bots}", ladder=ladder, versions=versions, starts_at=now,
                            created_by=staff, now=now, seed=3, format=form, **facts)

    return hold


def play(site, event: Event) -> None:
    site.start("coordinator")
    site.start("worker", "--concurrency", "2")
    site.wait_for(lambda: finished(event))


def verified(event: Event) -> None:
    event.refresh_from_db()
    with event_bundle(event) as bundle, NamedTemporaryFile() as file:
        file.write(bundle.read())
        file.flush()
        verify_bundle(file.name)


class TestSwiss:
    def test_of_33_bots_ends_after_seven_rounds_without_a_repeated_pairing(self, site, hold):
        event = hold("swiss", 33, swiss_rounds=7)
        play(site, event)
        assert list(event.rounds.values_list("number", flat=True)) == [1, 2, 3, 4, 5, 6, 7]
        for round_ in event.rounds.all():
            met = [version for match in round_.matches.all() for version in (match.first_id, match.second_id)]
            assert len(met) == len(set(met)) == 32
        pairs = [frozenset(pair) for pair in Match.objects.values_list("first", "second")]
        assert len(set(pairs)) == len(pairs) == 16 * 7
        byes = list(Bye.objects.values_list("entry", flat=True))
        assert len(set(byes)) == len(byes) == 7
        lines = reads.standings(event)
        assert [line.row.place for line in lines] == sorted(line.row.place for line in lines)
        assert Game.objects.count() == 16 * 7 * 2


class TestKnockout:
    def test_of_11_bots_leaves_one_unbeaten(self, site, hold):
        event = hold("knockout", 11)
        play(site, event)
        assert not Match.objects.exclude(status=MatchStatus.FINISHED).exists()
        sizes = [len({frozenset((match.first_id, match.second_id)) for match in round_.matches.all()})
                 for round_ in event.rounds.all()]
        assert sum(sizes[:4]) == 10
        assert all(before >= after for before, after in pairwise(sizes[1:4]))
        assert [line.row.place for line in reads.standings(event)][:2] == [1, 2]


class TestAnArena:
    def test_of_five_bots_ends_with_its_time_and_its_bundle_repeats_every_wave(self, site, hold):
        event = hold("arena", 5, minutes=1, streaks=True)
        site.start("coordinator")
        site.start("worker", "--concurrency", "2")
        site.wait_for(lambda: event.rounds.count() > 2)
        # The arena began earlier: the test does not wait for a minute.
        Event.objects.filter(pk=event.pk).update(started_at=F("started_at") - timedelta(seconds=45))
        site.wait_for(lambda: finished(event))
        matches = Match.objects.filter(event=event)
        assert not matches.exclude(status=MatchStatus.FINISHED).exists()
        assert matches.count() > 4
        verified(event)


class TestPrecision:
    def test_of_four_bots_stops_by_itself_and_its_bundle_repeats_every_pairing(self, site, hold):
        event = hold("precision", 4, target="ratings", target_value=180, max_matches=60)
        play(site, event)
        event.refresh_from_db()
        assert precision(event).stopped in {"target", "matches", "repeats"}
        assert not Match.objects.exclude(status=MatchStatus.FINISHED).exists()
        assert 0 < Match.objects.count() <= 60
        verified(event)
