"""Wrong clocks: a small library shifts the time of day that a process sees, but not its monotonic clock."""

import shutil
import subprocess
import time
from pathlib import Path

import pytest
from django.db import connection

from tests.faults.course import Course
from tournaments.setup.bootstrap.children import Child

STEPS = (3600, -3600, 40, -40, 86_400, 0)


def shifted(course: Course, name: str) -> dict[str, str]:
    """Return the environment for a process whose clock `turn` can shift."""
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("needs gcc to build a clock that can be shifted")
    library = course.backend.root / "clock.so"
    source = Path(__file__).with_name("clock.c")
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    file = course.backend.root / f"clock-{name}"
    file.write_text("0")
    return {"LD_PRELOAD": str(library), "SHIFTED_CLOCK": str(file)}


def turn(course: Course, name: str) -> None:
    """Shift the clock forward or back, and leave it so for a few seconds."""
    seconds = STEPS[(len(course.struck) + course.dice.randrange(2) * 2) % len(STEPS)]
    (course.backend.root / f"clock-{name}").write_text(str(seconds))
    time.sleep(3)


def with_a_wrong_worker(course: Course) -> None:
    """Start the site with one worker whose clock can be shifted."""
    course.site.start("coordinator")
    course.site.start("worker", "--concurrency", "2")
    course.site.start("worker", "--concurrency", "2", environment=shifted(course, "worker"))


def with_a_wrong_coordinator(course: Course) -> None:
    """Start the site with two coordinators, one of which has a clock that can be shifted."""
    course.start_as_usual()
    course.site.start("coordinator", environment=shifted(course, "coordinator"))


def with_one_clock(course: Course) -> None:
    """Start the site on a machine whose clock can be shifted, including PostgreSQL's."""
    clock = shifted(course, "machine")
    postgres = course.backend.postgres
    course.site.undo.callback(_restart, postgres.child, None, course)
    _restart(postgres.child, {**course.site.environment, **clock}, course)
    course.site.environment |= clock
    course.start_as_usual()


def _restart(child: Child, environment: dict[str, str] | None, course: Course) -> None:
    connection.close()
    course.backend.postgres.stop()
    child.env = environment
    course.backend.postgres.start()
