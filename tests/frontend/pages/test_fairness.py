"""The fairness pages: seats, opponents, openings and waiting times of each bot, counted from its games."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from tests.factories import START, make_event, make_user, make_version, play_event, play_match, spoil_match
from tournaments.models import Match
from tournaments.selectors.matches import fairness
from tournaments.services.events.events import create_event
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.ladders import create_ladder

pytestmark = pytest.mark.django_db


@pytest.fixture
def ladder():
    """Return a ladder of three bots: the first two have met twice, the last has not played."""
    ladder = create_ladder(ruleset="square-grid-hex", size=3, base_seconds=5.0, increment_seconds=0.1)
    versions = [make_version(name) for name in ("Alder", "Basalt", "Cinder")]
    for version in versions:
        join(actor=version.bot.owner, ladder=ladder, version=version, now=START)
    for number, opening in enumerate((["a1"], ["b2"])):
        match = Match.objects.create(kind="ladder", ladder=ladder, created_at=START, first=versions[number],
                                     second=versions[1 - number], seed=number, ruleset=ladder.ruleset, opening=opening)
        play_match(match, now=START + timedelta(seconds=10 * (number + 1)))
    return ladder


class TestFairnessOfALadder:
    def test_counts_seats_opponents_openings_and_waiting(self, ladder):
        alder, basalt, cinder = fairness.of_ladder(ladder, None, 10, timezone.now())
        for share in (alder, basalt):
            assert (share.firsts, share.seconds, share.opponents, share.openings) == (2, 2, 1, 2)
            assert (share.usual_wait, share.longest_wait) == (timedelta(seconds=10), timedelta(seconds=20))
        assert (cinder.firsts, cinder.opponents, cinder.usual_wait) == (0, 0, None)

    def test_counts_only_each_bots_newest_games(self, ladder, monkeypatch):
        monkeypatch.setattr(fairness, "NEWEST", 2)
        share = fairness.of_ladder(ladder, None, 1, timezone.now())[0]
        assert (share.firsts, share.seconds, share.openings) == (1, 1, 1)

    def test_leaves_out_games_of_events_on_the_ladder(self, ladder):
        entered = [entry.version for entry in ladder.entries.select_related("version")]
        event = create_event(name="Cup", ladder=ladder, versions=entered, starts_at=None, now=START, seed=1,
                             created_by=make_user("organiser", staff=True))
        play_event(event)
        assert fairness.of_ladder(ladder, None, 1, timezone.now())[0].opponents <= 1

    def test_counts_void_attempts_of_the_last_days(self, ladder):
        versions = [entry.version for entry in ladder.entries.order_by("bot")[:2]]
        match = Match.objects.create(kind="ladder", ladder=ladder, created_at=START, first=versions[0],
                                     second=versions[1], seed=9, ruleset=ladder.ruleset)
        spoil_match(match, "the worker was lost")
        assert [share.voids for share in fairness.of_ladder(ladder, None, 3, START)] == [1, 1, 0]
        assert [share.voids for share in fairness.of_ladder(ladder, None, 3, START + timedelta(days=99))] == [0, 0, 0]

    def test_is_paginated(self, ladder):
        first = fairness.of_ladder(ladder, None, 2, START)
        rest = fairness.of_ladder(ladder, first[-1].entry.bot_id, 2, START)
        assert [share.entry.bot.name for share in (*first, *rest)] == ["Alder", "Basalt", "Cinder"]

    def test_names_the_bot_that_has_waited_longest(self, ladder):
        ladder.entries.filter(bot__name="Cinder").update(waiting_since=START - timedelta(days=1))
        assert fairness.waits_longest(ladder).bot.name == "Cinder"


class TestFairnessOfAnEvent:
    def test_counts_all_its_games_and_void_attempts(self):
        event = make_event([make_version(name) for name in ("Alder", "Basalt", "Cinder")], openings=True)
        spoil_match(Match.objects.filter(event=event).order_by("pk")[0], "the worker was lost")
        play_event(event)
        shares = fairness.of_event(event, None, 10)
        assert {(share.firsts, share.seconds, share.opponents) for share in shares} == {(2, 2, 2)}
        assert sum(share.voids for share in shares) == 2
        assert all(share.usual_wait <= share.longest_wait for share in shares)

    def test_leaves_out_other_events(self):
        versions = [make_version(name) for name in ("Alder", "Basalt", "Cinder")]
        before = play_event(make_event(versions, name="Before"))
        play_event(make_event(versions, name="After", size=7))
        assert {(share.firsts, share.seconds) for share in fairness.of_event(before, None, 10)} == {(2, 2)}

    def test_is_empty_before_the_start(self):
        event = make_event([make_version("Alder"), make_version("Basalt")], started=False)
        assert fairness.of_event(event, None, 10) == []


class TestFairnessPages:
    def test_take_as_many_queries_for_many_bots_as_for_few(self, client):
        counts = []
        for name, bots in (("Few", 3), ("Many", 24)):
            event = play_event(make_event([make_version(f"{name} {n}") for n in range(bots)], name=name,
                                          ruleset="square-grid-hex", size=3), matches_to_play=bots)
            for entry in event.entries.select_related("version__bot__owner"):
                join(actor=entry.version.bot.owner, ladder=event.ladder, version=entry.version, now=START)
            for address in (reverse("event-fairness", args=[event.slug]),
                            reverse("ladder-fairness", args=[event.ladder.slug])):
                with CaptureQueriesContext(connection) as queries:
                    assert client.get(address).status_code == 200
                counts.append(len(queries))
        assert counts[:2] == counts[2:]
        assert max(counts) <= 9

    def test_escape_names(self, client):
        event = play_event(make_event([make_version("<b>Alder</b>"), make_version("Basalt")], name="<u>Cup</u>"))
        body = client.get(reverse("event-fairness", args=[event.slug])).content.decode()
        assert "<b>Alder" not in body
        assert "<u>Cup" not in body
        assert "&lt;b&gt;Alder" in body

    @pytest.mark.parametrize("after", ["", "0", "x", "-1", "9" * 30])
    def test_accept_any_cursor(self, client, ladder, after):
        address = reverse("ladder-fairness", args=[ladder.slug])
        assert client.get(address, {"after": after}).status_code == 200

    def test_of_a_private_event_are_hidden_from_others(self, client):
        mia = make_user("mia")
        event = make_event([make_version("Alder"), make_version("Basalt")])
        type(event).objects.update(private=True, created_by=mia)
        address = reverse("event-fairness", args=[event.slug])
        assert client.get(address).status_code == 404
        client.force_login(mia)
        assert client.get(address).status_code == 200

    def test_are_linked_from_the_ladder_and_the_event(self, client):
        event = make_event([make_version("Alder"), make_version("Basalt")])
        for noun, row in (("event", event), ("ladder", event.ladder)):
            body = client.get(reverse(noun, args=[row.slug])).content.decode()
            assert reverse(f"{noun}-fairness", args=[row.slug]) in body
