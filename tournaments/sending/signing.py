"""What a webhook's receiver gets, and the signature by which it knows that it comes from here."""

import hmac
import json
from datetime import UTC, datetime
from hashlib import sha256

from tournaments.models import Delivery

AGENT = "Squarefield-Webhooks/1"


def message(delivery: Delivery, secret: str, now: datetime) -> tuple[dict[str, str], bytes]:
    """Headers and body of a notice. The body is the same at every try, the signature is as old as the try."""
    body = json.dumps({
        "id": delivery.pk, "kind": delivery.kind,
        "created_at": delivery.created_at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        "data": delivery.payload,
    }).encode()
    return {
        "Content-Type": "application/json",
        "User-Agent": AGENT,
        "Squarefield-Event": delivery.kind,
        "Squarefield-Delivery": str(delivery.pk),
        "Squarefield-Signature": signature(secret, body, int(now.timestamp())),
    }, body


def signature(secret: str, body: bytes, timestamp: int) -> str:
    """`t=<Unix time>,v1=<hex>`: HMAC-SHA256 with the whole secret over the time, a full stop, and the body.

    A receiver computes the same over the raw body, compares in constant time, and refuses what is minutes old.
    """
    digest = hmac.new(secret.encode(), b"%d.%s" % (timestamp, body), sha256)
    return f"t={timestamp},v1={digest.hexdigest()}"
