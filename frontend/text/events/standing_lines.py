"""An event's standings as formatted text, so that the template has nothing to compute.

A page has up to two hundred lines and is redrawn after every match. Attribute lookups, filters and conditions in the
template, repeated for every line, would take most of that time.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from django.template.defaultfilters import truncatechars
from django.urls import reverse
from django.utils.safestring import mark_safe
from django.utils.translation import gettext, gettext_lazy

from frontend.text.wording import decimal, percent
from ratings.models import Rating
from tournaments.formats.gauntlet import OTHERS, RUNNERS
from tournaments.formats.registry import find
from tournaments.models import Event
from tournaments.models.lifecycle import EventStatus
from tournaments.platform.text import visible
from tournaments.scoring.standings import Row
from tournaments.selectors.events.tables import Standing, reason_of

OWNER_SHOWN = 24
# Number of cached URLs of bots and owners, which appear on many pages.
_ADDRESSES = 4096
_TABLES: Final = {RUNNERS: gettext_lazy("Runners"), OTHERS: gettext_lazy("The others")}


def standing_lines(event: Event, standings: Iterable[Standing]) -> list[dict[str, Any]]:
    """A line per entrant, with the keys that the template uses. Before the start, lines have no place and no score."""
    started, knockout = event.started_at is not None, find(event.format).is_bracket
    finished = event.status == EventStatus.FINISHED
    listed = list(standings)
    above = ["", *(standing.row.table for standing in listed)]
    return [{**_line(standing, started=started, knockout=knockout),
             "heading": _TABLES.get(standing.row.table, "") if standing.row.table != last else "",
             "state": _state(standing.row, finished=finished) if started and knockout else ""}
            for standing, last in zip(listed, above, strict=False)]


def _state(row: Row, *, finished: bool) -> str:
    """The state of an entrant of a knockout: "in", "out" or "champion"."""
    if row.eliminated:
        return "out"
    return "champion" if finished and row.worst_place in (None, row.place) else "in"


def _line(standing: Standing, *, started: bool, knockout: bool) -> dict[str, Any]:
    entry, bot, owner = standing.entry, standing.entry.bot, standing.entry.bot.owner.username
    version = f"v{entry.version.number}"
    if entry.runs_the_gauntlet:
        version = gettext("%(version)s, gauntlet runner") % {"version": version}
    if (reason := reason_of(entry)) is not None:
        version = gettext("%(version)s, disqualified: %(reason)s") % {"version": version, "reason": visible(reason)}
    if standing.row.annulled:
        version = gettext("%(version)s, games not counted") % {"version": version}
    cells = [*(_scores(standing.row, knockout=knockout) if started else ()), _rating(standing.rating)]
    return {
        "id": str(entry.pk), "place": standing.row.places if started else "",
        "bot": bot.name, "bot_address": _address("bot", bot.slug),
        "version": version, "left_at": entry.left_at,
        "owner": truncatechars(owner, OWNER_SHOWN) if len(owner) > OWNER_SHOWN else owner,
        "owner_address": _address("person", owner),
        # Only numbers, so nothing needs escaping.
        "numbers": mark_safe("".join([f'<td class="n">{cell}</td>' for cell in cells])),  # noqa: S308
    }


def _scores(row: Row, *, knockout: bool) -> list[str]:
    """The cells of a line: points and share (except in knockouts), games, results, and the tie-breaks."""
    score = row.score
    cells = [str(score.games), f"{score.wins}–{score.draws}–{score.losses}"]
    if not knockout:
        share = percent(score.share)
        cells = [f"<strong>{_number(row.points, 1)}</strong>", share, *cells]
    return cells + [_number(value, 2) for value in row.tie_breaks]


def _rating(rating: Rating | None) -> str:
    if rating is None:
        return "–"
    return f'{rating.value:.0f} <small class="muted">± {rating.plus_minus:.0f}</small>'


def _number(value: float, places: int) -> str:
    """Format with that number of decimal places, or none if the value is whole."""
    return f"{value:.0f}" if value == int(value) else decimal(f"{value:.{places}f}")


@lru_cache(maxsize=_ADDRESSES)
def _address(name: str, slug: str) -> str:
    return reverse(name, args=[slug])
