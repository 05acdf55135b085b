"""Atom feeds: valid, complete, escaped, and without private events."""

from datetime import timedelta
from xml.etree import ElementTree as ET

import pytest
from django.urls import reverse

from tests.factories import START, make_event, make_user, make_version, play_event
from tournaments.models import Bot, Candidacy, Event
from tournaments.services.ladders.ladder_play import join
from tournaments.services.shared import audit
from tournaments.services.shared.slugs import free_slug

pytestmark = pytest.mark.django_db

ATOM = "{http://www.w3.org/2005/Atom}"


def _feed(client, name, *args):
    """Return the feed's root, after checking what RFC 4287 requires of every feed and entry."""
    response = client.get(reverse(name, args=args))
    assert response.status_code == 200
    assert response["Content-Type"].startswith("application/atom+xml")
    root = ET.fromstring(response.content)  # noqa: S314 — our own answer
    for element in (root, *root.iter(f"{ATOM}entry")):
        for needed in ("id", "title", "updated"):
            assert element.findtext(f"{ATOM}{needed}"), needed
    ids = [entry.findtext(f"{ATOM}id") for entry in root.iter(f"{ATOM}entry")]
    assert len(ids) == len(set(ids))
    return root


def bot(event):
    """Return the slug of one of its bots."""
    return event.entries.get(place=0).bot.slug


def _titles(root):
    return [entry.findtext(f"{ATOM}title") for entry in root.iter(f"{ATOM}entry")]


@pytest.fixture(scope="module")
def event(module_db):
    return play_event(make_event([make_version("Alder"), make_version("Basalt", owner="tom")], name="Cup",
                                 ruleset="square-grid-hex", size=3))


class TestFeedOfEvents:
    def test_lists_news_newest_first(self, client, event):
        make_event([make_version("Cinder"), make_version("Dune")], name="Next", started=False, size=7)
        titles = _titles(_feed(client, "events-feed"))
        assert titles[0] == "Cup has finished"
        assert set(titles) == {"Cup has finished", "Cup has started", "Cup was announced", "Next was announced"}

    def test_leaves_out_private_events_for_every_user(self, client, event):
        Event.objects.update(private=True, created_by=make_user("mia"))
        client.force_login(make_user("mia"))
        assert _titles(_feed(client, "events-feed")) == []
        assert client.get(reverse("event-feed", args=[event.slug])).status_code == 404
        assert not any("Cup" in title for title in _titles(_feed(client, "bot-feed", bot(event))))
        assert "event-feed" not in client.get(reverse("event", args=[event.slug])).content.decode()

    def test_does_not_share_its_address_with_an_event(self):
        assert free_slug(Event, "Feed", "event") == "feed-2"


class TestFeedOfAnEvent:
    def test_ends_with_its_first_places(self, client, event):
        root = _feed(client, "event-feed", event.slug)
        assert _titles(root) == ["Cup has finished", "Cup has started", "Cup was announced"]
        summary = root.find(f"{ATOM}entry").findtext(f"{ATOM}summary")
        assert "1. " in summary
        assert "Alder" in summary


class TestFeedOfABot:
    def test_lists_versions_suspensions_trials_and_results(self, client, event):
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
        titles = _titles(_feed(client, "bot-feed", entry.bot.slug))
        ladder = event.ladder.name
        assert titles[:3] == [f"Trial of v2 on {ladder}: passed", f"Reinstated on {ladder}", f"Suspended on {ladder}"]
        assert {"Version 1 is ready", "Version 2 is ready"} <= set(titles)
        assert any(title.startswith("Cup: ") and title.endswith("of 2 points") for title in titles)

    def test_of_an_unknown_bot_is_not_found(self, client):
        assert client.get(reverse("bot-feed", args=["nobody"])).status_code == 404


class TestHostileText:
    def test_is_escaped(self, client, event):
        # Created directly in the database, since validation refuses such names.
        for entry, name in zip(event.entries.all(), ('<script>alert("1")</script>', "\u202eevil]]>&amp;"), strict=True):
            Bot.objects.filter(pk=entry.bot_id).update(name=name)
        Event.objects.update(name="<u>Cup\x1b[2J</u>", description="\x07")
        for name, *args in (("events-feed",), ("event-feed", event.slug), ("bot-feed", bot(event))):
            root = _feed(client, name, *args)
            text = ET.tostring(root, encoding="unicode")
            assert "<script" not in text
            assert "\u202e" not in text
            assert name == "bot-feed" or "<u>Cup⟨U+001B⟩[2J</u>" in _titles(root)[0]


class TestPagesWithFeeds:
    def test_link_to_them_in_their_heads(self, client, event):
        for page, feed in ((reverse("events"), reverse("events-feed")),
                           (reverse("event", args=[event.slug]), reverse("event-feed", args=[event.slug])),
                           (reverse("bot", args=[bot(event)]), reverse("bot-feed", args=[bot(event)]))):
            head = " ".join(client.get(page).content.decode().partition("</head>")[0].split())
            assert f'<link rel="alternate" type="application/atom+xml" href="{feed}"' in head
