"""Secrets of a site that runs on the embedded services, made on first use."""

import contextlib
import os
import secrets
from collections.abc import Callable
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def secret_key_of(directory: Path, *, embedded: bool) -> str:
    """Return the key stored in `directory`. It is created on first use and readable only by its owner.

    Raises ImproperlyConfigured if the installation is not embedded, because several machines need the same key.
    """
    if not embedded:
        raise ImproperlyConfigured("Set SQUAREFIELD_SECRET_KEY to a long random string, the same on every machine.")
    return _stored(directory / "secret-key", lambda: secrets.token_urlsafe(48))


def push_key_of(directory: Path, *, embedded: bool) -> str:
    """Return the key for push messages stored in `directory`; empty if keys are not to be generated.

    Any 32 random bytes are a private key, except for one in four thousand million: it need not be made by cryptography,
    which every process would have to load.
    """
    return _stored(directory / "push-key", lambda: secrets.token_urlsafe(32)) if embedded else ""


def _stored(file: Path, make: Callable[[], str]) -> str:
    if not file.exists():
        try:
            _write(file, make())
        except OSError as error:
            raise ImproperlyConfigured(f"Cannot write to {file.parent} ({error.strerror}). Make it writable, or set "
                                       "SQUAREFIELD_VAR to another directory.") from None
    return file.read_text()


def _write(file: Path, key: str) -> None:
    """Write a new key. If several processes start at once, all of them use the first key."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = file.with_name(f"{file.name}.{os.getpid()}")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as output:
        output.write(key)
    with contextlib.suppress(FileExistsError):
        os.link(fresh, file)
    fresh.unlink()
