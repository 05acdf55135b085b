"""Terminal output of the demo: the progress of the events, then their tables."""

import time
from collections.abc import Callable, Sequence

from django.utils import timezone
from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.table import Table

from tournaments.models import Event
from tournaments.models.lifecycle import EventStatus
from tournaments.scoring.standings import Score
from tournaments.selectors.events import events as reads

ENDED = (EventStatus.FINISHED, EventStatus.CANCELLED)
_SECONDS_BETWEEN_LOOKS = 0.5
_SECONDS_BETWEEN_LINES = 5.0


def watch(console: Console, events: Sequence[Event], check: Callable[[], None]) -> None:
    """Show progress until every event has ended. `check` is called at each update and may raise."""
    if console.is_terminal:
        _watch_live(console, events, check)
    else:
        _watch_lines(console, events, check)


def _watch_live(console: Console, events: Sequence[Event], check: Callable[[], None]) -> None:
    with Live(_table(events), console=console, auto_refresh=False) as live:
        while not _over(events):
            check()
            time.sleep(_SECONDS_BETWEEN_LOOKS)
            live.update(_table(events), refresh=True)


def _watch_lines(console: Console, events: Sequence[Event], check: Callable[[], None]) -> None:
    """Print a line every few seconds, for logs."""
    said = 0.0
    while not (over := _over(events)) or said == 0.0:
        check()
        if time.monotonic() - said >= _SECONDS_BETWEEN_LINES:
            console.print(_line(events))
            said = time.monotonic()
        if not over:
            time.sleep(_SECONDS_BETWEEN_LOOKS)
    console.print(_line(events))


def _over(events: Sequence[Event]) -> bool:
    for event in events:
        event.refresh_from_db(fields=["status", "started_at", "ended_at"])
    return all(event.status in ENDED for event in events)


def _table(events: Sequence[Event]) -> Table:
    table = Table(box=None, header_style="dim")
    for column, justify in (("event", "left"), ("", "left"), ("games", "right"), ("rate", "right"), ("left", "right")):
        table.add_column(column, justify=justify)
    for event in events:
        progress = reads.progress(event, timezone.now())
        bar = ProgressBar(total=1, completed=progress.share, width=28)
        games = f"{progress.games_done}/{progress.games_total}{'+' if progress.at_least else ''}"
        rate = f"{progress.games_per_minute:.0f}/min" if progress.games_per_minute else ""
        left = _duration(progress.seconds_left) if progress.seconds_left is not None else ""
        if event.status in ENDED:
            rate, left = "", event.status
        table.add_row(escape(event.name), bar, games, rate, left)
    return table


def _line(events: Sequence[Event]) -> str:
    now = timezone.now()
    all_progress = [reads.progress(event, now) for event in events]
    done = sum(progress.games_done for progress in all_progress)
    total = sum(progress.games_total for progress in all_progress)
    rate = sum(progress.games_per_minute or 0 for progress in all_progress)
    ended = sum(event.status in ENDED for event in events)
    left = f", about {_duration((total - done) / rate * 60)} left" if rate and done < total else ""
    if not total:
        return f"{len(events)} events are about to start"
    return f"{done} of {total} games, {ended} of {len(events)} events ended, {rate:.0f} games per minute{left}"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def print_tables(console: Console, event: Event) -> None:
    """Print the event's standings and crosstable in one table."""
    rows = reads.crosstable(event)
    table = Table(title=f"{escape(event.name)} – {escape(event.ladder.name)}", title_justify="left", box=None,
                  header_style="dim")
    table.add_column("#", justify="right")
    table.add_column("bot")
    for heading in ("points", "games", "rating"):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_column(escape(row.standing.entry.bot.name), justify="right")
    for row in rows:
        line, rating = row.standing, row.standing.rating
        table.add_row(str(line.row.place), escape(str(line.entry.version)), f"{line.row.score.points:g}",
                      str(line.row.score.games), f"{rating.value:.0f}" if rating else "–",
                      *(_cell(cell.score) for cell in row.cells))
    console.print(table)
    console.print()


def _cell(score: Score | None) -> str:
    if score is None:
        return "·"
    return f"{score.wins}–{score.draws}–{score.losses}" if score.draws else f"{score.wins}–{score.losses}"
