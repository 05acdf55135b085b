"""Pages for notices: mails, webhooks with their logs, followed bots and events, Atom feeds, and the site as an app."""

import json
from datetime import timedelta
from functools import cache
from xml.etree import ElementTree as ET

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import START, make_event, make_user, make_version, play_event
from tests.frontend.visits import body, said, signed_in
from tournaments.models import Bot, Candidacy, Delivery, Event, Follow, PersonalFeed, Profile, PushSubscription, Webhook
from tournaments.platform.messaging import web_push
from tournaments.services.ladders.ladder_play import join
from tournaments.services.notices import following, outbox
from tournaments.services.notices.webhooks import create_webhook
from tournaments.services.shared import audit
from tournaments.services.shared.slugs import free_slug

pytestmark = pytest.mark.django_db
ENDPOINT = "https://push.example/kf83jd"
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(scope="module")
def event(module_db) -> Event:
    return play_event(make_event([make_version("Alder"), make_version("Basalt", owner="tom")], name="Cup",
                                 ruleset="square-grid-hex", size=3))


@pytest.fixture
def mia(event: Event) -> Client:
    return signed_in("mia")


def give_address(name: str) -> None:
    user = make_user(name)
    user.email = f"{name}@example.org"
    user.save()


class TestTheNoticesPage:
    def test_stores_the_choice_of_mails_of_users_with_an_address(self, mia: Client) -> None:
        assert "has no e-mail address" in body(mia, reverse("notices"))
        give_address("mia")
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
        refused = mia.post(reverse("webhook-make"), {"url": "https://127.0.0.1/"})
        assert (refused.status_code, b"is not on the public internet" in refused.content) == (409, True)
        assert mia.post(reverse("webhook-make"), {}).status_code == 400


class TestAWebhooksPage:
    @pytest.fixture
    def webhook(self, mia: Client) -> Webhook:
        """Mia's webhook, with a delivery that failed."""
        made = create_webhook(owner=make_user("mia"), url="https://example.org/hook", kinds=[], now=START)
        outbox.emit("event.started", to=[made.owner_id], payload={}, now=START)
        Delivery.objects.update(status="failed", attempts=9, answer="500\n<script>alert(1)</script>", ended_at=START)
        return made

    def test_shows_deliveries_and_changes_it(self, mia: Client, webhook: Webhook) -> None:
        shown = body(mia, reverse("webhook", args=[webhook.pk]))
        assert "&lt;script&gt;alert(1)" in shown
        assert "failed" in shown
        mia.post(reverse("delivery-resend", args=[Delivery.objects.get().pk]))
        assert Delivery.objects.get().status == "pending"
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
        assert (client.get(page).status_code, other.get(page).status_code) == (302, 404)
        for name, args in (("webhook-change", [webhook.pk, "pause"]), ("webhook-delete", [webhook.pk]),
                           ("webhook-secret", [webhook.pk]), ("delivery-resend", [Delivery.objects.get().pk])):
            address = reverse(name, args=args)
            assert (other.post(address).status_code, mia.get(address).status_code) == (404, 405)
        assert Webhook.objects.get().active


