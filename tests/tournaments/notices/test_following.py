"""News about followed bots and events: its content, receivers, frequency and channels."""

import json
import threading
from datetime import datetime, timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.core import mail
from django.db import IntegrityError, transaction
from django.utils import timezone

from ratings.models import RatedGame, Rating
from tests.factories import START, make_event, make_rating, make_user, make_version, play_event, play_match
from tournaments.models import Delivery, Event, Follow, Game, Match, Profile, PushSubscription
from tournaments.operations import checks
from tournaments.platform.messaging import web_push
from tournaments.services.events.events import start_event
from tournaments.services.ladders.ladder_play import join
from tournaments.services.notices import deliveries, digests, following, pushing, sender

pytestmark = pytest.mark.django_db
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
AUTH = web_push.text_of(b"a" * 16)


class Browser:
    """A browser's half of web push: its keys, and the decryption of what its push service receives (RFC 8291)."""

    def __init__(self) -> None:
        self._key = web_push.private_key(web_push.make_key())
        self._point = web_push.point_of(self._key)
        self.p256dh = web_push.text_of(self._point)

    def read(self, body: bytes) -> dict[str, Any]:
        salt, theirs, sealed = body[:16], body[21:86], body[86:]
        shared = self._key.exchange(ec.ECDH(), web_push.public_key(theirs))
        secret = self._derive(shared, b"a" * 16, b"WebPush: info\0" + self._point + theirs, 32)
        key = self._derive(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
        nonce = self._derive(secret, salt, b"Content-Encoding: nonce\0", 12)
        return json.loads(AESGCM(key).decrypt(nonce, sealed, None).removesuffix(b"\2"))

    def _derive(self, secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
        return HKDF(hashes.SHA256(), length, salt, info).derive(secret)


@pytest.fixture
def fan(db: None) -> Any:
    user = make_user("fan")
    user.email = "fan@example.org"
    user.save()
    return user


@pytest.fixture
def reader(fan: Any, receiver: Any, settings: Any) -> Browser:
    settings.PUSH_KEY = web_push.make_key()
    made = Browser()
    following.subscribe(actor=fan, endpoint=receiver.url, p256dh=made.p256dh, auth=AUTH, now=START)
    return made


def deliver(now: Any) -> int:
    return sender.round_of(threading.Event(), lambda: now)


def news() -> list[str]:
    """Return the sentences of all digests, oldest first."""
    return [item["text"] for each in Delivery.objects.filter(channel="mail").order_by("created_at")
            for item in each.payload["news"]]


def started_event() -> Event:
    return make_event([make_version("ant"), make_version("bee")], ruleset="square-grid-hex", size=3, started=False)


class TestAFollower:
    def test_is_told_of_the_start_and_the_end_of_an_event_its_champion_and_a_bots_place(self, fan):
        event = started_event()
        following.follow(actor=fan, event=event, now=START)
        bot = event.entries.first().bot
        following.follow(actor=fan, bot=bot, now=START)
        assert digests.tell_followers(START) == 0
        start_event(event=event, now=START)
        assert digests.tell_followers(START + MINUTE) == 2
        play_event(event)
        assert digests.tell_followers(START + 2 * HOUR) == 2
        assert "Autumn Round Robin has started." in news()
        assert any(text.startswith("Autumn Round Robin is over: ") and text.endswith(" won it.") for text in news())
        assert any(text.startswith("Autumn Round Robin is over") and f" {bot.name} took place " in text
                   for text in news())

    @pytest.mark.database
    def test_is_told_of_versions_first_places_and_upsets(self, fan):
        event = make_event([make_version("ant"), make_version("{bee}")], ruleset="square-grid-hex", size=3)
        match = play_match(Match.objects.get())
        game = Game.objects.filter(match=match, winner__isnull=False).first()
        winner, loser = (game.seat0, game.seat1) if game.winner == 0 else (game.seat1, game.seat0)
        bot, ladder = winner.bot, event.ladder
        join(actor=bot.owner, ladder=ladder, version=winner, now=START)
        following.follow(actor=fan, bot=bot, now=START)
        join(actor=bot.owner, ladder=ladder, version=make_version(bot.name), now=START)
        RatedGame.objects.create(ladder=ladder, period=99, rated_at=START, game=game, level=1600.5, lead=0, chance=0.24)
        make_rating(ladder, winner, 1800, rank=2)
        digests.tell_followers(START + MINUTE)
        assert news() == [
            f"Version 2 of {bot.name} now plays on {ladder.name}.", f"{bot.name} is now second on {ladder.name}.",
            f"{bot.name} won against {loser.bot.name}, which was rated much higher."]
        # A place is news if it is better than before, and not if the bot only returns to it.
        for rank, hours, count in ((4, 2, 0), (2, 4, 0), (1, 6, 1)):
            Rating.objects.filter(bot=bot).update(rank=rank)
            assert digests.tell_followers(START + hours * HOUR) == count

    def test_gets_one_digest_per_hour_with_all_news_of_it(self, told):
        Event.objects.filter(pk=told.pk).update(status="cancelled", ended_at=START)
        assert digests.tell_followers(START + HOUR - MINUTE) == 0
        assert digests.tell_followers(START + HOUR) == 1
        assert digests.tell_followers(START + 3 * HOUR) == 0
        assert news() == ["Autumn Round Robin has started.", "Autumn Round Robin was cancelled."]

    def test_is_told_nothing_twice_by_two_coordinators(self, fan):
        event = started_event()
        following.follow(actor=fan, event=event, now=START)
        start_event(event=event, now=START)
        # The second coordinator has read the follow before the first one writes.
        late = Follow.objects.get()
        current = {late.pk: digests.states.of_events([event.pk])[event.pk]}
        digests.tell_followers(START)
        assert digests._report(current, digests.Reports(), START, late) is False
        assert len(news()) == 1

    def test_of_a_private_event_is_told_only_while_allowed_to_see_it(self, told):
        Event.objects.filter(pk=told.pk).update(private=True)
        assert deliver(START) == 1
        assert (Delivery.objects.get().status, mail.outbox) == ("failed", [])
        Event.objects.filter(pk=told.pk).update(status="cancelled", ended_at=START)
        assert digests.tell_followers(START + 2 * HOUR) == 0

    @pytest.mark.database
    def test_follows_each_thing_once_either_a_bot_or_an_event_and_a_limited_number(self, fan, monkeypatch):
        event = started_event()
        first = following.follow(actor=fan, event=event, now=START)
        assert following.follow(actor=fan, event=event, now=START) == first
        with pytest.raises(IntegrityError, match="a_follow_is_of_a_bot_or_of_an_event"), transaction.atomic():
            Follow.objects.create(user=fan, created_at=START, due_at=START)
        monkeypatch.setattr(following, "MOST_FOLLOWS", 1)
        with pytest.raises(following.FollowRefused, match="unfollow one first"):
            following.follow(actor=fan, bot=make_version("ant").bot, now=START)


def told_of_a_start(fan: Any, now: datetime = START) -> Event:
    """An event that has started, of which the fan is told."""
    event = started_event()
    following.follow(actor=fan, event=event, now=START)
    start_event(event=event, now=START)
    digests.tell_followers(now)
    return event


@pytest.fixture
def told(fan) -> Event:
    return told_of_a_start(fan)


class TestAMail:
    def test_has_the_headers_by_which_one_click_unsubscribes(self, told, settings, client):
        settings.BASE_URL = "https://squarefield.example"
        deliver(START)
        message, = mail.outbox
        assert message.subject == "[Squarefield] Autumn Round Robin: Autumn Round Robin has started."
        assert "https://squarefield.example/events/autumn-round-robin/" in message.body
        assert message.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        address = message.extra_headers["List-Unsubscribe"].strip("<>")
        assert address in message.body
        assert client.get(address).status_code == 200
        assert Profile.objects.get(user__username="fan").mail_on == ["followed.news"]
        assert client.post(address, {"List-Unsubscribe": "One-Click"}).status_code == 200
        assert Profile.objects.get(user__username="fan").mail_on == []
        assert client.post(address[:-9] + "/").status_code == 404

    def test_is_not_sent_after_its_reader_has_unsubscribed(self, told, fan):
        following.end_mails(token=following.unsubscribe_token(fan), now=START)
        deliver(START)
        assert (mail.outbox, Delivery.objects.get().status) == ([], "failed")

    def test_that_was_sent_before_a_crash_is_repeated_once_under_the_same_id(self, told, monkeypatch):
        def killed(*_: Any) -> None:
            raise SystemExit

        with monkeypatch.context() as crash:
            crash.setattr(deliveries, "_settle", killed)
            with pytest.raises(SystemExit):
                deliver(START)
        assert deliver(START + MINUTE) == 0
        assert deliver(START + deliveries.CLAIM) == 1
        assert deliver(START + HOUR) == 0
        first, second = mail.outbox
        assert first.extra_headers["Message-ID"] == second.extra_headers["Message-ID"]


class TestAPushMessage:
    @pytest.fixture
    def notice(self, reader, told) -> Delivery:
        Delivery.objects.exclude(channel="push").delete()
        return Delivery.objects.get()

    def test_arrives_encrypted_for_the_browser_and_signed_by_the_site(self, notice, reader, receiver, settings):
        assert deliver(START) == 1
        (_, headers, body), = receiver.posts
        assert reader.read(body) == {
            "title": "Autumn Round Robin", "body": "Autumn Round Robin has started.",
            "link": "/events/autumn-round-robin/", "tag": f"notice-{notice.pk}"}
        assert (headers["Content-Encoding"], headers["TTL"]) == ("aes128gcm", "86400")
        public = web_push.text_of(web_push.point_of(web_push.private_key(settings.PUSH_KEY)))
        assert headers["Authorization"].endswith(f", k={public}")
        assert PushSubscription.objects.get().succeeded_at == START

    def test_to_a_browser_that_is_gone_ends_its_subscription(self, notice, receiver):
        for status in pushing.GONE:
            with transaction.atomic():
                receiver.status = status
                deliver(START)
                assert not PushSubscription.objects.exists()
                assert not Delivery.objects.exists()
                transaction.set_rollback(True)

    def test_is_retried_after_another_error(self, notice, receiver):
        receiver.status = 503
        deliver(START)
        receiver.status = 201
        assert deliver(START + MINUTE) == 1
        notice.refresh_from_db()
        assert (notice.status, notice.attempts) == ("delivered", 2)

    def test_with_long_names_in_any_script_fits(self, notice):
        item = {"text": "“棋" * 200, "path": "/games/1/", "event": None}
        payload = {**notice.payload, "name": '"' * 80, "news": [item] * 12}
        assert len(pushing.message(notice, payload)) <= web_push.LONGEST_MESSAGE


class TestABrowser:
    def test_with_an_insecure_or_inner_address_or_malformed_keys_is_refused(self, fan, settings):
        settings.PUSH_KEY = web_push.make_key()
        inner, url, key = "not on the public internet", "https://push.example/x", Browser().p256dh
        for endpoint, p256dh, auth, reason in (
                ("https://127.0.0.1/x", key, AUTH, inner), ("https://[fe80::1]/", key, AUTH, inner),
                ("https://169.254.169.254/", key, AUTH, inner),
                ("http://push.example/x", key, AUTH, "begin with https"),
                ("https://push.example/" + "x" * 500, key, AUTH, "at most 500 characters"),
                (url, "", AUTH, "malformed"), (url, "BAAA", AUTH, "malformed"), (url, "é", AUTH, "malformed"),
                (url, key, "YQ", "malformed")):
            with pytest.raises(following.SubscriptionRefused, match=reason):
                following.subscribe(actor=fan, endpoint=endpoint, p256dh=p256dh, auth=auth, now=START)

    def test_is_refused_by_a_site_without_a_key(self, fan, settings):
        settings.PUSH_KEY = ""
        with pytest.raises(following.SubscriptionRefused, match="sends no push messages"):
            following.subscribe(actor=fan, endpoint="https://push.example/x", p256dh="", auth="", now=START)
        assert [each.id for each in checks.push_key_is_set()] == ["squarefield.I001"]
        settings.PUSH_KEY = "short"
        assert [each.id for each in checks.push_key_is_valid()] == ["squarefield.E001"]

    def test_goes_to_the_account_that_uses_it_now_but_not_with_other_keys(self, fan, reader, receiver):
        other = make_user("other")
        facts = {"actor": other, "endpoint": receiver.url, "auth": AUTH, "now": START}
        with pytest.raises(following.SubscriptionRefused, match="other keys"):
            following.subscribe(p256dh=Browser().p256dh, **facts)
        following.subscribe(p256dh=reader.p256dh, **facts)
        assert PushSubscription.objects.get().user == other


class TestAPersonalFeed:
    def test_has_the_news_until_its_address_is_renewed(self, fan, client):
        feed = following.renew_feed(actor=fan, now=START)
        told = told_of_a_start(fan, timezone.now())
        address = f"/news/{feed.key}/"
        page = client.get(address)
        assert "Autumn Round Robin has started." in page.content.decode()
        assert "private" in page["Cache-Control"]
        Event.objects.filter(pk=told.pk).update(private=True)
        assert "has started" not in client.get(address).content.decode()
        following.renew_feed(actor=fan, now=START)
        assert client.get(address).status_code == 404
