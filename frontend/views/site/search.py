"""Search by name across bots, people, teams and events."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy

from frontend.views.shared.numbers import text_in
from frontend.views.shared.paging import numbered_page
from tournaments.selectors.operations.search import search

# Rows of each kind on the first page, rows of a page with one kind, and rows of one kind in total.
FEW, PAGE, MOST = 8, 30, 300
_KINDS = {"bots": gettext_lazy("Bots"), "people": gettext_lazy("People"), "teams": gettext_lazy("Teams"),
          "events": gettext_lazy("Events")}


def page(request: HttpRequest) -> HttpResponse:
    """The first results of each kind for `?q=`; with `?in=`, all results of that kind, in numbered pages."""
    text, kind = text_in(request, "q"), text_in(request, "in")
    found = search(text, request.user) if text else {}
    links = {}
    if kind in found:
        rows, links = numbered_page(request, found[kind], PAGE, MOST)
        groups = [(kind, _KINDS[kind], rows, False)]
    else:
        listed = {name: list(rows[:FEW + 1]) for name, rows in found.items()}
        groups = [(name, _KINDS[name], rows[:FEW], len(rows) > FEW) for name, rows in listed.items() if rows]
    return render(request, "frontend/site/search.html", {
        "text": text, "kind": kind if kind in found else "", "groups": groups, "most": MOST, **links})
