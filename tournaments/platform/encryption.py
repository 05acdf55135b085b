"""Secrets that the site has to read again, sealed before they go into the database.

Whoever has the rows alone, from a dump or by a role that may read them, has nothing. Keys are derived from SECRET_KEY
and SECRET_KEY_FALLBACKS: the first seals, and each of them opens. What is only compared, like a password, is hashed.
"""

from base64 import urlsafe_b64encode
from typing import Final

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.utils.crypto import salted_hmac

_SALT: Final = "tournaments.platform.encryption"


class Unsealable(ValueError):
    """It was sealed with a key that is not among those of the settings any more, or was changed since."""


def encrypt(text: str) -> str:
    """The text, sealed with the newest key; another one each time."""
    return _keys().encrypt(text.encode()).decode("ascii")


def unseal(sealed: str) -> str:
    """The text again. Raises Unsealable."""
    try:
        return _keys().decrypt(sealed.encode()).decode()
    except InvalidToken:
        raise Unsealable(Unsealable.__doc__) from None


def reseal(sealed: str) -> str:
    """The same secret, sealed with the newest key. Raises Unsealable."""
    return encrypt(unseal(sealed))


def _keys() -> MultiFernet:
    return MultiFernet([_key(secret) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def _key(secret: str) -> Fernet:
    return Fernet(urlsafe_b64encode(salted_hmac(_SALT, "secrets at rest", secret=secret, algorithm="sha256").digest()))
