"""Arenas, from the start to the bundle."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from tests.factories import START, make_version, play_match
from tests.tournaments.events.test_bundles import edited, saved, tampered
from tests.tournaments.events.test_rounds import hold_event
from tournaments.coordinator.steps import pair_due
from tournaments.kit.main import main
from tournaments.models import Event, Match
from tournaments.services.accounts.tokens import make_token
from tournaments.services.events.entries import leave_event, return_to_event
from tournaments.services.events.events import finish_event
from tournaments.services.events.rounds import pair_wave
from tournaments.services.events.scheduling import EventRefused

pytestmark = pytest.mark.django_db


@pytest.fixture
def event():
    """An arena of four, played for some waves; an entrant left and returned."""
    event = hold_event(4, "arena", minutes=1, streaks=True, openings=True)
    gone = event.entries.get(place=3)
    for second in range(1, 6):
        play_match(Match.objects.filter(event=event, status="queued").order_by("round__number", "number").first())
        if second == 2:
            leave_event(entry=gone, actor=None, now=START)
        if second == 4:
            return_to_event(entry=gone, actor=event.created_by, now=START + timedelta(seconds=second))
        pair_wave(event=event, now=START + timedelta(seconds=second))
    for match in Match.objects.filter(event=event, status="queued"):
        play_match(match)
    assert not pair_wave(event=event, now=START + timedelta(minutes=1))
    assert finish_event(event=event, now=START + timedelta(minutes=1))
    event.refresh_from_db()
    return event


class TestAnArena:
    def test_pairs_while_matches_run_and_its_bundle_repeats_every_wave(self, event, client, tmp_path, capsys):
        assert event.rounds.count() > 3
        page = client.get(reverse("event", args=[event.slug])).content.decode()
        assert "The arena pairs its entrants for 1 minute." in page
        assert "Open matches" not in page
        api = client.get(f"/api/events/{event.slug}/arena/").json()
        points = [line["points"] for line in api["lines"]]
        assert points == sorted(points, reverse=True)
        path = saved(event, tmp_path)
        assert main(["verify", str(path)]) == 0
        bad = tampered(path, edited(event=lambda about: about["waves"][1]["free"].pop()))
        assert main(["verify", str(bad)]) == 1
        assert "event.json, waves" in capsys.readouterr().out

    def test_pairs_an_author_that_enters_late_over_the_api(self, client):
        now = timezone.now()
        event = hold_event(2, "arena")
        Event.objects.filter(pk=event.pk).update(started_at=now, registration_opens_at=now)
        event.refresh_from_db()
        late = make_version("late", owner="mia")
        author = APIClient()
        author.credentials(HTTP_AUTHORIZATION=f"Token {make_token(user=late.bot.owner, name='tests', now=now)[1]}")
        answer = author.post(f"/api/events/{event.slug}/enter/", {"version": late.pk}, format="json")
        assert (answer.status_code, answer.json()["place"]) == (201, 2)
        assert pair_due(now) == 0
        play_match(event.matches.get())
        assert pair_due(now) == 1
        new = event.matches.select_related("first__bot", "second__bot").get(status="queued")
        assert late.bot in (new.first.bot, new.second.bot)
        page = "".join(client.get(reverse("event", args=[event.slug])).content.decode().split())
        card = page[page.index("Openmatches"):page.index("Standings")]
        rest, = {f"bot0{number}" for number in range(2)} - {new.first.bot.name.replace(" ", ""),
                                                            new.second.bot.name.replace(" ", "")}
        assert ">late<" in card
        assert f"Waitingforanopponent:<bdi>{rest}</bdi>" in card

    def test_refuses_bad_facts_with_a_sentence(self):
        for form, facts, said in (("arena", {"minutes": 0}, "1 to 10,080 minutes, not 0"),
                                  ("swiss", {"minutes": 5}, "has no duration"),
                                  ("arena", {"cycles": 2}, "set the matches per pairing to 1, not 2")):
            with pytest.raises(EventRefused, match=said):
                hold_event(4, form, **facts)