class TestFollowing:
    @pytest.fixture
    def fan(self, event: Event) -> Client:
        return signed_in("fan")

    def test_begins_and_ends_with_a_button_without_javascript(self, client: Client, fan: Client, event: Event) -> None:
        page = body(client, reverse("event", args=[event.slug]))
        assert f'href="/account/login/?next=/events/{event.slug}/"' in page
        for name, slug in (("bot", event.entries.first().bot.slug), ("event", event.slug)):
            assert ">Follow<" in body(fan, reverse(name, args=[slug]))
            shown = said(fan, fan.post(reverse(f"{name}-follow", args=[slug])))
            assert "You follow" in shown
            assert ">Unfollow<" in shown
            assert Follow.objects.count() == 1
            said(fan, fan.post(reverse(f"{name}-follow", args=[slug])))
            assert not Follow.objects.exists()

    def test_is_listed_for_what_the_user_may_see(self, fan: Client, event: Event) -> None:
        user, address = make_user("fan"), reverse("following")
        following.follow(actor=user, event=event, now=START)
        assert event.name in body(fan, address)
        assert signed_in("other").post(reverse("unfollow", args=[Follow.objects.get().pk])).status_code == 404
        Event.objects.update(private=True)
        assert fan.post(reverse("event-follow", args=[event.slug])).status_code == 404
        assert event.name not in body(fan, address)
        user.is_staff = user.is_superuser = True
        user.save()
        assert event.name in body(fan, address)

    def test_has_channels_mails_and_a_feed(self, fan: Client) -> None:
        assert "Add one" in body(fan, reverse("following"))
        give_address("fan")
        for verb, mails in (("mails-on", ["followed.news"]), ("mails-off", [])):
            said(fan, fan.post(reverse("news-channel", args=[verb])))
            assert Profile.objects.get().mail_on == mails
        shown = said(fan, fan.post(reverse("news-channel", args=["feed-renew"])))
        feed = f"/news/{PersonalFeed.objects.get().key}/"
        assert feed in shown
        said(fan, fan.post(reverse("news-channel", args=["feed-off"])))
        assert fan.get(feed).status_code == 404

    def test_reaches_a_browser_if_the_site_has_a_key_and_says_why_not(self, fan: Client, settings) -> None:
        for key in ("", web_push.make_key()):
            settings.PUSH_KEY = key
            assert ("data-push" in body(fan, reverse("following"))) == bool(key)
        assert fan.post(reverse("browser-add"), {"endpoint": ENDPOINT}).status_code == 400
        refused = fan.post(reverse("browser-add"), {"endpoint": "https://10.0.0.1/", **keys()})
        assert (refused.status_code, b"not on the public internet" in refused.content) == (409, True)
        shown = said(fan, fan.post(reverse("browser-add"), {"endpoint": ENDPOINT, **keys()}))
        assert ("push.example" in shown, "kf83jd" in shown) == (True, False)
        said(fan, fan.post(reverse("browser-remove", args=[PushSubscription.objects.get().pk])))
        assert not PushSubscription.objects.exists()


@cache
def keys() -> dict[str, str]:
    """Return the keys of a browser."""
    point = web_push.point_of(web_push.private_key(web_push.make_key()))
    return {"p256dh": web_push.text_of(point), "auth": web_push.text_of(b"a" * 16)}


class TestTheApp:
    def test_has_a_manifest_with_icons_of_the_sizes_that_it_names(self, client: Client, db: None) -> None:
        assert 'rel="manifest" href="/manifest.webmanifest"' in body(client, "/")
        answer = client.get("/manifest.webmanifest")
        assert answer["Content-Type"] == "application/manifest+json"
        icons = json.loads(answer.content)["icons"]
        assert {(icon["sizes"], icon["purpose"]) for icon in icons} == {
            ("192x192", "any"), ("512x512", "any"), ("192x192", "maskable"), ("512x512", "maskable")}
        for icon in icons:
            head = client.get(icon["src"]).content[:24]
            assert head[1:4] == b"PNG"
            assert f"{int.from_bytes(head[16:20], 'big')}x{int.from_bytes(head[20:24], 'big')}" == icon["sizes"]

    def test_has_a_service_worker_for_the_whole_site_and_a_page_for_no_network(self, mia: Client) -> None:
        answer = mia.get("/sw.js")
        assert answer["Content-Type"].startswith("text/javascript")
        assert answer["Cache-Control"] == "no-cache"
        page = body(mia, "/offline/")
        assert ["No network" in page, "mia" in page, " src=" in page] == [True, False, False]


