"""`manage.py worker`."""

import functools
import logging
import multiprocessing
import os
import socket
import warnings
from argparse import ArgumentParser
from typing import Any

from celery.platforms import SecurityWarning
from celery.signals import worker_process_init, worker_shutting_down
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from engines.rules.registry import RULESETS
from engines.sandbox import Sandbox, SandboxUnavailable
from engines.sandbox.staging.tools import tools_here, tools_line, versions_here
from tournaments.celery import app
from tournaments.models.leased import FULL_TIER
from tournaments.platform.messaging.queues import QUESTIONS_QUEUE, SUBMISSIONS_QUEUE, queue_of
from tournaments.platform.scratch import scratch
from tournaments.services.matches.workers import Declaration
from tournaments.worker import parent_death, worker
from tournaments.worker.consuming import intake_of
from tournaments.worker.presence import Presence
from tournaments.worker.statements import plan_once


class Command(BaseCommand):
    help = (
        "Answer questions, check submissions and play matches in sandboxes, one at a time in each process. SIGTERM "
        "finishes what is under way; a worker that is killed loses nothing: what it had is done again. To let one run "
        "empty and stay, use `drain`."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--concurrency", type=int, default=os.cpu_count(), metavar="N",
                            help="matches at once (default: one a core; more spoils the clocks); 1 without cgroups")
        parser.add_argument("--rulesets", metavar="A,B", default=",".join(RULESETS),
                            help=f"play only these (default: all, {','.join(RULESETS)})")

    def handle(self, *args: Any, **options: Any) -> None:
        rulesets = [slug.strip() for slug in options["rulesets"].split(",") if slug.strip()]
        unknown = [slug for slug in rulesets if slug not in RULESETS]
        if unknown or not rulesets:
            raise CommandError(f"There is no ruleset {', '.join(unknown) or 'named'}; there are {', '.join(RULESETS)}.")
        concurrency = options["concurrency"]
        if concurrency < 1:
            raise CommandError(f"A worker plays at least 1 match at once, not {concurrency}.")
        try:
            # Tried here, so that a machine that cannot sandbox says so at once and not in every match.
            with Sandbox.open(unsafe_local=settings.UNSAFE_LOCAL) as sandbox:
                self.stderr.write(f"Sandbox: {sandbox.tier} tier.")
                tools = tools_here()
                self.stderr.write(f"Tools for bots: {tools_line(tools)}.")
                if sandbox.tier != FULL_TIER:
                    self.stderr.write("Only bots that the site's staff uploaded are played here: "
                                      f"{sandbox.reason or 'the sandbox has not all its walls'}.")
                    if concurrency > 1:
                        # Without cgroups wall time is charged, and the wall's time is not to measure the neighbours.
                        self.stderr.write("Wall time is charged here, so matches are played one at a time.")
                        concurrency = 1
        except SandboxUnavailable as reason:
            raise CommandError(str(reason)) from None
        host = socket.gethostname()
        presence = Presence(Declaration(
            name=f"{host}:{os.getpid()}", host=host, tier=sandbox.tier, rulesets=rulesets, cores=os.cpu_count() or 1,
            concurrency=concurrency, software=settings.VERSION, tools=versions_here(tools)))
        presence.start()
        try:
            with scratch("worker") as directory:
                # Celery's processes share memory there, and would leave it behind when they are killed.
                multiprocessing.current_process()._config["tempdir"] = str(directory)  # noqa: SLF001 - no other way
                self._serve(presence, concurrency, rulesets)
        finally:
            presence.stop()

    @staticmethod
    def _serve(presence: Presence, concurrency: int, rulesets: list[str]) -> None:
        """Be a Celery worker until told to end."""
        # Only root can give each bot a user id of its own, so Celery's advice against it does not hold here.
        warnings.filterwarnings("ignore", category=SecurityWarning)
        for chatter in ("celery.worker.strategy", "celery.app.trace"):
            # A line when an id arrives and one when it is done; `tournaments.worker.worker` has one for each match.
            logging.getLogger(chatter).setLevel(logging.WARNING)
        # Celery's parent may be killed; its children must not play on as orphans.
        follow = functools.partial(parent_death.follow_parent, os.getpid())
        worker_process_init.connect(follow)
        # The processes that play inherit it.
        plan_once()
        belong = functools.partial(worker.belong_to, presence.declaration.name)
        worker_process_init.connect(belong)
        worker_shutting_down.connect(presence.leave)
        app.steps["consumer"].add(intake_of(presence))
        app.worker_main([
            "--quiet", "worker", "--pool", "prefork", "--concurrency", str(concurrency),
            "--queues", ",".join([QUESTIONS_QUEUE, SUBMISSIONS_QUEUE, *(queue_of(slug) for slug in rulesets)]),
            # Several workers may run on a machine, and remote control tells them apart by name.
            "--hostname", f"{settings.WORKER_NAME or f'worker-{os.getpid()}'}@%h",
            "--without-gossip", "--without-mingle", "--loglevel", "INFO",
        ])
