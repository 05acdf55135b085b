"""The pages for followed bots and events, their channels, and the site as an app."""

import io
import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import START, make_event, make_user, make_version
from tournaments.models import Event, Follow, PersonalFeed, Profile, PushSubscription
from tournaments.platform.messaging import web_push
from tournaments.services.notices import following

pytestmark = pytest.mark.django_db
KEYS = {"p256dh": web_push.text_of(web_push.point_of(web_push.private_key(web_push.make_key()))),
        "auth": web_push.text_of(b"a" * 16)}
ENDPOINT = "https://push.example/kf83jd"


@pytest.fixture
def fan() -> Client:
    client = Client()
    client.force_login(make_user("fan"))
    return client


@pytest.fixture
def event(db: None) -> Event:
    return make_event([make_version("ant"), make_version("bee")], ruleset="square-grid-hex", size=3, started=False)


def said(client: Client, answer: Any) -> str:
    assert answer.status_code == 302
    return client.get(answer["Location"]).content.decode()


class TestTheButton:
    def test_follows_and_unfollows_without_javascript(self, fan: Client, event: Event) -> None:
        for name, slug in (("bot", event.entries.first().bot.slug), ("event", event.slug)):
            assert ">Follow<" in fan.get(reverse(name, args=[slug])).content.decode()
            shown = said(fan, fan.post(reverse(f"{name}-follow", args=[slug])))
            assert "You follow" in shown
            assert ">Unfollow<" in shown
            assert Follow.objects.count() == 1
            said(fan, fan.post(reverse(f"{name}-follow", args=[slug])))
            assert not Follow.objects.exists()

    def test_leads_visitors_to_the_sign_in(self, client: Client, event: Event) -> None:
        page = client.get(reverse("event", args=[event.slug])).content.decode()
        assert f'href="/account/login/?next=/events/{event.slug}/"' in page

    def test_is_not_for_private_events_of_others(self, fan: Client, event: Event) -> None:
        Event.objects.update(private=True)
        assert fan.post(reverse("event-follow", args=[event.slug])).status_code == 404


class TestTheListOfFollows:
    def test_has_what_the_user_follows_and_may_see(self, fan: Client, event: Event) -> None:
        user = make_user("fan")
        following.follow(actor=user, event=event, now=START)
        assert event.name in fan.get(reverse("following")).content.decode()
        other = Client()
        other.force_login(make_user("other"))
        assert other.post(reverse("unfollow", args=[Follow.objects.get().pk])).status_code == 404
        Event.objects.update(private=True)
        assert event.name not in fan.get(reverse("following")).content.decode()
        user.is_staff = user.is_superuser = True
        user.save()
        assert event.name in fan.get(reverse("following")).content.decode()

    def test_switches_mails_and_the_feed(self, fan: Client, event: Event) -> None:
        user = make_user("fan")
        assert "Add one" in fan.get(reverse("following")).content.decode()
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
        assert "data-push" not in fan.get(reverse("following")).content.decode()
        settings.PUSH_KEY = web_push.make_key()
        assert "data-push" in fan.get(reverse("following")).content.decode()

    def test_adds_and_removes_a_browser_and_says_why_not(self, fan: Client, settings: Any) -> None:
        settings.PUSH_KEY = web_push.make_key()
        assert fan.post(reverse("browser-add"), {"endpoint": ENDPOINT}).status_code == 400
        refused = fan.post(reverse("browser-add"), {"endpoint": "https://10.0.0.1/", **KEYS})
        assert refused.status_code == 409
        assert "not on the public internet" in refused.content.decode()
        shown = said(fan, fan.post(reverse("browser-add"), {"endpoint": ENDPOINT, **KEYS}))
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
            drawn = io.BytesIO(client.get(icon["src"]).content)
            head = drawn.read(24)
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
