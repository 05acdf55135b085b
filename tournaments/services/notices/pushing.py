"""Web push of a digest to one browser: the message, its headers, and what the answer says about the subscription."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings

from tournaments.models import Delivery, PushSubscription
from tournaments.platform.messaging import web_push
from tournaments.platform.text import visible
from tournaments.services.notices import posting

# Answers of a push service about a browser that has ended its subscription (RFC 8030, section 7.3).
GONE: Final = (404, 410)
_KEPT_SECONDS: Final = 86_400
_TITLE, _LINES, _TEXT_BYTES = 60, 6, 1200


class Gone(Exception):
    """The browser no longer accepts messages."""


def send(delivery: Delivery, payload: Mapping[str, Any], now: datetime) -> str:
    """Post the digest to the delivery's browser and return the answer. Raises Gone or DeliveryFailed."""
    if not settings.PUSH_KEY:
        raise posting.DeliveryFailed("The site has no key for push messages.")
    browser: PushSubscription = delivery.subscription
    parts = urlsplit(browser.endpoint)
    body = web_push.encrypt(message(delivery, payload), receiver=web_push.bytes_of(browser.p256dh),
                            auth=web_push.bytes_of(browser.auth))
    answer = posting.post(browser.endpoint, body=body, headers={
        "Content-Type": "application/octet-stream", "Content-Encoding": "aes128gcm", "TTL": str(_KEPT_SECONDS),
        # A repeated message replaces the first, if the browser has not fetched that yet.
        "Topic": f"notice{delivery.pk}",
        "Authorization": web_push.authorization(
            web_push.private_key(settings.PUSH_KEY), audience=f"{parts.scheme}://{parts.netloc}", contact=_contact(),
            now=now)})
    if answer.status in GONE:
        raise Gone
    if not answer.accepted:
        raise posting.DeliveryFailed(f"{answer.status}\n{answer.body}".strip())
    return str(answer.status)


def public_key() -> str:
    """Return the key by which browsers recognise the site; empty if it sends no push messages."""
    return web_push.text_of(web_push.point_of(web_push.private_key(settings.PUSH_KEY))) if settings.PUSH_KEY else ""


def message(delivery: Delivery, payload: Mapping[str, Any]) -> bytes:
    """Return what the service worker shows: title, text and link. A notice with the same tag replaces an earlier one.

    The text is cut by its bytes, because names may be in any script: with escapes, the whole is below 3000 bytes.
    """
    news = payload["news"]
    text = "\n".join(item["text"] for item in news[:_LINES]).encode()[:_TEXT_BYTES].decode(errors="ignore")
    path = news[0]["path"] if len(news) == 1 else f"/{payload['about']}s/{payload['slug']}/"
    title, tag = visible(payload["name"], _TITLE, plain=""), f"notice-{delivery.pk}"
    said = {"title": title, "body": text, "link": path, "tag": tag}
    return json.dumps(said, ensure_ascii=False).encode()


def _contact() -> str:
    """Return the address at which a push service can reach the operator (RFC 8292, section 2.1)."""
    return settings.BASE_URL if settings.BASE_URL.startswith("https://") else f"mailto:{settings.DEFAULT_FROM_EMAIL}"
