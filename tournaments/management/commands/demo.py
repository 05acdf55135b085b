"""`manage.py demo`."""

import fcntl
import secrets
import shutil
import signal
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractUser
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from rich.console import Console

from engines.sandbox import Sandbox, SandboxUnavailable
from tournaments.models import Event, Match
from tournaments.models.lifecycle import MatchStatus
from tournaments.setup.bootstrap.children import ChildFailed
from tournaments.setup.bootstrap.packages import ensure_packages
from tournaments.setup.bootstrap.usage import DEMO_HELP, add_demo_arguments
from tournaments.setup.demo import plan, readiness, screen
from tournaments.setup.demo.site import HOST, CannotServe, check_port, running_site
from tournaments.setup.demo.upkeep import Upkeep

ORGANISER = "organiser"
# Files that --fresh keeps: the lock, which is held, and the key, which this process has already read.
STAYS = {"demo.lock", "secret-key"}


class Command(BaseCommand):
    help = DEMO_HELP

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_demo_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        console = Console(highlight=False, soft_wrap=True)
        # However the command ends, the child processes are stopped and the data stay consistent.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with ExitStack() as stack:
                check_port(options["port"])
                self._prepare_directory(stack, fresh=options["fresh"])
                self._prepare_sandbox(console)
                call_command("migrate", verbosity=0, interactive=False)
                self._run(console, options["port"], plan.SCALES[options["scale"]], options["workers"],
                          stay=not options["exit"])
        except (CannotServe, ChildFailed, SandboxUnavailable, readiness.NotReady) as reason:
            raise CommandError(str(reason)) from None
        except KeyboardInterrupt:
            console.print("Stopped. The data are kept: run the command again to continue.")

    def _prepare_directory(self, stack: ExitStack, *, fresh: bool) -> None:
        """Create var/, readable for this user only, and lock it against a second demo until the stack is closed."""
        var = settings.VAR_DIR
        elsewhere = "use another directory: SQUAREFIELD_VAR=/some/directory python3 manage.py demo"
        try:
            var.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = stack.enter_context((var / "demo.lock").open("w"))
        except OSError as error:
            raise CannotServe(f"Cannot write to {var} ({error.strerror}). Make it writable, or {elsewhere}") from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CannotServe(f"Another demo is using {var}. Stop it first, or {elsewhere}") from None
        if fresh:
            for path in var.iterdir():
                if path.name not in STAYS:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()

    def _prepare_sandbox(self, console: Console) -> None:
        """Install bubblewrap if necessary, and test the isolation. The workers will have the same result."""
        ensure_packages({"bubblewrap": "bwrap"})
        with Sandbox.open(unsafe_local=settings.UNSAFE_LOCAL) as sandbox:
            console.print(f"Sandbox: {sandbox.tier} tier")

    def _run(self, console: Console, port: int, scale: plan.Scale, workers: int, *, stay: bool) -> None:
        organiser, password = self._organiser()
        submissions = plan.enter_reference_bots(organiser, timezone.now())
        address = f"http://{HOST}:{port}/"
        with running_site(port, workers) as children:
            console.print(f"Site:    {address}")
            console.print(f"Admin:   {address}admin/ – username {ORGANISER}, password {password}\n")
            upkeep = Upkeep(children, console.print)
            versions = readiness.wait(console, submissions, upkeep.look)
            events = plan.schedule(scale, versions, organiser, timezone.now())
            screen.watch(console, events, upkeep.look)
            console.print()
            for event in events:
                screen.print_tables(console, event)
            self._report_void(console, events, fatal=not stay)
            if stay:
                plan.join_ladders(events, versions, organiser, timezone.now())
                console.print("The events are over; the bots now play on the ladders. The site is still running at "
                              f"{address} – press Ctrl-C to stop.")
                while True:
                    time.sleep(1)
                    upkeep.look()

    def _report_void(self, console: Console, events: Sequence[Event], *, fatal: bool) -> None:
        void = Match.objects.filter(event__in=events, status=MatchStatus.VOID).count()
        if not void:
            return
        report = (f"{void} match(es) stayed void after all attempts. The admin shows the reason for each attempt; "
                  f"the logs are in {settings.VAR_DIR / 'logs'}")
        if fatal:
            raise CommandError(report)
        console.print(report)

    def _organiser(self) -> tuple[AbstractUser, str]:
        """Return the demo's own organiser account and its password, which is generated for this database."""
        file: Path = settings.VAR_DIR / "organiser-password"
        users = get_user_model().objects
        organiser = users.filter(username=ORGANISER).first()
        if organiser is None or not file.exists():
            password = secrets.token_urlsafe(9)
            file.touch(mode=0o600)
            file.write_text(password)
            organiser = organiser or users.create_superuser(ORGANISER)
            organiser.set_password(password)
            organiser.save()
        return organiser, file.read_text()
