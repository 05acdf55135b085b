"""Drawn pictures in the site's cache. Their number is limited, and so is the memory that they take.

A picture has one of SLOTS places, by its key; the next picture for that place replaces it. So the cache holds at most
SLOTS pictures of at most MOST_BYTES, which needs no list of them.
"""

from typing import Final

from django.core.cache import cache

SLOTS: Final = 128
MOST_BYTES: Final = 300_000
_SECONDS: Final = 7 * 86_400


def kept(key: str) -> bytes | None:
    """The picture with this key, a hash in hexadecimal digits."""
    known, picture = cache.get(_slot(key)) or ("", None)
    return picture if known == key else None


def keep(key: str, picture: bytes) -> None:
    """Store the picture, unless it is too large."""
    if len(picture) <= MOST_BYTES:
        cache.set(_slot(key), (key, picture), _SECONDS)


def _slot(key: str) -> str:
    return f"picture-{int(key[:8], 16) % SLOTS}"
