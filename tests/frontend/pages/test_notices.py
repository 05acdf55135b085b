"""The pages for notices: mail settings, and webhooks with their logs, each visible only to its owner."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import START, make_user
from tests.frontend.visits import body, said, signed_in
from tournaments.models import Delivery, Profile, Webhook
from tournaments.services.notices import outbox
from tournaments.services.notices.webhooks import create_webhook

pytestmark = pytest.mark.django_db


@pytest.fixture
def mia() -> Client:
    return signed_in("mia")


@pytest.fixture
def webhook(mia: Client) -> Webhook:
    """Mia's webhook, with a delivery that failed."""
    made = create_webhook(owner=make_user("mia"), url="https://example.org/hook", kinds=[], now=START)
    outbox.emit("event.started", to=[made.owner_id], payload={}, now=START)
    Delivery.objects.update(status="failed", attempts=9, answer="500\n<script>alert(1)</script>", ended_at=START)
    return made


class TestTheNoticesPage:
    def test_stores_the_choice_of_mails_of_users_with_an_address(self, mia: Client) -> None:
        assert "has no e-mail address" in body(mia, reverse("notices"))
        user = make_user("mia")
        user.email = "mia@example.org"
        user.save()
        shown = said(mia, mia.post(reverse("notices"), {"mail_on": ["event.started", "version.rested"]}))
        assert Profile.objects.get().mail_on == ["event.started", "version.rested"]
        assert shown.count(" checked") == 2
        said(mia, mia.post(reverse("notices"), {}))
        assert Profile.objects.get().mail_on == []
        assert mia.post(reverse("notices"), {"mail_on": ["x"]}).status_code == 400

    def test_creates_a_webhook_and_shows_its_secret_once(self, mia: Client) -> None:
        made = mia.post(reverse("webhook-make"), {"url": "https://example.org/hook", "kinds": ["event.started"]})
        row = Webhook.objects.get()
        assert (made.status_code, row.kinds) == (201, ["event.started"])
        assert row.secret in made.content.decode()
        assert "no-store" in made["Cache-Control"]
        for address in (reverse("notices"), reverse("webhook", args=[row.pk])):
            assert row.secret not in body(mia, address)

    def test_shows_why_a_webhook_was_not_created(self, mia: Client) -> None:
        answer = mia.post(reverse("webhook-make"), {"url": "https://127.0.0.1/"})
        assert answer.status_code == 409
        assert "is not on the public internet" in answer.content.decode()
        assert mia.post(reverse("webhook-make"), {}).status_code == 400


class TestAWebhooksPage:
    def test_shows_deliveries_and_responses_escaped(self, mia: Client, webhook: Webhook) -> None:
        shown = body(mia, reverse("webhook", args=[webhook.pk]))
        assert "&lt;script&gt;alert(1)" in shown
        assert "failed" in shown
        mia.post(reverse("delivery-resend", args=[Delivery.objects.get().pk]))
        assert Delivery.objects.get().status == "pending"

    def test_pauses_resumes_tests_and_deletes_it(self, mia: Client, webhook: Webhook) -> None:
        for verb, active in (("pause", False), ("test", False), ("resume", True), ("test", True)):
            mia.post(reverse("webhook-change", args=[webhook.pk, verb]))
            assert Webhook.objects.get().active is active
        assert Delivery.objects.filter(kind="test").count() == 1
        renewed = mia.post(reverse("webhook-secret", args=[webhook.pk])).content.decode()
        assert Webhook.objects.get().secret in renewed
        assert Webhook.objects.get().secret != webhook.secret
        mia.post(reverse("webhook-delete", args=[webhook.pk]))
        assert not Webhook.objects.exists()

    def test_is_visible_only_to_its_owner_and_changes_nothing_on_get(
            self, client: Client, mia: Client, webhook: Webhook) -> None:
        other, page = signed_in("ben"), reverse("webhook", args=[webhook.pk])
        assert client.get(page).status_code == 302
        body(other, page, expect=404)
        for name, args in (("webhook-change", [webhook.pk, "pause"]), ("webhook-delete", [webhook.pk]),
                           ("webhook-secret", [webhook.pk]), ("delivery-resend", [Delivery.objects.get().pk])):
            assert other.post(reverse(name, args=args)).status_code == 404
            assert mia.get(reverse(name, args=args)).status_code == 405
        assert Webhook.objects.get().active
