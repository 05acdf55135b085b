"""`manage.py worker`."""

import functools
import logging
import multiprocessing
import os
import socket
import warnings
from argparse import ArgumentParser
from typing import Any, Final

from celery.platforms import SecurityWarning
from celery.signals import worker_before_create_process, worker_process_init, worker_shutting_down
from celery.utils.nodenames import host_format
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from engines.rules.registry import RULESETS
from engines.sandbox.staging.tools import tools_here, tools_line, versions_here
from tournaments.celery import app
from tournaments.platform import watchdog
from tournaments.platform.messaging.queues import ANALYSES_QUEUE, QUESTIONS_QUEUE, SUBMISSIONS_QUEUE, queue_of
from tournaments.platform.scratch import scratch
from tournaments.services.matches.workers import Declaration
from tournaments.worker import parent_death, worker
from tournaments.worker.consuming import intake_of
from tournaments.worker.database import match_server, place
from tournaments.worker.database.lease_keeper import lease_keeper
from tournaments.worker.database.plans import plan_once
from tournaments.worker.presence import Presence
from tournaments.worker.start import memory
from tournaments.worker.start.errors import CannotWork
from tournaments.worker.start.isolation import MOST_AT_A_TIME, intention, matches_at_a_time, open_sandbox
from tournaments.worker.start.servers import check_broker, check_database
from tournaments.worker.start.stores import check_disk, check_storage

_INTAKE: Final = "the intake of messages"


class Command(BaseCommand):
    # As CELERY_SKIP_CHECKS below.
    requires_system_checks = ()
    help = (
        "Answer questions, check submissions, play matches and analyse games in sandboxes, one at a time in each "
        "process. On SIGTERM, the worker finishes its work and stops. If it is killed, nothing is lost: its work is "
        "retried. To stop a worker from taking new work without stopping it, use `drain`."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--concurrency", type=int, default=min(os.cpu_count() or 1, MOST_AT_A_TIME),
                            metavar="N", help=f"matches at a time (default: one per core, at most {MOST_AT_A_TIME}; "
                                              "more distorts clocks); 1 without cgroups")
        parser.add_argument("--rulesets", metavar="A,B", default=",".join(RULESETS),
                            help=f"rulesets to play (default: all, {','.join(RULESETS)})")

    def handle(self, *args: Any, **options: Any) -> None:
        rulesets = [slug.strip() for slug in options["rulesets"].split(",") if slug.strip()]
        unknown = [slug for slug in rulesets if slug not in RULESETS]
        if unknown or not rulesets:
            problem = f"Unknown rulesets: {', '.join(unknown)}" if unknown else "No ruleset given"
            raise CommandError(f"{problem}. Choose from {', '.join(RULESETS)}.")
        concurrency = options["concurrency"]
        if concurrency < 1:
            raise CommandError(f"--concurrency must be at least 1, not {concurrency}.")
        try:
            # Tested here, so that a machine that cannot sandbox fails now and not in every match.
            with open_sandbox() as sandbox:
                concurrency = matches_at_a_time(sandbox, concurrency)
                check_disk(sandbox)
                check_database()
                check_broker()
                check_storage()
                tools = tools_here()
                self.stderr.write(f"Tools for bots: {tools_line(tools)}.")
        except CannotWork as reason:
            raise CommandError(str(reason)) from None
        self.stderr.write(intention(sandbox, rulesets, concurrency))
        host = socket.gethostname()
        presence = Presence(Declaration(
            name=f"{host}:{os.getpid()}", host=host, tier=sandbox.tier, rulesets=rulesets, cores=os.cpu_count() or 1,
            concurrency=concurrency, software=settings.VERSION, tools=versions_here(tools)))
        place.limit()
        presence.start()
        try:
            with scratch("worker") as directory:
                # Celery's processes share memory in this directory, and would leave files behind if they were killed.
                multiprocessing.current_process()._config["tempdir"] = str(directory)  # noqa: SLF001 - no other way
                self._serve(presence, concurrency, rulesets)
        finally:
            presence.stop()

    @staticmethod
    def _serve(presence: Presence, concurrency: int, rulesets: list[str]) -> None:
        """Run a Celery worker until it is told to stop."""
        # Only root can give each bot its own user ID, so Celery's advice against running as root does not apply.
        warnings.filterwarnings("ignore", category=SecurityWarning)
        for chatter in ("celery.worker.strategy", "celery.app.trace"):
            # They log a line when an ID arrives and one when it is done; `tournaments.worker.worker` logs each match.
            logging.getLogger(chatter).setLevel(logging.WARNING)
        # If Celery's parent process is killed, its children must not keep playing as orphans.
        main = os.getpid()
        follow = functools.partial(parent_death.follow_parent, main)
        worker_process_init.connect(follow)
        # Each watches the other, because a process that is frozen cannot end itself.
        watchdog.start(watchdog.children)
        guard = functools.partial(_guard, main)
        worker_process_init.connect(guard)
        plan_once()
        # The child processes inherit the ways to both.
        lease_keeper()
        match_server.serve()
        belong = functools.partial(worker.belong_to, presence.declaration.name)
        worker_process_init.connect(belong)
        worker_shutting_down.connect(presence.leave)
        worker_shutting_down.connect(_rest)
        app.steps["consumer"].add(intake_of(presence))
        # They would load all pages and the API, which a worker never serves.
        os.environ["CELERY_SKIP_CHECKS"] = "1"
        worker_before_create_process.connect(memory.share)
        # Not the command `celery worker`, which loads what a terminal needs.
        node = app.Worker(
            pool_cls="prefork", concurrency=concurrency,
            queues=[QUESTIONS_QUEUE, SUBMISSIONS_QUEUE, *(queue_of(slug) for slug in rulesets), ANALYSES_QUEUE],
            # Several workers may run on one machine, and remote control identifies them by name.
            hostname=host_format(f"{settings.WORKER_NAME or f'worker-{os.getpid()}'}@%h"),
            without_gossip=True, without_mingle=True, without_heartbeat=True, loglevel="INFO", quiet=True)
        with watchdog.watched(_INTAKE):
            node.start()
        if node.exitcode:
            raise SystemExit(node.exitcode)


def _guard(main: int, **_: object) -> None:
    """Start the watchdog of a process that the main process has forked. Takes a Celery signal's arguments."""
    watchdog.start(lambda: [main])


def _rest(**_: object) -> None:
    """Let the main process wait for the matches in progress. Takes a Celery signal's arguments."""
    watchdog.rest(_INTAKE)
