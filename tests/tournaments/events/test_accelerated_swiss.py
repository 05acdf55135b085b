"""Accelerated Swiss events, from the draw to the bundle."""

import json
from pathlib import Path

import pytest

from tests.factories import START
from tests.tournaments.events.test_bundles import contents, saved
from tests.tournaments.events.test_rounds import hold_event, play_out, play_round, to_the_end
from tournaments.kit.main import main
from tournaments.models import Bye, Entry, Event, Match
from tournaments.selectors.events import events as reads
from tournaments.services.events import rounds
from tournaments.services.events.entries import leave_event

pytestmark = pytest.mark.django_db

FORMAT = "accelerated swiss"


def places_met(event: Event, number: int) -> list[set[int]]:
    """The pairings of a round, as pairs of places in the draw."""
    place = dict(Entry.objects.filter(event=event).values_list("version", "place"))
    matches = Match.objects.filter(event=event, round__number=number).order_by("number")
    return [{place[match.first_id], place[match.second_id]} for match in matches]


class TestAnAcceleratedSwiss:
    def test_first_pairs_the_better_seeds_and_counts_no_virtual_points(self, tmp_path: Path):
        event = hold_event(9, FORMAT, swiss_rounds=4)
        progress = reads.progress(event, START)
        assert (progress.games_total, progress.rounds_least, progress.rounds_most) == (4 * 4 * 2, 4, 4)
        assert next(tie_break.name for tie_break in reads.tie_break_columns(event)) == "Buchholz cut 1"
        assert sum(pair <= set(range(6)) for pair in places_met(event, 1)) == 3
        play_round(event)
        points = [line.row.points for line in reads.standings(event)]
        assert (sum(points), max(points)) == (5, 1)
        assert play_out(event) == [4] * 4
        met = [frozenset(pair) for number in range(1, 5) for pair in places_met(event, number)]
        assert len(set(met)) == 16
        assert len(set(Bye.objects.values_list("entry", flat=True))) == 4
        path = saved(to_the_end(event), tmp_path)
        assert main(["verify", str(path)]) == 0
        about = json.loads(contents(path)["event.json"])
        assert about["event"]["format"] == FORMAT
        assert sum(line["points"] for line in about["standings"]) == 5 * 4

    def test_does_not_pair_an_entrant_who_has_left(self, tmp_path: Path):
        event = hold_event(8, FORMAT, swiss_rounds=3)
        leave_event(entry=event.entries.get(place=0), actor=None, now=START)
        play_round(event)
        assert rounds.pair_next(event=event, now=START)
        there = set().union(*places_met(event, 2)) | set(
            Bye.objects.filter(round__number=2).values_list("entry__place", flat=True))
        assert there == set(range(1, 8))
        assert main(["verify", str(saved(to_the_end(event), tmp_path))]) == 0
