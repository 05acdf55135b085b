"""Standstills: work is queued and no worker may take it. It is an alarm once, everywhere, and it ends."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from tests.factories import make_event, make_user, make_version
from tournaments.models import Delivery, Event, Match, Standstill, Submission, Version, Webhook
from tournaments.models.lifecycle import Gap
from tournaments.operations.counts import snapshot
from tournaments.operations.metrics import families
from tournaments.services.ladders.ladder_play import join
from tournaments.services.matches import standstill, workers
from tournaments.services.matches.workers import Declaration

pytestmark = pytest.mark.django_db
HEX = "square-grid-hex"
ALARM = timedelta(seconds=41)
WHY = "No worker of the tier “standard” that plays Square Grid Hex is online; others play only bots"


@pytest.fixture
def staff_with_mail(staff):
    staff.email = "staff@example.org"
    staff.save()
    return staff


@pytest.fixture
def event(staff):
    """An event of two ordinary authors' bots."""
    versions = [make_version(name) for name in ("Alder", "Basalt")]
    Version.objects.update(trusted=False)
    return make_event(versions, ruleset=HEX)


def start(now, *, name: str = "h:1", tier: str = "standard", ruleset: str = HEX):
    return workers.declare(Declaration(name, "h", tier, [ruleset], 2, 2, "1"), now=now)


def run(now, until) -> list[str]:
    """Take the step every ten seconds, as several coordinators do; return the kinds of notices that exist then."""
    while now <= until:
        standstill.watch(now)
        standstill.watch(now)
        now += timedelta(seconds=10)
    return list(Delivery.objects.order_by("pk").values_list("kind", flat=True))


class TestAnAlarm:
    @pytest.mark.database
    def test_is_raised_once_within_a_minute_and_ends_once(self, event, staff_with_mail, now, caplog):
        assert run(now, now + timedelta(seconds=30)) == []
        assert snapshot(now).standstills == {}
        assert run(now + timedelta(seconds=40), now + timedelta(minutes=5)) == ["standstill.began"]
        assert snapshot(now).standstills == {(HEX, "offline"): now}
        later = now + timedelta(minutes=5)
        start(later)
        assert run(later, later + timedelta(seconds=20)) == ["standstill.began", "standstill.ended"]
        assert snapshot(now).standstills == {}
        assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING"]
        assert f"queue {HEX}: no worker has been able to take its work since 2026-" in caplog.text
        assert caplog.text.count("No worker is online.") == 1

    def test_says_why(self, event, staff, now):
        for tier, ruleset, draining, reason in (
                ("standard", "squ", False, Gap.RULESET), ("reduced", HEX, False, Gap.TIER),
                ("standard", HEX, True, Gap.DRAINING)):
            Standstill.objects.all().delete()
            later = now + ALARM
            for moment in (now, later):
                worker = start(moment, tier=tier, ruleset=ruleset)
                if draining:
                    workers.drain(worker=worker, actor=staff, now=moment)
                standstill.watch(moment)
            assert list(Standstill.objects.values_list("queue", "reason", "alarmed_at")) == [(HEX, reason, later)]

    def test_keeps_its_beginning_when_the_reason_changes(self, event, now):
        standstill.watch(now)
        start(now + timedelta(seconds=20), tier="reduced")
        run(now + timedelta(seconds=20), now + timedelta(seconds=40))
        assert list(Standstill.objects.values_list("reason", "began_at")) == [(Gap.TIER, now)]

    def test_is_not_raised_for_a_restart(self, event, staff_with_mail, now):
        start(now)
        workers.stop("h:1", now=now)
        assert run(now, now + timedelta(seconds=30)) == []
        start(now + timedelta(seconds=31), name="h:2")
        assert run(now + timedelta(seconds=31), now + timedelta(seconds=60)) == []
        assert not Standstill.objects.filter(ended_at=None).exists()

    def test_counts_from_the_last_heartbeat_of_a_worker_that_vanished(self, event, now):
        start(now)
        run(now, now + timedelta(seconds=50))
        assert Standstill.objects.get().began_at == now
        assert Standstill.objects.get().alarmed_at <= now + timedelta(seconds=60)

    def test_is_not_raised_without_work_or_for_a_paused_event(self, event, now):
        Match.objects.update(held=True)
        run(now, now + timedelta(minutes=2))
        assert not Standstill.objects.exists()

    def test_ends_when_the_work_is_gone(self, event, now):
        run(now, now + timedelta(minutes=1))
        Match.objects.update(status="cancelled", ended_at=now)
        run(now + timedelta(minutes=1), now + timedelta(minutes=1))
        assert Standstill.objects.get().ended_at == now + timedelta(minutes=1)

    def test_covers_submissions_and_bots_that_a_ladder_does_not_pair(self, hex_ladder, now):
        start(now + ALARM, tier="reduced")
        versions = [make_version(name, owner=name.lower()) for name in ("Alder", "Basalt")]
        Version.objects.update(trusted=False)
        for version in versions:
            join(actor=version.bot.owner, ladder=hex_ladder, version=version, now=now)
        Submission.objects.create(uploader=make_user("mia"), received_at=now, filename="a.zip", size=1, sha256="0",
                                  archive="x", due_at=now)
        standstill.watch(now + ALARM)
        assert dict(Standstill.objects.values_list("queue", "reason")) == {HEX: Gap.TIER, "submissions": Gap.TIER}

    def test_takes_two_queries_while_workers_take_everything(self, event, now, django_assert_num_queries):
        workers.declare(Declaration("h:1", "h", "standard", list(standstill.RULESETS), 2, 2, "1"), now=now)
        with django_assert_num_queries(2):
            standstill.watch(now)


