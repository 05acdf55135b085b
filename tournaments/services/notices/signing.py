"""Messages to webhooks, and the signature by which a receiver verifies where they come from."""

import hmac
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256

from tournaments.models import Delivery

AGENT = "Squarefield-Webhooks/1"


def message(delivery: Delivery, secrets: Sequence[str], now: datetime) -> tuple[dict[str, str], bytes]:
    """Return headers and body of a notice. The body is the same at every try; the signature is new at each."""
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
        "Squarefield-Signature": signature(secrets, body, int(now.timestamp())),
    }, body


def signature(secrets: Sequence[str], body: bytes, timestamp: int) -> str:
    """Return `t=<Unix time>,v1=<hex>`: HMAC-SHA256 with the whole secret over the time, a full stop, and the body.

    It has one `v1` per secret, as there are two while a new one takes over. A receiver computes the same over the raw
    body, compares it with each in constant time, and rejects messages that are minutes old.
    """
    signed = b"%d.%s" % (timestamp, body)
    digests = [hmac.new(secret.encode(), signed, sha256).hexdigest() for secret in secrets]
    return ",".join([f"t={timestamp}", *(f"v1={digest}" for digest in digests)])
