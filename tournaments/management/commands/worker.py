"""`manage.py worker`."""

import os
from argparse import ArgumentParser
from typing import Any

from celery.signals import worker_process_init
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from engines.registry import RULESETS
from engines.sandbox import Sandbox, SandboxUnavailable
from tournaments import parent_death
from tournaments.celery import app, queue_of


class Command(BaseCommand):
    help = (
        "Play matches in sandboxes, one at a time in each process. SIGTERM finishes the matches under way; a worker "
        "that is killed loses nothing: its matches are played again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--concurrency", type=int, default=os.cpu_count(), metavar="N",
                            help="matches at once (default: one a core; more spoils the clocks)")
        parser.add_argument("--rulesets", metavar="A,B", default=",".join(RULESETS),
                            help=f"play only these (default: all, {','.join(RULESETS)})")

    def handle(self, *args: Any, **options: Any) -> None:
        rulesets = [slug.strip() for slug in options["rulesets"].split(",") if slug.strip()]
        unknown = [slug for slug in rulesets if slug not in RULESETS]
        if unknown or not rulesets:
            raise CommandError(f"There is no ruleset {', '.join(unknown) or 'named'}; there are {', '.join(RULESETS)}.")
        if options["concurrency"] < 1:
            raise CommandError(f"A worker plays at least 1 match at once, not {options['concurrency']}.")
        try:
            # Tried here, so that a machine that cannot sandbox says so at once and not in every match.
            with Sandbox.open(unsafe_local=settings.UNSAFE_LOCAL) as sandbox:
                self.stderr.write(f"Sandbox: {sandbox.tier} tier.")
        except SandboxUnavailable as reason:
            raise CommandError(str(reason)) from None
        # Celery's parent may be killed; its children must not play on as orphans.
        worker_process_init.connect(parent_death.follow_parent)
        app.worker_main([
            "worker", "--pool", "prefork", "--concurrency", str(options["concurrency"]),
            "--queues", ",".join(queue_of(slug) for slug in rulesets),
            "--without-gossip", "--without-mingle", "--loglevel", "INFO",
        ])