class TestTheNotice:
    def test_goes_to_staff_by_mail_and_webhook_and_not_to_others(self, event, staff_with_mail, now):
        mia = make_user("mia")
        for owner, kinds in ((staff_with_mail, []), (staff_with_mail, ["event.started"]), (mia, [])):
            Webhook.objects.create(owner=owner, url="https://example.org", secret="x", kinds=kinds, created_at=now)
        run(now, now + timedelta(minutes=1))
        assert list(Delivery.objects.order_by("channel").values_list("user", "channel", "kind")) == [
            (staff_with_mail.pk, "mail", "standstill.began"), (staff_with_mail.pk, "webhook", "standstill.began")]
        [sent] = Delivery.objects.filter(channel="mail").values_list("payload", flat=True)
        assert sent == {"standstills": [{"queue": HEX, "reason": "offline", "text": "No worker is online.",
                                         "since": now.isoformat()}]}

    def test_is_not_repeated_for_workers_that_come_and_go(self, event, staff_with_mail, now):
        notices = run(now, now + timedelta(minutes=2))
        for minutes in (2, 5, 8):
            at = now + timedelta(minutes=minutes)
            start(at)
            standstill.watch(at)
            workers.stop("h:1", now=at + timedelta(seconds=5))
            notices = run(at + timedelta(seconds=5), at + timedelta(minutes=2))
        assert notices == ["standstill.began", "standstill.ended"]


def told(event: Event, staff) -> dict[str, bool]:
    """Return by its name whether each place says that no worker plays the event."""
    page, desk = Client(), Client()
    desk.force_login(staff)
    address = reverse("event", args=[event.slug])
    api = APIClient().get(f"/api/events/{event.slug}/").json()["waiting"]
    now = timezone.now()
    state = {family.name: family.samples for family in families(snapshot(now), now)}
    return {
        "page": WHY in page.get(address).content.decode(),
        "german page": "kein Worker der Stufe" in page.get(address, headers={"accept-language": "de"}).content.decode(),
        "api": any(wait["reason"] == "worker" and wait["text"].startswith(WHY) for wait in api),
        "metric": any(sample.labels == {"queue": HEX, "reason": "tier"}
                      for sample in state["squarefield_standstill_seconds"]),
        "dashboard": WHY in desk.get(reverse("admin:live")).content.decode(),
    }


class TestThePlaces:
    @pytest.mark.slow
    def test_all_say_it_until_a_worker_may_play_the_event(self, event, staff, redis_url):
        now = timezone.now()
        standstill.watch(now - ALARM)
        start(now, tier="reduced")
        standstill.watch(now)
        assert [place for place, says in told(event, staff).items() if not says] == []
        start(now, name="h:2")
        standstill.watch(now)
        assert [place for place, says in told(event, staff).items() if says] == []
