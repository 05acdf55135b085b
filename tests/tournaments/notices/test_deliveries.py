"""Sending notices: signatures, retries, giving up, and receivers that never answer."""

import hmac
import json
import socket
import threading
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core import mail

from tests.factories import START, make_user
from tests.tournaments.operations.test_coordinator import at_once
from tests.waiting import wait_for
from tournaments.models import AuditEntry, Delivery, Profile, Webhook
from tournaments.services.notices import deliveries, outbox, sender, webhooks

pytestmark = pytest.mark.django_db
KIND = "event.started"
HOUR = timedelta(hours=1)


def tell(user: Any, **payload: Any) -> Delivery:
    outbox.emit(KIND, to=[user.pk], payload=payload, now=START)
    return Delivery.objects.first()


def deliver(now: datetime) -> int:
    """Run the sender once at the given time and return the number of notices tried."""
    return sender.round_of(threading.Event(), lambda: now)


class TestANotice:
    def test_arrives_once_with_its_facts(self, webhook, receiver, mia):
        notice = tell(mia, event="spring")
        assert deliver(START) == 1
        assert deliver(START + HOUR) == 0
        (path, headers, body), = receiver.posts
        assert path == "/hook?from=squarefield"
        assert json.loads(body) == {"id": notice.pk, "kind": KIND, "created_at": "2026-11-12T14:00:00Z",
                                    "data": {"event": "spring"}}
        assert headers["Squarefield-Event"] == KIND
        assert headers["Squarefield-Delivery"] == str(notice.pk)
        assert headers["Content-Type"] == "application/json"
        assert headers["User-Agent"].startswith("Squarefield")
        notice.refresh_from_db()
        assert (notice.status, notice.attempts, notice.answer, notice.ended_at) == ("delivered", 1, "204", START)

    def test_is_signed_as_documented_and_for_a_day_also_with_the_old_secret(self, webhook, receiver, mia):
        page = (Path(__file__).parents[3] / "docs/reference/webhooks.md").read_text("utf-8")
        documented: dict[str, Any] = {}
        exec(page.partition("```python\n")[2].partition("```")[0], documented)  # noqa: S102 - our own documentation
        old = webhook.secret
        new = webhooks.renew_secret(webhook=webhook, actor=mia, now=START).secret
        for moment in (START + HOUR, START + 25 * HOUR):
            tell(mia)
            deliver(moment)
        accepted = []
        for moment, (_, headers, body) in zip((START + HOUR, START + 25 * HOUR), receiver.posts, strict=True):
            header = headers["Squarefield-Signature"]
            time, *signatures = (part.partition("=")[2] for part in header.split(","))
            assert int(time) == moment.timestamp()
            # The documented check compares the time with the clock, which here is that of the delivery.
            documented["time"] = SimpleNamespace(time=moment.timestamp)
            for secret in (new, old):
                signed = hmac.new(secret.encode(), time.encode() + b"." + body, sha256).hexdigest() in signatures
                assert documented["is_ours"](secret, header, body) is signed
                accepted.append(signed)
            assert not documented["is_ours"](new, header, body + b" ")
            assert not documented["is_ours"]("whsec_other", header, body)
            assert not documented["is_ours"](new, header.replace("t=1", "t=2"), body)
        assert accepted == [True, True, True, False]

    def test_goes_to_every_active_webhook_that_subscribes_to_its_kind(self, webhook, receiver, mia):
        others = [webhooks.create_webhook(owner=mia, url=receiver.url, kinds=kinds, now=START)
                  for kinds in ([KIND], ["version.rested"], [])]
        webhooks.pause_webhook(webhook=others[2], actor=mia, now=START)
        tell(mia)
        assert set(Delivery.objects.values_list("webhook", flat=True)) == {webhook.pk, others[0].pk}
        # It waits while a webhook is paused.
        webhooks.pause_webhook(webhook=webhook, actor=mia, now=START)
        assert deliver(START) == 1
        webhooks.resume_webhook(webhook=webhook, actor=mia, now=START)
        assert deliver(START) == 1

    def test_is_retried_with_growing_delays_and_finally_given_up(self, webhook, receiver, mia):
        receiver.status, receiver.body = 503, b"come back\x1b[2J later"
        notice, now, waits = tell(mia), START, []
        while notice.status == "pending":
            assert deliver(now) == 1
            assert deliver(now) == 0
            notice.refresh_from_db()
            if notice.status == "pending":
                waits.append(notice.due_at - now)
                now = notice.due_at
        assert tuple(waits) == deliveries.BACKOFF
        assert (notice.status, notice.attempts) == ("failed", 9)
        assert notice.answer == "503\ncome back\\x1b[2J later"
        assert len({body for _, _, body in receiver.posts}) == 1

    def test_is_claimed_by_only_one_sender(self, webhook, receiver, mia):
        notice = tell(mia)
        seen = [Delivery.objects.get(), Delivery.objects.get()]
        assert [deliveries.claim(delivery, START) for delivery in seen] == [True, False]
        assert deliver(START) == 0
        # After its sender dies the claim expires, and the notice is resent.
        assert deliver(START + deliveries.CLAIM) == 1
        notice.refresh_from_db()
        assert (notice.status, notice.attempts) == ("delivered", 2)

    def test_is_not_marked_failed_by_a_slow_sender_after_anothers_success(self, webhook, receiver, mia):
        tell(mia)
        slow, quick = Delivery.objects.get(), Delivery.objects.get()
        deliveries.claim(slow, START)
        quick = deliveries.due(START + deliveries.CLAIM).get()
        deliveries.claim(quick, START + deliveries.CLAIM)
        assert deliveries.send(quick, START + deliveries.CLAIM)
        deliveries.fail(slow, "No answer.", START + deliveries.CLAIM)
        assert Delivery.objects.get().status == "delivered"

    def test_is_given_up_when_the_account_is_closed(self, webhook, receiver, mia):
        notice = tell(mia)
        type(mia).objects.update(is_active=False)
        deliver(START)
        notice.refresh_from_db()
        assert (notice.status, receiver.posts) == ("failed", [])

    def test_does_not_delay_others_when_its_receiver_fails(self, webhook, receiver, mia, refused_port):
        dead = webhooks.create_webhook(owner=make_user("ben"), url=f"http://127.0.0.1:{refused_port}/", kinds=[],
                                       now=START)
        for _ in range(3):
            tell(dead.owner)
        notice = tell(mia)
        assert deliver(START) == 2
        notice.refresh_from_db()
        assert notice.status == "delivered"
        assert not deliveries.due(START + timedelta(seconds=9)).exists()
        lost = Delivery.objects.get(webhook=dead, attempts=1)
        assert lost.answer.startswith("No connection: ")

    def test_remains_stored_when_the_service_cannot_send_it(self, webhook, receiver, mia, caplog):
        notice = tell(mia)
        Webhook.objects.update(secret="\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"))
        Delivery.objects.update(kind="not a header\r\nX: y")
        deliver(START)
        notice.refresh_from_db()
        assert (notice.status, receiver.posts) == ("pending", [])
        assert "\r" not in notice.answer


