"""The rules, the documentation, and starter kits for download."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext

from engines.rules.registry import RULESETS, find
from frontend.documents import examples, library, starters
from frontend.drawing import board
from frontend.drawing.lead import graph
from frontend.live import replays
from frontend.templatetags.rules import won_game
from frontend.text.core_words import translated
from frontend.views.shared.numbers import number_in


def index(request: HttpRequest) -> HttpResponse:
    return render(request, "frontend/documents/page.html", {"section": "documents", "text": library.contents()})


def page(request: HttpRequest, name: str) -> HttpResponse:
    document = library.find(name)
    if document is None:
        raise Http404(gettext("There is no document with that name."))
    return render(request, "frontend/documents/page.html", {
        "section": "documents", "above": reverse("documents"), "text": document.text,
        "starters": starters.LANGUAGES if name == "write-a-bot" else {}})


def decision(request: HttpRequest, name: str) -> HttpResponse:
    return page(request, f"decisions/{name}")


def rules_index(request: HttpRequest) -> HttpResponse:
    listed = [(_facts(slug), library.rules(slug), won_game(slug)) for slug in RULESETS]
    return render(request, "frontend/documents/rules.html", {"section": "rules", "listed": listed})


def rules(request: HttpRequest, slug: str) -> HttpResponse:
    """A ruleset's rules with example boards, and its short game at `?turn=N`; by default at the end."""
    if slug not in RULESETS:
        raise Http404(gettext("There is no ruleset with that name."))
    text, shown = library.rules(slug), examples.boards(slug)
    return render(request, "frontend/documents/rule.html", {
        "section": "rules", "ruleset": _facts(slug), "text": text, **_short_game(request, slug),
        "parts": [(section, [each for each in shown if each.under == section.heading.anchor])
                  for section in text.sections]})


def starter(request: HttpRequest, language: str) -> HttpResponse:
    """The starter kit in a language. Its bytes change only if its files change."""
    kit = starters.kit(language)
    if kit is None:
        raise Http404(gettext("There is no starter kit for that language."))
    response = get_conditional_response(request, etag=kit.etag) or HttpResponse(
        kit.archive, content_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="{kit.filename}"'})
    response["ETag"] = kit.etag
    response["Cache-Control"] = "public, max-age=3600"
    return response


def _facts(slug: str) -> dict[str, Any]:
    # Not the ruleset itself: it is a class, which a template would call.
    ruleset = RULESETS[slug]
    return {"slug": slug, "name": ruleset.name, "summary": translated(ruleset.summary), "colours": ruleset.colours,
            "size": ruleset.default_size}


def _short_game(request: HttpRequest, slug: str) -> dict[str, Any]:
    """The context of the viewer's templates for the short game."""
    measured = examples.short_game(slug)
    document = replays.in_words(measured)
    chosen = number_in(request, "turn")
    frame = board.frame_at(document, len(document["turns"]) if chosen is None else chosen)
    names = [translated(colour).capitalize() for colour in find(slug).colours]
    said = replays.said(names, document, frame.turn)
    return {"document": document, "names": names, "turn": frame.turn, "last": len(document["turns"]),
            "said": said, "controls": True,
            "board": board.svg(document, frame, said), "board_text": board.text(document, frame),
            "captioned": True, "caption": board.caption(document, frame), "rows": replays.rows(document, frame.turn),
            "bars": [], "lead": graph(measured, frame.turn)}
