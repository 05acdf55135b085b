"""The secret key of a site that runs on the embedded default."""

import contextlib
import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def secret_key_of(directory: Path, *, embedded: bool) -> str:
    """The key kept in `directory`, made on first use, readable by its owner alone.

    Raises ImproperlyConfigured for an installation that is not the embedded one: several machines need one key.
    """
    if not embedded:
        raise ImproperlyConfigured("Set SQUAREFIELD_SECRET_KEY to a long random string, the same on every machine.")
    file = directory / "secret-key"
    if not file.exists():
        try:
            _make(file)
        except OSError as error:
            raise ImproperlyConfigured(f"{directory} cannot be written ({error.strerror}). Make it writable, or name "
                                       "another place in SQUAREFIELD_VAR.") from None
    return file.read_text()


def _make(file: Path) -> None:
    """Write a new key; of several first starts at once, one key wins for all."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = file.with_name(f"{file.name}.{os.getpid()}")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as output:
        output.write(secrets.token_urlsafe(48))
    with contextlib.suppress(FileExistsError):
        os.link(fresh, file)
    fresh.unlink()
