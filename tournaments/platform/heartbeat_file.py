"""A file whose age shows whether a process works: container engines test it without starting Python."""

from pathlib import Path

from django.conf import settings


def beat() -> None:
    """Set the file's time to now, if the installation has such a file (SQUAREFIELD_HEARTBEAT_FILE)."""
    if settings.HEARTBEAT_FILE:
        Path(settings.HEARTBEAT_FILE).touch()
