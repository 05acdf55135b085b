"""Reasons why bots, ladders, trials and events wait."""

from datetime import timedelta

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from tests.factories import make_event, make_user, make_version, play_match
from tests.tournaments.api import contract
from tournaments.models import Bot, LadderEntry, Match, Version
from tournaments.selectors.ladders.waiting import Waits
from tournaments.selectors.shared.quotas import WINDOW
from tournaments.services.accounts.bans import ban
from tournaments.services.events.events import pause_event, resume_event
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.ladders import set_open
from tournaments.services.ladders.matchmaking import pair_ladders
from tournaments.services.ladders.trials import enter
from tournaments.services.matches.workers import Declaration, declare

pytestmark = pytest.mark.django_db


@pytest.fixture
def entries(hex_ladder, now) -> list[LadderEntry]:
    """Two bots of different owners on a ladder, and a worker that plays its ruleset."""
    start_worker(now)
    return [join(actor=version.bot.owner, ladder=hex_ladder, version=version, now=now)
            for version in (make_version("Alder"), make_version("Basalt", owner="otto"))]


def start_worker(now, *, tier: str = "standard", ruleset: str = "square-grid-hex") -> None:
    declare(Declaration(f"host:{tier}:{ruleset}", "host", tier, [ruleset], 2, 2, "1"), now=now)


def reasons(entry: LadderEntry, now) -> list[str]:
    return [wait.reason for wait in waits(entry, now)]


def waits(entry: LadderEntry, now) -> list:
    entry = LadderEntry.objects.select_related("bot", "version", "ladder").get(pk=entry.pk)
    return Waits(now).of_entries([entry])[entry.pk]


class TestABotOnALadder:
    def test_waits_for_its_turn_in_the_queue_or_for_the_end_of_24_hours(self, entries, now, settings):
        settings.GAMES_PER_DAY = 4
        assert reasons(entries[0], now) == ["turn"]
        pair_ladders(now)
        [wait] = waits(entries[0], now)
        assert (wait.reason, wait.text) == (
            "queue", "It is queued: 2 matches of Square Grid Hex wait for a worker.")
        Match.objects.update(status="running", lease_until=now)
        assert reasons(entries[0], now) == []
        Match.objects.update(status="queued", lease_until=None)
        for match in Match.objects.all():
            play_match(match, now=now)
        later = now + timedelta(hours=1)
        start_worker(later)
        [wait] = waits(entries[0], later)
        assert wait.reason == "quota"
        assert f"more games are available at {now + WINDOW:%Y-%m-%d %H:%M} UTC." in wait.text
        assert reasons(entries[0], now + WINDOW - timedelta(seconds=1)) == ["quota"]
        start_worker(now + WINDOW)
        assert "quota" not in reasons(entries[0], now + WINDOW)

    def test_has_no_opponent_when_the_others_have_used_up_their_quotas(self, entries, staff, hex_ladder, now, settings):
        settings.GAMES_PER_DAY = 0
        Bot.objects.filter(pk=entries[0].bot_id).update(owner=staff)
        [wait] = waits(entries[0], now)
        assert (wait.reason, "used up" in wait.text) == ("opponent", True)
        assert waits(entries[1], now)[0].text == "Its owner’s quota allows no games."
        assert [wait.reason for wait in Waits(now).of_ladders([hex_ladder])[hex_ladder.pk]] == ["opponent"]

    def test_shows_each_other_reason(self, entries, hex_ladder, staff, now):
        first, second = entries
        LadderEntry.objects.filter(pk=first.pk).update(probe_at=now + timedelta(hours=1), faults=3)
        assert (reasons(first, now), reasons(second, now)) == (["faults"], ["opponent"])
        Version.objects.filter(pk=first.version_id).update(status="rested")
        assert reasons(first, now) == ["version", "faults"]
        ban(actor=staff, user=first.bot.owner, reason="x", now=now)
        assert reasons(first, now) == ["suspended"]
        set_open(ladder=hex_ladder, is_open=False, actor=staff, now=now)
        assert reasons(second, now) == ["closed"]

    def test_waits_for_a_worker_of_its_ruleset_and_tier(self, entries, now):
        later = now + timedelta(days=2)
        start_worker(later, ruleset="squ")
        assert [wait.text for wait in waits(entries[0], later)] == ["No worker that plays Square Grid Hex is online."]
        start_worker(later, tier="reduced")
        assert reasons(entries[0], later) == ["turn"]
        Version.objects.update(trusted=False)
        [wait] = waits(entries[0], later)
        assert (wait.reason, "tier “standard”" in wait.text) == ("worker", True)


class TestATrialAndAnEvent:
    def test_wait_for_the_owners_quota(self, entries, hex_ladder, now, settings):
        trial = enter(actor=make_user("mia"), ladder=hex_ladder, version=make_version("Alder"), seed=1, now=now)
        for games, reason in ((settings.GAMES_PER_DAY, "turn"), (0, "quota")):
            settings.GAMES_PER_DAY = games
            assert [wait.reason for wait in Waits(now).of_trials([trial])[trial.pk]] == [reason]

    def test_wait_for_the_start_for_a_worker_or_while_paused(self, staff, now):
        versions = [make_version(name) for name in ("Alder", "Basalt")]
        coming, event = make_event(versions, name="Next", started=False), make_event(versions)

        def reason(event) -> list[str]:
            return [wait.reason for wait in Waits(now).of_events([event])[event.pk]]

        assert (reason(coming), reason(event)) == (["start"], ["worker"])
        start_worker(now, ruleset="scware")
        assert reason(event) == ["queue"]
        event = pause_event(event=event, actor=staff, now=now)
        assert reason(event) == ["paused"]
        event = resume_event(event=event, actor=staff, now=now)
        Match.objects.update(status="running", lease_until=now)
        assert reason(event) == []


@pytest.mark.slow
def test_the_api_gives_the_reasons_of_all_rows_in_a_few_queries(entries, hex_ladder, django_assert_num_queries):
    client, slug = APIClient(), entries[0].bot.slug
    make_event([entry.version for entry in entries], started=False)
    enter(actor=make_user("mia"), ladder=hex_ladder, version=make_version("Alder"), seed=1, now=timezone.now())
    for operation, address in (("ladders/", None), ("events/", None), ("candidacies/", None),
                               ("ladders/{slug}/", hex_ladder.slug), ("ladders/{slug}/entries/", hex_ladder.slug),
                               ("bots/{slug}/ladders/", slug)):
        answer = client.get(f"/api/{operation}".replace("{slug}", address or ""))
        contract.check(answer, f"/api/{operation}")
        rows = answer.json() if isinstance(answer.json(), list) else answer.json().get("results", [answer.json()])
        assert rows
        assert all(row["waiting"] for row in rows), operation
    for number in range(5):
        version = make_version(f"bot {number}", owner=f"owner {number}")
        join(actor=version.bot.owner, ladder=hex_ladder, version=version, now=timezone.now())
        if number in (0, 4):
            with django_assert_num_queries(10):
                client.get(f"/api/ladders/{hex_ladder.slug}/entries/")
