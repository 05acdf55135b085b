"""The pages for notices: mail settings, webhooks and their logs, each visible only to its owner."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import START, make_user
from tournaments.models import Delivery, Profile, Webhook
from tournaments.services.notices import outbox
from tournaments.services.notices.webhooks import create_webhook

pytestmark = pytest.mark.django_db
URL = "https://example.org/<hook>".replace("<", "%3C").replace(">", "%3E")


@pytest.fixture
def mia() -> Client:
    make_user("mia")
    return signed_in("mia")


@pytest.fixture
def webhook(mia: Client) -> Webhook:
    return create_webhook(owner=make_user("mia"), url=URL, kinds=[], now=START)


def signed_in(name: str) -> Client:
    client = Client()
    client.force_login(make_user(name))
    return client


def said(client: Client, answer: Any) -> str:
    """Return the page that the response redirects to."""
    assert answer.status_code == 302
    return client.get(answer["Location"]).content.decode()


class TestTheNoticesPage:
    def test_requires_an_address_before_offering_mail(self, mia: Client) -> None:
        assert "has no e-mail address" in mia.get(reverse("notices")).content.decode()

    def test_stores_the_choice_of_mails(self, mia: Client) -> None:
        user = make_user("mia")
        user.email = "mia@example.org"
        user.save()
        said(mia, mia.post(reverse("notices"), {"mail_on": ["event.started", "version.rested"]}))
        assert Profile.objects.get().mail_on == ["event.started", "version.rested"]
        shown = mia.get(reverse("notices")).content.decode()
        assert shown.count(" checked") == 2
        said(mia, mia.post(reverse("notices"), {}))
        assert Profile.objects.get().mail_on == []
        assert mia.post(reverse("notices"), {"mail_on": ["x"]}).status_code == 400

    def test_creates_a_webhook_and_shows_its_secret_once(self, mia: Client) -> None:
        made = mia.post(reverse("webhook-make"), {"url": URL, "kinds": ["event.started"]})
        row = Webhook.objects.get()
        assert (made.status_code, row.kinds) == (201, ["event.started"])
        assert row.secret in made.content.decode()
        assert "no-store" in made["Cache-Control"]
        for address in (reverse("notices"), reverse("webhook", args=[row.pk])):
            assert row.secret not in mia.get(address).content.decode()

    def test_shows_why_a_webhook_was_not_created(self, mia: Client) -> None:
        answer = mia.post(reverse("webhook-make"), {"url": "https://127.0.0.1/"})
        assert answer.status_code == 409
        assert "is not on the public internet" in answer.content.decode()
        assert mia.post(reverse("webhook-make"), {}).status_code == 400


class TestAWebhooksPage:
    def test_shows_deliveries_and_responses_escaped(self, mia: Client, webhook: Webhook) -> None:
        outbox.emit("event.started", to=[webhook.owner_id], payload={}, now=START)
        Delivery.objects.update(status="failed", attempts=9, answer="500\n<script>alert(1)</script>", ended_at=START)
        shown = mia.get(reverse("webhook", args=[webhook.pk])).content.decode()
        assert "&lt;script&gt;alert(1)" in shown
        assert "failed" in shown
        mia.post(reverse("delivery-resend", args=[Delivery.objects.get().pk]))
        assert Delivery.objects.get().status == "pending"

    def test_pauses_resumes_tests_and_deletes_it(self, mia: Client, webhook: Webhook) -> None:
        for verb, active in (("pause", False), ("test", False), ("resume", True), ("test", True)):
            mia.post(reverse("webhook-change", args=[webhook.pk, verb]))
            assert Webhook.objects.get().active is active
        assert Delivery.objects.get().kind == "test"
        renewed = mia.post(reverse("webhook-secret", args=[webhook.pk])).content.decode()
        assert Webhook.objects.get().secret in renewed
        assert Webhook.objects.get().secret != webhook.secret
        mia.post(reverse("webhook-delete", args=[webhook.pk]))
        assert not Webhook.objects.exists()

    def test_changes_nothing_on_get(self, mia: Client, webhook: Webhook) -> None:
        for name, args in (("webhook-change", [webhook.pk, "pause"]), ("webhook-delete", [webhook.pk]),
                           ("webhook-secret", [webhook.pk])):
            assert mia.get(reverse(name, args=args)).status_code == 405

    def test_is_visible_only_to_its_owner(self, client: Client, webhook: Webhook) -> None:
        outbox.emit("event.started", to=[webhook.owner_id], payload={}, now=START)
        other = signed_in("ben")
        assert client.get(reverse("webhook", args=[webhook.pk])).status_code == 302
        assert other.get(reverse("webhook", args=[webhook.pk])).status_code == 404
        for name, args in (("webhook-change", [webhook.pk, "pause"]), ("webhook-delete", [webhook.pk]),
                           ("webhook-secret", [webhook.pk]), ("delivery-resend", [Delivery.objects.get().pk])):
            assert other.post(reverse(name, args=args)).status_code == 404
        assert Webhook.objects.get().active
