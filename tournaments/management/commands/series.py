"""`manage.py series`."""

from argparse import ArgumentParser
from typing import Any, Final

from django.core.management.base import CommandError
from django.utils import timezone

from tournaments.management.base import ServiceCommand
from tournaments.models import Series
from tournaments.selectors.ladders.waiting import Waits
from tournaments.services.events.series import end_series, pause_series, resume_series

VERBS: Final = {"pause": pause_series, "resume": resume_series, "end": end_series}


class Command(ServiceCommand):
    help = "Pause, resume or end a series of events; without a verb, list all series."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("verb", nargs="?", choices=list(VERBS), help="action")
        parser.add_argument("series", nargs="?", help="slug of the series")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["verb"] is None:
            every = list(Series.objects.order_by("slug"))
            waits = Waits(timezone.now()).of_series(every)
            for series in every:
                self.stdout.write(" ".join([_line(series), *(f"- {wait.text}" for wait in waits[series.pk])]))
            return
        slug = options["series"] or ""
        series = Series.objects.filter(slug=slug).first()
        if series is None:
            raise CommandError(f"There is no series {slug!r}. Run the command without arguments to list all series.")
        self.stdout.write(_line(VERBS[options["verb"]](series=series, now=timezone.now())))


def _line(series: Series) -> str:
    state = "ended" if series.next_run_at is None else "active" if series.active else "paused"
    return f"{series.slug}: {series.cron} ({series.time_zone}), {state}"
