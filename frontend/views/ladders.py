"""Ladders: the list, and a ladder's standings with their intervals."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from frontend.intervals import on_one_scale
from tournaments.selectors import ladders as reads


def index(request: HttpRequest) -> HttpResponse:
    return render(request, "frontend/ladders.html", {"section": "ladders", "ladders": reads.ladders()})


def page(request: HttpRequest, slug: str) -> HttpResponse:
    ladder = get_object_or_404(reads.ladders(), slug=slug)
    standings = list(reads.standings(ladder))
    return render(request, "frontend/ladder.html", {
        "section": "ladders", "ladder": ladder, "lines": list(zip(standings, on_one_scale(standings), strict=True)),
    })
