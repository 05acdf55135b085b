"""`manage.py web`."""

import functools
import logging
import os
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand
from granian import Granian
from granian.constants import Interfaces

from tournaments.operations.downloads import directory
from tournaments.platform import watchdog
from tournaments.platform.scratch import scratch
from tournaments.setup.packaging.release import build_release
from tournaments.web.connection_pool import THREADS, share_connections
from tournaments.worker.parent_death import follow_parent

log = logging.getLogger(__name__)
# Open connections per process. Most are idle: a browser holds one or more for half a minute. Further ones must wait.
MOST_OPEN = 8192


class Command(BaseCommand):
    help = "Serve the site: pages, API, admin and static files."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on (default 8000)")
        parser.add_argument("--processes", type=int, default=min(2, os.cpu_count() or 1),
                            help="number of server processes (default: 2, or 1 on a single core)")

    def execute(self, *args: Any, **options: Any) -> Any:
        # The server processes store their metrics here, so that any of them can report for all. prometheus_client reads
        # the variable when it is imported, and the checks before `handle` import the site.
        with scratch("metrics") as directory:
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(directory)
            return super().execute(*args, **options)

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("collectstatic", interactive=False, verbosity=0)
        if not settings.DOWNLOADS:
            build_downloads()
        watchdog.start(watchdog.children)
        Granian(
            "tournaments.wsgi:application", address=options["host"], port=options["port"], interface=Interfaces.WSGI,
            workers=options["processes"], respawn_failed_workers=True, backlog=MOST_OPEN, backpressure=MOST_OPEN,
            blocking_threads=THREADS,
        ).serve(target_loader=functools.partial(_load, os.getpid()))


def build_downloads() -> None:
    """Build the release of this code for `/downloads/`. A site that cannot build it runs without."""
    try:
        build_release(directory())
    except (OSError, ValueError) as reason:
        log.warning("the files for /downloads/ could not be built: %s", reason)


def _load(parent: int, _target: str) -> Any:
    """Load the application in a server process, which must not outlive the process that started it."""
    follow_parent(parent)
    watchdog.start(lambda: [parent])
    share_connections()
    from tournaments.wsgi import application

    return application
