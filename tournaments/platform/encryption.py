"""Encryption at rest of secrets that the site must be able to read.

An attacker with the rows alone, from a dump or a reading role, cannot read them. Keys are derived from SECRET_KEY and
SECRET_KEY_FALLBACKS: the first encrypts, all of them decrypt. Secrets that are only compared, such as passwords, are
hashed instead.
"""

from base64 import urlsafe_b64encode
from typing import Final

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.utils.crypto import salted_hmac

_SALT: Final = "tournaments.platform.encryption"


class Unsealable(ValueError):
    """The secret was encrypted with a key that is no longer in the settings, or was modified."""


def encrypt(text: str) -> str:
    """Return the text encrypted with the newest key; the result differs each time."""
    return _keys().encrypt(text.encode()).decode("ascii")


def unseal(sealed: str) -> str:
    """Return the decrypted text. Raises Unsealable."""
    try:
        return _keys().decrypt(sealed.encode()).decode()
    except InvalidToken:
        raise Unsealable(Unsealable.__doc__) from None


def reseal(sealed: str) -> str:
    """Return the secret, encrypted again with the newest key. Raises Unsealable."""
    return encrypt(unseal(sealed))


def _keys() -> MultiFernet:
    return MultiFernet([_key(secret) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def _key(secret: str) -> Fernet:
    return Fernet(urlsafe_b64encode(salted_hmac(_SALT, "secrets at rest", secret=secret, algorithm="sha256").digest()))
