"""A small disk for the workers, which is full at times."""

import os
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.faults.course import Course

_MEGABYTES = 96


def with_a_small_disk(course: Course) -> None:
    """Start the site with workers whose temporary files are on a small disk."""
    place = course.backend.root / "small"
    if os.geteuid() != 0:
        pytest.skip("needs root to mount a small disk")
    place.mkdir()
    course.site.undo.callback(place.rmdir)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={_MEGABYTES}m,mode=711", "tmpfs", str(place)], check=True)
    course.site.undo.callback(subprocess.run, ["umount", str(place)], check=True)
    course.site.start("coordinator")
    for _ in range(2):
        course.site.start("worker", "--concurrency", "2", environment={"TMPDIR": str(place)})


def fill(course: Course) -> None:
    """Fill the disk completely for a while. The first time, and every second time, also delete the bots' files."""
    place = course.backend.root / "small"
    file = place / "hoard"
    _hoard(file)
    if len(course.struck) % 2 == 0:
        for bot in place.glob("squarefield-0/builds/*/bot/main.sh"):
            bot.unlink()
        _hoard(file)
    time.sleep(15)
    file.unlink()


def _hoard(file: Path) -> None:
    """Take all the remaining space."""
    with file.open("ab", buffering=0) as hoard, suppress(OSError):
        while True:
            hoard.write(b"x" * 4096)
