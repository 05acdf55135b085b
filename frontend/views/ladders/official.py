"""The ratings of all versions on a ladder, the table over all rulesets, and the comparison of two bots."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext

from frontend.drawing.intervals import on_one_scale
from frontend.views.shared.numbers import number_in
from tournaments.models import Bot, Ladder
from tournaments.selectors.ladders import official as reads
from tournaments.selectors.ladders.all_round import table as all_round_table
from tournaments.selectors.ladders.comparisons import compare, shared_ladders
from tournaments.selectors.ladders.transitivity import findings
from tournaments.selectors.matches import games as game_reads

PAGE = 50
RECENT_GAMES = 12


def table(request: HttpRequest, slug: str) -> HttpResponse:
    """The ratings of all versions, paginated by rank, `?after=`."""
    ladder, after = get_object_or_404(Ladder, slug=slug), number_in(request, "after") or 0
    fitted = reads.table_of(ladder)
    lines = reads.lines_after(fitted, after, PAGE + 1)
    shown = lines[:PAGE]
    return render(request, "frontend/ladders/versions.html", {
        "section": "ladders", "ladder": ladder, "table": fitted, "after": after,
        "lines": list(zip(shown, on_one_scale([(line.rating, line.low, line.high) for line in shown]), strict=True)),
        "findings": findings(fitted), "more": shown[-1].rank if len(lines) > PAGE else None,
    })


def all_round(request: HttpRequest) -> HttpResponse:
    """One table over all rulesets."""
    found = all_round_table()
    spans = on_one_scale([(row.line.rating, row.line.low, row.line.high) for row in found.rows])
    return render(request, "frontend/ladders/all_round.html", {
        "section": "ladders", "table": found, "rows": list(zip(found.rows, spans, strict=True))})


def pair(request: HttpRequest, slug: str, other: str) -> HttpResponse:
    """Two bots compared: their strengths on each ladder, their results by seat, and their newest games."""
    if slug == other:
        raise Http404(gettext("Choose two different bots."))
    first, second = get_object_or_404(Bot, slug=slug), get_object_or_404(Bot, slug=other)
    return render(request, "frontend/ladders/pair.html", {
        "section": "bots", "first": first, "second": second,
        "compared": [(ladder, compare(ladder, first, second)) for ladder in shared_ladders(first, second)],
        "games": game_reads.brief(
            game_reads.filtered(user=request.user, bot=slug, opponent=other))[:RECENT_GAMES],
    })