class TestAFailingWebhook:
    def answer(self, receiver, user, moment: datetime, status: int) -> Webhook:
        """Send the user one new notice, to which the receiver answers this status, and return the webhook."""
        receiver.status = status
        Delivery.objects.filter(channel="webhook").delete()
        outbox.emit(KIND, to=[user.pk], payload={}, now=moment)
        assert deliver(moment) == 1
        return Webhook.objects.get()

    def test_is_switched_off_after_three_days_and_its_owner_notified(self, webhook, receiver, mia):
        type(mia).objects.update(email="mia@example.org")
        receiver.status = 500
        notice, now = tell(mia), START
        while Webhook.objects.get().active:
            deliver(now)
            if not Delivery.objects.filter(channel="webhook", status="pending").exists():
                outbox.emit(KIND, to=[mia.pk], payload={}, now=now)
            now += 6 * HOUR
        assert now - START >= timedelta(days=3)
        assert not Delivery.objects.filter(channel="webhook", status="pending").exists()
        assert AuditEntry.objects.filter(actor=None, verb="switch off", target=str(webhook.pk)).count() == 1
        deliver(now)
        letter, = mail.outbox
        assert (letter.to, letter.subject) == (["mia@example.org"], "[Squarefield] Your webhook was switched off")
        assert f"/account/webhooks/{webhook.pk}/" in letter.body
        notice.refresh_from_db()
        assert notice.status == "failed"

    def test_stays_on_if_a_notice_arrived_in_between(self, webhook, receiver, mia):
        for days, status in ((0, 500), (2, 204), (4, 500), (6, 500)):
            hook = self.answer(receiver, mia, START + timedelta(days=days), status)
        assert (hook.active, hook.failing_since) == (True, START + timedelta(days=4))

    def test_stays_on_after_a_single_failure_weeks_after_an_earlier_one(self, webhook, receiver, mia):
        for days in (0, 21):
            hook = self.answer(receiver, mia, START + timedelta(days=days), 500)
        assert (hook.active, hook.failing_since, hook.failures) == (True, START + timedelta(days=21), 1)

    def test_stays_on_until_it_has_failed_ten_times(self, webhook, receiver, mia):
        active = [self.answer(receiver, mia, START + timedelta(days=day), 500).active for day in range(10)]
        assert active == [True] * 9 + [False]

    def test_has_its_record_cleared_by_a_success_and_by_resuming_it(self, webhook, receiver, mia):
        self.answer(receiver, mia, START, 500)
        by_success = self.answer(receiver, mia, START + HOUR, 204)
        self.answer(receiver, mia, START + 2 * HOUR, 500)
        by_resuming = webhooks.resume_webhook(webhook=Webhook.objects.get(), actor=mia, now=START + 3 * HOUR)
        for hook in (by_success, by_resuming):
            assert (hook.failing_since, hook.failed_at, hook.failures) == (None, None, 0)


