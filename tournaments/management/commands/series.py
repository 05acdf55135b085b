"""`manage.py series`."""

from argparse import ArgumentParser
from collections.abc import Callable
from functools import partial
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from tournaments.management.base import ServiceCommand, add_verb, ladder_named
from tournaments.management.formats import add_event_arguments, facts_of
from tournaments.models import Series
from tournaments.selectors.ladders.waiting import Waits
from tournaments.services.events.series import create_series, end_series, pause_series, resume_series


class Command(ServiceCommand):
    help = "Create, pause, resume or end a series of events; without a verb, list all series."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.set_defaults(run=self._list)
        verbs = parser.add_subparsers(metavar="VERB", title="verbs")
        create = add_verb(verbs, self._create, "create", "create a series, announce its first event, and print the "
                                                         "slug of the series")
        create.add_argument("ladder", help="slug of the ladder")
        create.add_argument("cron",
                            help="start times: minute, hour, day of month, month, day of week, such as '0 18 * * FRI'")
        create.add_argument("--name", required=True, help="display name, to which each event adds its date")
        create.add_argument("--time-zone", default="UTC",
                            help="time zone of the start times, such as Europe/Berlin (default: UTC)")
        create.add_argument("--enter-ladder", action="store_true", help="enter every active bot of the ladder")
        create.add_argument("--division-size", type=int, help="bots of each division of a league (default: no league)")
        create.add_argument("--division-moves", type=int,
                            help="bots that move up, and down, between two divisions after each season")
        add_event_arguments(create, starts_at="time before which no event starts (default: now)")
        for verb, name, does in ((pause_series, "pause", "announce no more events until the series is resumed"),
                                 (resume_series, "resume", "announce events again, from the next start time on"),
                                 (end_series, "end", "announce no more events; this cannot be undone")):
            add_verb(verbs, partial(self._change, verb), name, does).add_argument("series", help="slug of the series")
        add_verb(verbs, self._list, "list", "list all series")

    def handle(self, *args: Any, **options: Any) -> None:
        options["run"](options)

    def _create(self, options: Any) -> None:
        shared = {name: options[name] for name in ("name", "cron", "time_zone", "enter_ladder", "division_size",
                                                   "division_moves")}
        series = create_series(ladder=ladder_named(options["ladder"]), now=timezone.now(), **shared,
                               **facts_of(options))
        self.stdout.write(series.slug)

    def _change(self, verb: Callable[..., Series], options: Any) -> None:
        series = Series.objects.filter(slug=options["series"]).first()
        if series is None:
            raise CommandError(f"There is no series {options['series']!r}. `manage.py series` lists all series.")
        self.stdout.write(_line(verb(series=series, now=timezone.now())))

    def _list(self, options: Any) -> None:
        every = list(Series.objects.order_by("slug"))
        waits = Waits(timezone.now()).of_series(every)
        for series in every:
            self.stdout.write(" ".join([_line(series), *(f"- {wait.text}" for wait in waits[series.pk])]))


def _line(series: Series) -> str:
    state = "ended" if series.next_run_at is None else "active" if series.active else "paused"
    return f"{series.slug}: {series.cron} ({series.time_zone}), {state}"
