"""`manage.py coordinator`."""

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand

from tournaments.coordinator import loop
from tournaments.platform import watchdog
from tournaments.services.notices.sender import NoticeSender


class Command(BaseCommand):
    help = (
        "Start scheduled events, enqueue work for workers, requeue the work of lost workers, rate finished rounds, and "
        "send notices. Several may run at a time; stop one with SIGTERM or Ctrl-C."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        sender = NoticeSender(stop)
        watchdog.start()
        sender.start()
        with watchdog.watched("the coordinator's loop"):
            loop.run(stop, sender=sender)
        sender.join()
