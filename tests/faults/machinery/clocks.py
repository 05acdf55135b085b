"""Clocks that are wrong: a small library shifts the time of day that a process is told, not its stop-watch."""

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
    """The environment of a process with a clock that `turn` can turn."""
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("needs gcc to make a clock that can be turned")
    library = course.ground.root / "clock.so"
    source = Path(__file__).with_name("clock.c")
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    file = course.ground.root / f"clock-{name}"
    file.write_text("0")
    return {"LD_PRELOAD": str(library), "SHIFTED_CLOCK": str(file)}


def turn(course: Course, name: str) -> None:
    """Set the clock forward or back, and leave it so for a while."""
    seconds = STEPS[(len(course.struck) + course.dice.randrange(2) * 2) % len(STEPS)]
    (course.ground.root / f"clock-{name}").write_text(str(seconds))
    time.sleep(3)


def with_a_wrong_worker(course: Course) -> None:
    """Start the site with one worker whose clock can be turned."""
    course.site.start("coordinator")
    course.site.start("worker", "--concurrency", "2")
    course.site.start("worker", "--concurrency", "2", environment=shifted(course, "worker"))


def with_a_wrong_coordinator(course: Course) -> None:
    """Start the site with a coordinator whose clock can be turned, beside one whose clock is right."""
    course.start_as_usual()
    course.site.start("coordinator", environment=shifted(course, "coordinator"))


def with_one_clock(course: Course) -> None:
    """Start the site on a machine whose clock can be turned: PostgreSQL's with it."""
    clock = shifted(course, "machine")
    postgres = course.ground.postgres
    course.site.undo.callback(_restart, postgres.child, None, course)
    _restart(postgres.child, {**course.site.environment, **clock}, course)
    course.site.environment |= clock
    course.start_as_usual()


def _restart(child: Child, environment: dict[str, str] | None, course: Course) -> None:
    connection.close()
    course.ground.postgres.stop()
    child.env = environment
    course.ground.postgres.start()