class TestResending:
    def test_sends_an_ended_notice_again_under_its_old_id(self, webhook, receiver, mia):
        notice = tell(mia)
        with pytest.raises(deliveries.ResendRefused, match=f"Notice {notice.pk} is still pending"):
            deliveries.resend(delivery=notice, actor=mia, now=START)
        deliver(START)
        deliveries.resend(delivery=Delivery.objects.get(), actor=mia, now=START + HOUR)
        assert deliver(START + HOUR) == 1
        assert [json.loads(body)["id"] for _, _, body in receiver.posts] == [notice.pk] * 2


class TestMail:
    @pytest.fixture(autouse=True)
    def _wishes(self, mia):
        type(mia).objects.filter(pk=mia.pk).update(email="mia@example.org")
        Profile.objects.update_or_create(user=mia, defaults={"mail_on": [KIND]})

    def test_is_sent_to_subscribers_and_says_how_to_unsubscribe(self, mia, settings):
        settings.BASE_URL = "https://squarefield.example"
        tell(mia, name="Spring\r\nBcc: everybody@example.org")
        deliver(START)
        letter, = mail.outbox
        assert letter.to == ["mia@example.org"]
        assert "\r" not in letter.message().as_string().replace("\r\n", "\n")
        assert "\nBcc:" not in letter.message().as_string()
        assert "https://squarefield.example/account/notices/" in letter.body
        assert "&" not in letter.body

    def test_is_given_up_at_once_if_the_account_has_no_address(self, mia):
        type(mia).objects.update(email="")
        notice = tell(mia)
        deliver(START)
        notice.refresh_from_db()
        assert (notice.status, notice.answer) == ("failed", "The account has no e-mail address.")
        assert mail.outbox == []

    def test_is_retried_when_the_mail_server_is_unavailable_and_not_sent_for_other_kinds(self, mia, settings,
                                                                                         refused_port):
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", refused_port
        outbox.emit("event.finished", to=[mia.pk], payload={}, now=START)
        assert not Delivery.objects.exists()
        notice = tell(mia)
        deliver(START)
        notice.refresh_from_db()
        assert (notice.status, notice.attempts, notice.due_at) == ("pending", 1, START + timedelta(seconds=10))


@pytest.fixture
def refused_port():
    """A port that is bound, so that nobody else can listen on it, but does not listen."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
class TestTheSender:
    def test_sends_each_notice_once_with_several_senders(self, webhook, receiver, mia):
        for _ in range(6):
            tell(mia)
        tried = at_once(3, lambda: sender.round_of(threading.Event(), lambda: START))
        assert sum(tried) == len(receiver.posts) == 6
        assert set(Delivery.objects.values_list("status", flat=True)) == {"delivered"}

    def test_runs_until_it_is_stopped(self, webhook, receiver, mia):
        notice = tell(mia)
        stop = threading.Event()
        sending = sender.NoticeSender(stop)
        sending.start()
        assert sending.look(START) == 1
        wait_for(lambda: Delivery.objects.filter(pk=notice.pk, status="delivered").exists(), "the delivery")
        stop.set()
        sending.join()
