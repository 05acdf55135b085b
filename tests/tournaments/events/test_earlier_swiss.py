"""A Swiss of an earlier release, with pairings changed by hand and byes for fewer points: its tables and its bundle."""

from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.factories import START, make_version
from tests.tournaments.events.test_bundles import edited, saved, tampered
from tests.tournaments.events.test_rounds import play_round, to_the_end
from tests.tournaments.events.test_rulings import entry_at, hold, organiser
from tournaments.formats.swiss.changing import Plan, Unchangeable
from tournaments.kit.main import main
from tournaments.models import Bye, ChangedPairing, Entry, Event, Match
from tournaments.selectors.events import events as reads
from tournaments.services.events import rounds
from tournaments.services.events.entries import leave_event
from tournaments.services.events.rulings.disqualifying import disqualify


def changed_by_hand(event: Event) -> ChangedPairing:
    """Let the first bots of the two top pairings of round 1 meet, as an organiser could under release 1.0."""
    one, other = Match.objects.filter(event=event).order_by("number")[:2]
    Match.objects.filter(pk=one.pk).update(second=other.first)
    Match.objects.filter(pk=other.pk).update(first=one.second)
    entry = {entry.version_id: entry for entry in event.entries.all()}
    return ChangedPairing.objects.create(
        round=event.rounds.get(), number=1, first=entry[one.first_id], second=entry[other.first_id],
        reason="<b>a request</b>", ruled_by=organiser(), ruled_at=START)


class TestAPlan:
    @given(st.integers(2, 9), st.lists(st.tuples(st.integers(0, 9), st.none() | st.integers(0, 9)), max_size=12))
    def test_has_each_entrant_once_after_any_changes_and_lets_the_two_meet(self, entrants, changes):
        plan = Plan(tuple((one, one + 1) for one in range(0, entrants - 1, 2)), entrants - 1 if entrants % 2 else None)
        for one, other in changes:
            try:
                plan = plan.changed((one, other))
            except Unchangeable:
                continue
            assert plan.opponent(one) == other
            there = Counter([place for pair in plan.pairs for place in pair] + [plan.bye] * (plan.bye is not None))
            assert there == Counter(range(entrants))


@pytest.mark.django_db
class TestAnEvent:
    def test_shows_the_reason_of_a_changed_pairing(self, client):
        event = hold(4)
        changed_by_hand(event)
        assert b"Reason: <bdi>&lt;b&gt;a request&lt;/b&gt;</bdi>" in client.get(f"/events/{event.slug}/").content
        assert client.get(f"/api/rounds/?event={event.slug}").json()["results"][0]["changes"] == ["<b>a request</b>"]

    def test_counts_and_verifies_the_half_point_of_a_late_entrant(self, tmp_path: Path):
        event = hold(4, swiss_rounds=3)
        play_round(event)
        late = make_version("late")
        entry = Entry.objects.create(event=event, bot=late.bot, version=late, place=4, entered_at=START)
        Bye.objects.create(round=event.rounds.get(), entry=entry, points=0.5)
        Event.objects.filter(pk=event.pk).update(revision=event.revision + 1)
        event.refresh_from_db()
        assert {line.entry.place: line.row.points for line in reads.standings(event)}[4] == 0.5
        assert rounds.pair_next(event=event, now=START)
        to_the_end(event)
        assert main(["verify", str(saved(event, tmp_path))]) == 0


@pytest.mark.django_db
class TestABundle:
    def test_verifies_with_the_change_and_not_without_it_or_with_another(self, tmp_path: Path, capsys):
        event = hold(6, swiss_rounds=3)
        change = changed_by_hand(event)
        to_the_end(event)
        path = saved(event, tmp_path)
        assert main(["verify", str(path)]) == 0
        assert "3 rounds paired again, with 1 changes by hand" in capsys.readouterr().out
        slug, one = change.first.bot.slug, change.first.place
        for edit in (lambda about: about.pop("changed_pairings"),
                     lambda about: about["changed_pairings"][0].update(round=2),
                     lambda about: about["changed_pairings"][0].update(second=slug),
                     lambda about: about["changed_pairings"].append(about["changed_pairings"][0] | {"round": 3}),
                     lambda about: about["pairings"][1]["ties"][0]["pair"].reverse(),
                     lambda about: about["pairings"][0]["ties"][0].update(played=False),
                     lambda about: about["pairings"][0]["ties"][0].update(gone=[one]),
                     lambda about: about["pairings"][0]["ties"][0]["scores"].reverse()
                     or about["pairings"][0]["ties"][0].update(scores=[0.25, 0.75])):
            assert main(["verify", str(tampered(path, edited(event=edit)))]) == 1

    def test_that_states_what_was_decided_without_play_verifies(self, tmp_path: Path):
        def earlier(about):
            about |= {"aside": [], "unplayed": []}
            for round_ in about["pairings"]:
                for tie in round_["ties"]:
                    del tie["open"]

        path = saved(to_the_end(hold(4, swiss_rounds=2)), tmp_path)
        assert main(["verify", str(tampered(path, edited(event=earlier)))]) == 0

    @pytest.mark.parametrize("form", ["swiss", "accelerated swiss"])
    def test_repeats_pairings_after_departures_and_annulled_games(self, form, tmp_path: Path, capsys):
        event = hold(6, form, swiss_rounds=3)
        leave_event(entry=entry_at(event, 2), actor=None, now=START)
        play_round(event)
        later = START + timedelta(hours=1)
        disqualify(entry=entry_at(event, 1), reason="copied", annulled=True, actor=organiser(), now=later)
        rounds.pair_next(event=event, now=later + timedelta(hours=1))
        to_the_end(event)
        assert main(["verify", str(saved(event, tmp_path))]) == 0
        assert "rounds paired again" in capsys.readouterr().out
