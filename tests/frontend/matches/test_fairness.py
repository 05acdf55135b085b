"""The fairness pages: seats, opponents, openings and waiting times of each bot, counted from its games."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.urls import reverse

from tests.factories import START, make_event, make_user, make_version, play_event, play_match, spoil_match
from tests.frontend.visits import HOSTILE, body, signed_in
from tournaments.models import Bot, Event, Ladder, Match
from tournaments.selectors.matches import fairness
from tournaments.services.ladders.ladder_play import join

pytestmark = pytest.mark.django_db


def pair(ladder: Ladder, first, second, **facts) -> Match:
    return Match.objects.create(kind="ladder", ladder=ladder, created_at=START, first=first, second=second,
                                ruleset=ladder.ruleset, **facts)


@pytest.fixture(scope="module")
def world(module_db) -> SimpleNamespace:
    """Three bots that met in an event; the first two have also met twice on its ladder, where the last did not play."""
    versions = [make_version(name) for name in ("Alder", "Basalt", "Cinder")]
    event = make_event(versions, ruleset="square-grid-hex", size=3, openings=True)
    spoil_match(Match.objects.filter(event=event).order_by("pk")[0], "the worker was lost")
    play_event(event)
    ladder = event.ladder
    for version in versions:
        join(actor=version.bot.owner, ladder=ladder, version=version, now=START)
    for number, opening in enumerate((["a1"], ["b2"])):
        play_match(pair(ladder, versions[number], versions[1 - number], seed=number, opening=opening),
                   now=START + timedelta(seconds=10 * (number + 1)))
    return SimpleNamespace(versions=versions, event=event, ladder=ladder, of_event=reverse(
        "event-fairness", args=[event.slug]), of_ladder=reverse("ladder-fairness", args=[ladder.slug]))


class TestFairnessOfALadder:
    def test_counts_seats_opponents_openings_and_waiting_without_its_events(self, world):
        alder, basalt, cinder = fairness.of_ladder(world.ladder, None, 10, START)
        for share in (alder, basalt):
            assert (share.firsts, share.seconds, share.opponents, share.openings) == (2, 2, 1, 2)
            assert (share.usual_wait, share.longest_wait) == (timedelta(seconds=10), timedelta(seconds=20))
        assert (cinder.firsts, cinder.opponents, cinder.usual_wait) == (0, 0, None)

    def test_counts_only_each_bots_newest_games(self, world, monkeypatch):
        monkeypatch.setattr(fairness, "NEWEST", 2)
        share = fairness.of_ladder(world.ladder, None, 1, START)[0]
        assert (share.firsts, share.seconds, share.openings) == (1, 1, 1)

    def test_counts_void_attempts_of_the_last_days(self, world):
        spoil_match(pair(world.ladder, *world.versions[:2], seed=9), "the worker was lost")
        assert [share.voids for share in fairness.of_ladder(world.ladder, None, 3, START)] == [1, 1, 0]
        later = START + fairness.VOID_SINCE + timedelta(days=1)
        assert [share.voids for share in fairness.of_ladder(world.ladder, None, 3, later)] == [0, 0, 0]

    def test_is_paginated(self, world):
        first = fairness.of_ladder(world.ladder, None, 2, START)
        rest = fairness.of_ladder(world.ladder, first[-1].entry.bot_id, 2, START)
        assert [share.entry.bot.name for share in (*first, *rest)] == ["Alder", "Basalt", "Cinder"]

    def test_names_the_bot_that_has_waited_longest(self, world):
        world.ladder.entries.filter(bot__name="Cinder").update(waiting_since=START - timedelta(days=1))
        assert fairness.waits_longest(world.ladder).bot.name == "Cinder"


class TestFairnessOfAnEvent:
    def test_counts_all_its_games_and_void_attempts(self, world):
        shares = fairness.of_event(world.event, None, 10)
        assert {(share.firsts, share.seconds, share.opponents) for share in shares} == {(2, 2, 2)}
        assert sum(share.voids for share in shares) == 2
        assert all(share.usual_wait <= share.longest_wait for share in shares)

    def test_is_empty_before_the_start(self, world):
        assert fairness.of_event(make_event(world.versions, name="Next", size=7, started=False), None, 10) == []


class TestFairnessPages:
    def test_escape_names(self, client, world):
        for bot in Bot.objects.all():
            Bot.objects.filter(pk=bot.pk).update(name=f"{HOSTILE}{bot.pk}")
        Event.objects.update(name=HOSTILE)
        for address in (world.of_event, world.of_ladder):
            page = body(client, address)
            assert "<img src=x" not in page
            assert "&lt;img src=x" in page

    def test_accept_any_cursor(self, client, world):
        for after in ("", "0", "x", "-1", "9" * 30):
            body(client, world.of_ladder, after=after)

    def test_of_a_private_event_are_hidden_from_others(self, client, world):
        Event.objects.update(private=True, created_by=make_user("mia"))
        body(client, world.of_event, expect=404)
        body(signed_in("mia"), world.of_event)

    def test_are_linked_from_the_ladder_and_the_event(self, client, world):
        for noun, row, address in (("event", world.event, world.of_event), ("ladder", world.ladder, world.of_ladder)):
            assert address in body(client, reverse(noun, args=[row.slug]))
