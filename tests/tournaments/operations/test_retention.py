"""Deletion of old notices and void attempts. tests/tournaments/casual/test_retention.py has casual games."""

from datetime import timedelta

import pytest

from tests.factories import START, make_event, make_user, make_version, play_match, spoil_match
from tournaments.models import Attempt, AuditEntry, Delivery, Game, Match, StarvedVoid, Webhook
from tournaments.services.notices import outbox
from tournaments.services.shared import audit
from tournaments.services.shared.retention import delete_expired

DAY, HOUR = timedelta(days=1), timedelta(hours=1)

pytestmark = pytest.mark.django_db


@pytest.fixture
def match() -> Match:
    """A match that was finished in its second attempt, after a void one on a starved host."""
    event = make_event([make_version("Otter"), make_version("Beaver")], ruleset="squ")
    match = spoil_match(Match.objects.get(event=event), "the host was starved")
    StarvedVoid.objects.create(attempt=match.attempts.get(), version=match.first, at=START)
    return play_match(match)


def notice(active: bool, now=START) -> Delivery:
    """A notice to a webhook that is active or paused."""
    user = make_user("mia")
    Webhook.objects.all().delete()
    Webhook.objects.create(owner=user, url="http://127.0.0.1/", secret="s", active=True, created_at=START)
    outbox.emit("event.started", to=[user.pk], payload={}, now=now)
    Webhook.objects.update(active=active)
    return Delivery.objects.latest("pk")


class TestANotice:
    def test_is_deleted_after_its_days_also_of_a_paused_webhook(self):
        for active in (True, False):
            notice(active=active)
            assert delete_expired(START + 30 * DAY) == 0
            assert delete_expired(START + 30 * DAY + HOUR) == 1
            assert not Delivery.objects.exists()

    def test_stays_while_it_is_recent_or_the_setting_is_off(self, settings):
        recent = notice(active=True, now=START + 20 * DAY)
        delete_expired(START + 31 * DAY)
        assert Delivery.objects.get() == recent
        for days in (0, -1):
            settings.DELIVERY_DAYS = days
            assert delete_expired(START + 10_000 * DAY) == 0


class TestAVoidAttempt:
    def test_is_deleted_with_its_note_of_a_starved_host_unlike_those_that_count_and_the_audit_log(self, match):
        audit.record(actor=None, verb="rest", target=match, now=START)
        delete_expired(START + 90 * DAY)
        assert match.attempts.count() == 2
        assert delete_expired(START + 91 * DAY) == 2
        assert not StarvedVoid.objects.exists()
        delete_expired(START + 10_000 * DAY)
        assert match.attempts.get().status == "counted"
        assert Game.objects.filter(match=match).count() == 2
        assert AuditEntry.objects.filter(verb="rest").exists()

    def test_leaves_a_match_that_can_be_claimed_again(self):
        event = make_event([make_version("Otter"), make_version("Beaver")], ruleset="squ")
        match = spoil_match(Match.objects.get(event=event), "the sandbox failed")
        delete_expired(START + 91 * DAY)
        assert not Attempt.objects.exists()
        play_match(match)
        assert match.attempts.get().number == 2
