"""Accelerated Swiss events, from the draw to the bundle."""

import json
from pathlib import Path

import pytest

from tests.factories import START
from tests.tournaments.events.test_bundles import contents, held, played, saved
from tests.tournaments.events.test_rounds import hold_event, play_out, play_round
from tournaments.kit.main import main
from tournaments.models import Bye, Entry, Event, Match
from tournaments.models.lifecycle import EventStatus
from tournaments.selectors.events import events as reads
from tournaments.services.events import rounds
from tournaments.services.events.entries import leave_event
from tournaments.services.events.events import create_event, finish_event
from tournaments.services.events.scheduling import EventRefused

pytestmark = pytest.mark.django_db

FORMAT = "accelerated swiss"


def places_met(event: Event, number: int) -> list[set[int]]:
    """The pairings of a round, as pairs of places in the draw."""
    place = dict(Entry.objects.filter(event=event).values_list("version", "place"))
    matches = Match.objects.filter(event=event, round__number=number).order_by("number")
    return [{place[match.first_id], place[match.second_id]} for match in matches]


class TestAnAcceleratedSwiss:
    def test_first_pairs_the_better_seeds_among_themselves(self):
        event = hold_event(10, FORMAT, swiss_rounds=5)
        first = places_met(event, 1)
        assert all(pair <= set(range(6)) or pair <= {6, 7, 8, 9} for pair in first)
        assert sum(pair <= set(range(6)) for pair in first) == 3

    def test_finishes_without_a_repeated_pairing_or_second_bye(self):
        event = hold_event(9, FORMAT, swiss_rounds=5)
        assert play_out(event) == [4] * 5
        met = [frozenset(pair) for number in range(1, 6) for pair in places_met(event, number)]
        assert len(set(met)) == len(met) == 20
        byes = list(Bye.objects.values_list("entry", flat=True))
        assert len(set(byes)) == len(byes) == 5
        assert finish_event(event=event, now=START)
        assert Event.objects.get().status == EventStatus.FINISHED

    def test_counts_no_virtual_points_in_its_standings(self):
        event = hold_event(8, FORMAT, swiss_rounds=3)
        assert [line.row.points for line in reads.standings(event)] == [0.0] * 8
        play_round(event)
        assert sum(line.row.points for line in reads.standings(event)) == 4.0
        assert all(line.row.points <= 1.0 for line in reads.standings(event))
        assert next(tie_break.name for tie_break in reads.tie_break_columns(event)) == "Buchholz cut 1"

    def test_does_not_pair_an_entrant_who_has_left(self):
        event = hold_event(8, FORMAT, swiss_rounds=4)
        leave_event(entry=event.entries.get(place=0), actor=None, now=START)
        play_round(event)
        assert rounds.pair_next(event=event, now=START)
        there = set().union(*places_met(event, 2)) | set(
            Bye.objects.filter(round__number=2).values_list("entry__place", flat=True))
        assert there == set(range(1, 8))

    def test_expects_all_of_its_games_from_the_start(self):
        event = hold_event(8, FORMAT, swiss_rounds=4)
        progress = reads.progress(event, START)
        assert (progress.games_total, progress.rounds_least, progress.rounds_most) == (4 * 4 * 2, 4, 4)

    def test_allows_as_many_entries_as_a_swiss(self):
        event = hold_event(2, FORMAT, started=False)
        with pytest.raises(EventRefused, match="up to 128 entries, not 129"):
            create_event(name="Wide", ladder=event.ladder, starts_at=START, now=START, seed=1, format=FORMAT,
                         created_by=event.created_by, registration_opens_at=START, max_entries=129)


class TestItsBundle:
    def test_can_be_verified_and_does_not_mention_virtual_points(self, tmp_path: Path):
        path = saved(played(held(7, FORMAT)), tmp_path)
        assert main(["verify", str(path)]) == 0
        about = json.loads(contents(path)["event.json"])
        assert about["event"]["format"] == FORMAT
        assert sum(line["points"] for line in about["standings"]) == 4.0 * len({row[0] for row in about["byes"]})

    def test_can_be_verified_after_a_withdrawal(self, tmp_path: Path):
        event = held(8, FORMAT)
        leave_event(entry=event.entries.get(place=1), actor=None, now=START)
        assert main(["verify", str(saved(played(event), tmp_path))]) == 0