class TestAtomFeeds:
    def feed(self, client: Client, name: str, *args: str) -> ET.Element:
        """Return the feed's root, after checking what RFC 4287 requires of every feed and entry."""
        response = client.get(reverse(name, args=args))
        assert (response.status_code, response["Content-Type"].partition(";")[0]) == (200, "application/atom+xml")
        root = ET.fromstring(response.content)  # noqa: S314 — our own answer
        for element in (root, *root.iter(f"{ATOM}entry")):
            for needed in ("id", "title", "updated"):
                assert element.findtext(f"{ATOM}{needed}"), needed
        ids = [entry.findtext(f"{ATOM}id") for entry in root.iter(f"{ATOM}entry")]
        assert len(ids) == len(set(ids))
        return root

    def titles(self, client: Client, name: str, *args: str) -> list[str]:
        return [entry.findtext(f"{ATOM}title") for entry in self.feed(client, name, *args).iter(f"{ATOM}entry")]

    def test_list_news_of_events_newest_first(self, client, event):
        cup = ["Cup has finished", "Cup has started", "Cup was announced"]
        make_event([make_version("Cinder"), make_version("Dune")], name="Next", started=False, size=7)
        titles = self.titles(client, "events-feed")
        assert titles[0] == cup[0]
        assert set(titles) == {*cup, "Next was announced"}
        assert self.titles(client, "event-feed", event.slug) == cup
        first = self.feed(client, "event-feed", event.slug).find(f"{ATOM}entry").findtext(f"{ATOM}summary")
        assert "1. " in first
        assert "Alder" in first
        assert free_slug(Event, "Feed", "event") == "feed-2", "no event has the address of the feed"

    def test_leave_out_private_events_for_every_user(self, mia, event):
        Event.objects.update(private=True, created_by=make_user("mia"))
        assert self.titles(mia, "events-feed") == []
        body(mia, reverse("event-feed", args=[event.slug]), expect=404)
        assert not [title for title in self.titles(mia, "bot-feed", self.bot(event).slug) if "Cup" in title]
        assert "event-feed" not in body(mia, reverse("event", args=[event.slug]))

    def bot(self, event: Event) -> Bot:
        return event.entries.get(bot__name="Alder").bot

    def test_of_a_bot_list_versions_suspensions_trials_and_results(self, client, event):
        entry = event.entries.get(bot__name="Alder")
        current, candidate = entry.version, make_version("Alder")
        place = join(actor=entry.bot.owner, ladder=event.ladder, version=current, now=START)
        later = START + timedelta(days=1)
        audit.record(actor=None, verb="rest", target=place, now=later, ladder=event.ladder.slug, reason="3 crashes")
        audit.record(actor=None, verb="end rest", target=place, now=later + timedelta(hours=1))
        Candidacy.objects.create(
            ladder=event.ladder, bot=entry.bot, candidate=candidate, current=current, elo0=0, elo1=20, alpha=0.05,
            beta=0.05, most_pairs=100, seed=1, status="passed", reason="It is stronger.", started_at=START,
            ended_at=later + timedelta(hours=2))
        titles, ladder = self.titles(client, "bot-feed", entry.bot.slug), event.ladder.name
        assert titles[:3] == [f"Trial of v2 on {ladder}: passed", f"Reinstated on {ladder}", f"Suspended on {ladder}"]
        assert {"Version 1 is ready", "Version 2 is ready"} <= set(titles)
        assert any(title.startswith("Cup: ") and title.endswith("of 2 points") for title in titles)
        body(client, reverse("bot-feed", args=["nobody"]), expect=404)

    def test_escape_hostile_text_and_are_linked_in_the_heads_of_pages(self, client, event):
        # Created directly in the database, since validation refuses such names.
        Bot.objects.filter(name="Alder").update(name='<script>alert("1")</script>')
        Bot.objects.filter(name="Basalt").update(name="\u202eevil]]>&amp;")
        Event.objects.update(name="<u>Cup\x1b[2J</u>", description="\x07")
        slug = event.entries.first().bot.slug
        for page, feed, *args in (("events", "events-feed"), ("event", "event-feed", event.slug),
                                  ("bot", "bot-feed", slug)):
            root = self.feed(client, feed, *args)
            text = ET.tostring(root, encoding="unicode")
            assert ("<script" in text, "\u202e" in text) == (False, False)
            assert page == "bot" or "<u>Cup⟨U+001B⟩[2J</u>" in root.find(f"{ATOM}entry").findtext(f"{ATOM}title")
            head = " ".join(body(client, reverse(page, args=args)).partition("</head>")[0].split())
            assert f'<link rel="alternate" type="application/atom+xml" href="{reverse(feed, args=args)}"' in head
