"""`manage.py web`."""

import functools
import os
import tempfile
from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand
from granian import Granian
from granian.constants import Interfaces

from tournaments.playing.parent_death import follow_parent

# Each keeps a connection to the database.
THREADS = 8


class Command(BaseCommand):
    help = "Serve the site: pages, API and admin, with their styles and scripts."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on (default 8000)")
        parser.add_argument("--processes", type=int, default=min(2, os.cpu_count() or 1),
                            help="processes that serve (default: 2, or 1 on a single core)")

    def execute(self, *args: Any, **options: Any) -> Any:
        # Where the serving processes keep what they measure, so that any of them can answer for all. prometheus_client
        # looks for it when it is imported, and the checks before `handle` import the site.
        with tempfile.TemporaryDirectory(prefix="squarefield-metrics-") as directory:
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = directory
            return super().execute(*args, **options)

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("collectstatic", interactive=False, verbosity=0)
        Granian(
            "tournaments.wsgi:application", address=options["host"], port=options["port"], interface=Interfaces.WSGI,
            workers=options["processes"], blocking_threads=THREADS, respawn_failed_workers=True,
        ).serve(target_loader=functools.partial(_load, os.getpid()))


def _load(parent: int, _target: str) -> Any:
    """The application, in a serving process that must not outlive the one that started it."""
    follow_parent(parent)
    from tournaments.wsgi import application

    return application
