"""Secret key of a site that runs on the embedded services."""

import contextlib
import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def secret_key_of(directory: Path, *, embedded: bool) -> str:
    """Return the key stored in `directory`. It is created on first use and readable only by its owner.

    Raises ImproperlyConfigured if the installation is not embedded, because several machines need the same key.
    """
    if not embedded:
        raise ImproperlyConfigured("Set SQUAREFIELD_SECRET_KEY to a long random string, the same on every machine.")
    file = directory / "secret-key"
    if not file.exists():
        try:
            _make(file)
        except OSError as error:
            raise ImproperlyConfigured(f"Cannot write to {directory} ({error.strerror}). Make it writable, or set "
                                       "SQUAREFIELD_VAR to another directory.") from None
    return file.read_text()


def _make(file: Path) -> None:
    """Write a new key. If several processes start at once, all of them use the first key."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = file.with_name(f"{file.name}.{os.getpid()}")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as output:
        output.write(secrets.token_urlsafe(48))
    with contextlib.suppress(FileExistsError):
        os.link(fresh, file)
    fresh.unlink()
