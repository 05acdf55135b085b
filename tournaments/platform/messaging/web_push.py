"""Web push: encryption of a message for a browser (RFC 8291, RFC 8188) and the site's signed identity (RFC 8292)."""

import json
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime, timedelta
from typing import Final

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

# Push services need not accept bodies of more than 4096 bytes (RFC 8030, section 7.2). One record holds the message.
RECORD_BYTES: Final = 4096
LONGEST_MESSAGE: Final = 3000
AUTH_BYTES: Final = 16
# RFC 8292, section 2: at most 24 hours.
_VALID: Final = timedelta(hours=12)
_CURVE: Final = ec.SECP256R1()


def make_key() -> str:
    """Return a new private key: 32 bytes as base64url."""
    return text_of(ec.generate_private_key(_CURVE).private_numbers().private_value.to_bytes(32, "big"))


def private_key(text: str) -> ec.EllipticCurvePrivateKey:
    """Return the key that `make_key` has written. Raises ValueError."""
    raw = bytes_of(text)
    if len(raw) != 32:
        raise ValueError(f"a private key has 32 bytes, not {len(raw)}")
    return ec.derive_private_key(int.from_bytes(raw, "big"), _CURVE)


def public_key(point: bytes) -> ec.EllipticCurvePublicKey:
    """Return the key with this uncompressed point. Raises ValueError."""
    return ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, point)


def point_of(key: ec.EllipticCurvePrivateKey) -> bytes:
    """Return the public half of the key as an uncompressed point."""
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def encrypt(message: bytes, *, receiver: bytes, auth: bytes, sender: ec.EllipticCurvePrivateKey | None = None,
            salt: bytes | None = None) -> bytes:
    """Return the body of a push message, encoded as aes128gcm; `receiver` and `auth` are the browser's keys.

    `sender` and `salt` are random for every message, except in tests. Raises ValueError.
    """
    if len(message) > LONGEST_MESSAGE:
        raise ValueError(f"a message has at most {LONGEST_MESSAGE} bytes, not {len(message)}")
    sender, salt = sender or ec.generate_private_key(_CURVE), salt or os.urandom(16)
    ours = point_of(sender)
    shared = sender.exchange(ec.ECDH(), public_key(receiver))
    # RFC 8291, section 3.4.
    secret = _derived(shared, auth, b"WebPush: info\0" + receiver + ours, 32)
    # RFC 8188, section 2.
    key = _derived(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derived(secret, salt, b"Content-Encoding: nonce\0", 12)
    head = salt + RECORD_BYTES.to_bytes(4, "big") + bytes([len(ours)]) + ours
    return head + AESGCM(key).encrypt(nonce, message + b"\2", None)


def authorization(key: ec.EllipticCurvePrivateKey, *, audience: str, contact: str, now: datetime) -> str:
    """Return the header by which a push service recognises the site; `audience` is the service's origin."""
    claims = {"aud": audience, "exp": int((now + _VALID).timestamp()), "sub": contact}
    signed = ".".join(text_of(json.dumps(part, separators=(",", ":")).encode())
                      for part in ({"typ": "JWT", "alg": "ES256"}, claims))
    numbers = decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
    signature = b"".join(number.to_bytes(32, "big") for number in numbers)
    return f"vapid t={signed}.{text_of(signature)}, k={text_of(point_of(key))}"


def text_of(raw: bytes) -> str:
    """Return the bytes as base64url without padding."""
    return urlsafe_b64encode(raw).decode().rstrip("=")


def bytes_of(text: str) -> bytes:
    """Return the bytes of base64url with or without padding. Raises ValueError."""
    return urlsafe_b64decode(text.rstrip("=").encode("ascii") + b"=" * (-len(text.rstrip("=")) % 4))


def _derived(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(hashes.SHA256(), length, salt, info).derive(secret)
