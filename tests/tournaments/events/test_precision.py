"""Precision events, from the form to the bundle."""

import json
from dataclasses import replace

import pytest
from django.db import IntegrityError, transaction
from django.template.loader import render_to_string
from django.urls import reverse

from frontend.text.wording import THIN
from tests.factories import START, make_user
from tests.tournaments.events.test_bundles import contents, edited, saved, tampered
from tests.tournaments.events.test_rounds import hold_event, play_round, to_the_end
from tournaments.kit.main import main
from tournaments.models import Event, Match
from tournaments.models.lifecycle import EventStatus
from tournaments.selectors.events import events as reads
from tournaments.selectors.events.precision import precision
from tournaments.services.events import rounds
from tournaments.services.events.editing import edit_event
from tournaments.services.events.entries import leave_event
from tournaments.services.events.scheduling import EventRefused
from tournaments.services.events.series import create_series

pytestmark = pytest.mark.django_db

GOAL = {"target": "ratings", "target_value": 150, "max_matches": 60}


def held(bots: int = 4, **facts) -> Event:
    return hold_event(bots, "precision", **{**GOAL, "openings": True, **facts})


@pytest.fixture(scope="module")
def finished(module_db) -> Event:
    return to_the_end(held())


class TestAPrecisionEvent:
    def test_plays_until_it_stops_and_shows_why(self, finished, client):
        state = precision(finished)
        assert finished.status == EventStatus.FINISHED
        assert state.stopped in {"target", "matches"}
        assert len(state.intervals) == 4
        assert finished.matches.count() <= 60
        table = reads.standings(finished)
        assert [line.entry.pk for line in table] == [line.entry.pk for line in state.intervals]
        places = [line.row.place for line in table]
        assert places == sorted(places)
        page = client.get(reverse("event", args=[finished.slug])).content.decode()
        assert "Every rating known to ±150 Elo (95 %)" in page
        assert "The event stopped " in page
        api = client.get(f"/api/events/{finished.slug}/precision/").json()
        assert (api["stopped"], len(api["intervals"])) == (state.stopped, 4)
        for number, words in ((1200, "1,200 <small>against a round-robin"), (0, "0 <small>against a round-robin"),
                              (-1, "none <small> the event took 1 game more than"),
                              (-1200, "the event took 1,200 games more than a round-robin of equal precision")):
            card = render_to_string("frontend/events/_precision.html", {"precision": replace(state, saved=number)})
            assert words in " ".join(card.replace(THIN, ",").split())

    def test_is_known_by_all_of_its_entrants_from_the_first_batch(self):
        assert precision(held(name="waiting", started=False, starts_at=None)) is None
        event = held()
        there = Match.objects.filter(event=event).values_list("first", "second")
        assert {version for pair in there for version in pair} == {
            entry.version_id for entry in event.entries.all()}
        assert reads.progress(event, START).games_total == 2 * 60

    def test_recurs_in_a_series(self, finished):
        series = create_series(name="Weekly", ladder=finished.ladder, cron="0 18 * * FRI", now=START,
                               format="precision", created_by=finished.created_by, **GOAL)
        assert series.events.get().target_value == 150


class TestItsBundle:
    @pytest.mark.slow
    def test_repeats_every_pairing_and_the_reason_to_stop_and_is_refused_if_it_was_changed(self, tmp_path, capsys):
        event = held(max_hours=5)
        leave_event(entry=event.entries.get(place=3), actor=None, now=START)
        play_round(event)
        rounds.pair_next(event=event, now=START)
        path = saved(to_the_end(event), tmp_path)
        assert main(["verify", str(path)]) == 0
        assert json.loads(contents(path)["event.json"])["target"] == {
            "kind": "ratings", "value": 150, "max_matches": 60, "max_hours": 5, "seed": 7}
        for change, said in (
                (lambda about: about["pairings"][1]["pairs"].reverse(), "pairings: those of round 2 do not follow"),
                (lambda about: about.update(stopped="hours"), "stopped: it is hours, but the games give"),
                (lambda about: about.pop("model"), "its ratings are of the model davidson/1"),
                (lambda about: about["target"].update(max_matches=1000), "event.json, ")):
            assert main(["verify", str(tampered(path, edited(event=change)))]) == 1
            assert said in capsys.readouterr().out


class TestABadTarget:
    def test_is_refused_with_a_sentence_and_stores_nothing(self):
        before = Event.objects.count()
        for facts, said in (
                ({"target_value": 1, "max_matches": 10}, "value: ±1 Elo for 4 entrants needs at least .* matches"),
                ({"target": "first", "target_value": 4}, "because there are only 4 entrants: choose at most 3"),
                ({"target": ""}, "A precision event needs a target, not '': choose from ratings, first"),
                ({"target": "best"}, "A precision event needs a target, not 'best'"),
                ({"target_value": None}, "needs a target_value from 1 to 1,000, not none"),
                ({"max_matches": None}, "needs a max_matches from 1 to 500,000, not none"),
                ({"max_hours": 0}, "needs a max_hours from 1 to 10,000, not 0"),
                ({"cycles": 2}, "set the matches per pairing to 1, not 2"),
                ({"format": "swiss"}, "has no target: leave target, target_value, max_matches")):
            with pytest.raises(EventRefused, match=said):
                held(**facts)
        assert Event.objects.count() == before

    def test_is_refused_in_an_edit(self):
        event = held(started=False)
        with pytest.raises(EventRefused, match="±1 Elo for 4 entrants"):
            edit_event(event=event, actor=event.created_by, now=START, target_value=1)
        edit_event(event=event, actor=event.created_by, now=START, target_value=200)
        event.refresh_from_db()
        assert event.target_value == 200

    @pytest.mark.database
    def test_is_refused_by_the_database(self):
        event = held(started=False)
        for facts in ({"target": ""}, {"target_value": 0}, {"max_hours": 0}, {"max_matches": None}):
            with pytest.raises(IntegrityError), transaction.atomic():
                Event.objects.filter(pk=event.pk).update(**facts)

    def test_keeps_the_form_and_names_the_reason(self, client):
        event = held(started=False)
        client.force_login(make_user("organiser", staff=True))
        answer = client.post(reverse("event-new"), {
            "name": "Fine", "ladder": event.ladder.slug, "format": "precision", "cycles": 1, "seeding": "rating",
            "target": "ratings", "target_value": 1, "max_matches": 10, "registration": "on",
            "starts_at": "2036-01-01T10:00"})
        assert "±1 Elo for 2 entrants needs at least" in answer.content.decode()
        assert not Event.objects.filter(name="Fine").exists()
