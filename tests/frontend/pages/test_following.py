"""The pages for followed bots and events, their channels, and the site as an app."""

import json
from functools import cache
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import START, make_event, make_user, make_version
from tests.frontend.visits import body, said, signed_in
from tournaments.models import Event, Follow, PersonalFeed, Profile, PushSubscription
from tournaments.platform.messaging import web_push
from tournaments.services.notices import following

pytestmark = pytest.mark.django_db
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
