"""Render crosstables without a template: a hundred bots have ten thousand cells, which would take seconds."""

from collections.abc import Iterable

from django import template
from django.template.defaultfilters import truncatechars
from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from frontend.templatetags.squarefield import from_half, whole_percent
from frontend.text.wording import percent
from tournaments.models import Event
from tournaments.scoring.scores import Score
from tournaments.selectors.events.tables import CrosstableRow

register = template.Library()

_NAME_SHOWN = 20


@register.simple_tag
def crosstable_lines(event: Event, lines: Iterable[CrosstableRow]) -> SafeString:
    """The rows of the table's body; each cell links to the games of its pair."""
    games = reverse("games")
    # Many of the thousands of cells have the same score.
    said: dict[int, tuple[str, str]] = {}
    rows = []
    for line in lines:
        entry = line.standing.entry
        cells = []
        for cell in line.cells:
            if cell.is_self:
                cells.append('<td><span class="cell self"></span></td>')
            elif cell.score is None:
                cells.append('<td><span class="cell">·</span></td>')
            else:
                look, words = said.get(id(cell.score)) or said.setdefault(id(cell.score), _said(cell.score))
                cells.append(f'<td><a {look} href="{games}?bot={entry.bot.slug}&amp;vs={cell.opponent.bot.slug}'
                             f'&amp;event={event.slug}">{words}</a></td>')
        name = escape(truncatechars(entry.bot.name, _NAME_SHOWN))
        rows.append(f'<tr id="cross-{entry.pk}"><th scope="row"><bdi class="name">{name}</bdi></th>{"".join(cells)}'
                    f'<td class="n">{percent(line.standing.row.score.share)}</td></tr>')
    return mark_safe("".join(rows))  # noqa: S308 — numbers, slugs, and names that are escaped


def _said(score: Score) -> tuple[str, str]:
    """The attributes and the text of a cell. The further the score is from even, the deeper its colour."""
    share = score.share or 0.0
    draws = f"{score.draws}–" if score.draws else ""
    return (f'class="cell {"down" if share < 0.5 else "up"}" style="--by:{from_half(share)}"',
            f"{whole_percent(share)}<small>{score.wins}–{draws}{score.losses}</small>")
