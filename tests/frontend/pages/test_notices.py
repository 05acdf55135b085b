"""Pages for notices: mail settings, webhooks with their logs, followed bots and events, and the site as an app."""

import json
from functools import cache
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import START, make_event, make_user, make_version
from tests.frontend.visits import body, said, signed_in
from tournaments.models import Delivery, Event, Follow, PersonalFeed, Profile, PushSubscription, Webhook
from tournaments.platform.messaging import web_push
from tournaments.services.notices import following, outbox
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


ENDPOINT = "https://push.example/kf83jd"


@cache
def keys() -> dict[str, str]:
    """Return the keys of a browser."""
    point = web_push.point_of(web_push.private_key(web_push.make_key()))
    return {"p256dh": web_push.text_of(point), "auth": web_push.text_of(b"a" * 16)}


@pytest.fixture(scope="module")
def event(module_db: None) -> Event:
    return make_event([make_version("ant"), make_version("bee")], ruleset="square-grid-hex", size=3, started=False)


@pytest.fixture
def fan(event: Event) -> Client:
    return signed_in("fan")


class TestTheButton:
    def test_follows_and_unfollows_without_javascript(self, fan: Client, event: Event) -> None:
        for name, slug in (("bot", event.entries.first().bot.slug), ("event", event.slug)):
            assert ">Follow<" in body(fan, reverse(name, args=[slug]))
            shown = said(fan, fan.post(reverse(f"{name}-follow", args=[slug])))
            assert "You follow" in shown
            assert ">Unfollow<" in shown
            assert Follow.objects.count() == 1
            said(fan, fan.post(reverse(f"{name}-follow", args=[slug])))
            assert not Follow.objects.exists()

    def test_leads_visitors_to_the_sign_in_and_is_not_for_private_events_of_others(
            self, client: Client, fan: Client, event: Event) -> None:
        page = body(client, reverse("event", args=[event.slug]))
        assert f'href="/account/login/?next=/events/{event.slug}/"' in page
        Event.objects.update(private=True)
        assert fan.post(reverse("event-follow", args=[event.slug])).status_code == 404


class TestTheListOfFollows:
    def test_has_what_the_user_follows_and_may_see(self, fan: Client, event: Event) -> None:
        user = make_user("fan")
        following.follow(actor=user, event=event, now=START)
        assert event.name in body(fan, reverse("following"))
        assert signed_in("other").post(reverse("unfollow", args=[Follow.objects.get().pk])).status_code == 404
        Event.objects.update(private=True)
        assert event.name not in body(fan, reverse("following"))
        user.is_staff = user.is_superuser = True
        user.save()
        assert event.name in body(fan, reverse("following"))

    def test_switches_mails_and_the_feed(self, fan: Client, event: Event) -> None:
        user = make_user("fan")
        assert "Add one" in body(fan, reverse("following"))
        user.email = "fan@example.org"
        user.save()
        said(fan, fan.post(reverse("news-channel", args=["mails-on"])))
        assert Profile.objects.get(user=user).mail_on == ["followed.news"]
        said(fan, fan.post(reverse("news-channel", args=["mails-off"])))
        assert Profile.objects.get(user=user).mail_on == []
        shown = said(fan, fan.post(reverse("news-channel", args=["feed-renew"])))
        key = PersonalFeed.objects.get().key
        assert f"/news/{key}/" in shown
        said(fan, fan.post(reverse("news-channel", args=["feed-off"])))
        assert fan.get(f"/news/{key}/").status_code == 404

    def test_offers_push_only_with_a_key_of_the_site(self, fan: Client, settings: Any) -> None:
        settings.PUSH_KEY = ""
        assert "data-push" not in body(fan, reverse("following"))
        settings.PUSH_KEY = web_push.make_key()
        assert "data-push" in body(fan, reverse("following"))

    def test_adds_and_removes_a_browser_and_says_why_not(self, fan: Client, settings: Any) -> None:
        settings.PUSH_KEY = web_push.make_key()
        assert fan.post(reverse("browser-add"), {"endpoint": ENDPOINT}).status_code == 400
        refused = fan.post(reverse("browser-add"), {"endpoint": "https://10.0.0.1/", **keys()})
        assert refused.status_code == 409
        assert "not on the public internet" in refused.content.decode()
        shown = said(fan, fan.post(reverse("browser-add"), {"endpoint": ENDPOINT, **keys()}))
        assert "push.example" in shown
        assert "kf83jd" not in shown
        said(fan, fan.post(reverse("browser-remove", args=[PushSubscription.objects.get().pk])))
        assert not PushSubscription.objects.exists()


class TestTheApp:
    def test_has_a_manifest_with_icons_of_the_sizes_that_it_names(self, client: Client) -> None:
        page = client.get("/").content.decode()
        assert 'rel="manifest" href="/manifest.webmanifest"' in page
        answer = client.get("/manifest.webmanifest")
        assert answer["Content-Type"] == "application/manifest+json"
        about = json.loads(answer.content)
        assert {(icon["sizes"], icon["purpose"]) for icon in about["icons"]} == {
            ("192x192", "any"), ("512x512", "any"), ("192x192", "maskable"), ("512x512", "maskable")}
        for icon in about["icons"]:
            head = client.get(icon["src"]).content[:24]
            assert head[1:4] == b"PNG"
            assert f"{int.from_bytes(head[16:20], 'big')}x{int.from_bytes(head[20:24], 'big')}" == icon["sizes"]

    def test_has_a_service_worker_for_the_whole_site_and_a_page_for_no_network(self, fan: Client) -> None:
        answer = fan.get("/sw.js")
        assert answer["Content-Type"].startswith("text/javascript")
        assert answer["Cache-Control"] == "no-cache"
        page = fan.get("/offline/").content.decode()
        assert "No network" in page
        assert "fan" not in page
        assert " src=" not in page
