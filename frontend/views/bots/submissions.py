"""An upload: the progress of its check and its qualification games, for its owner and staff."""

from typing import Any
from zlib import crc32

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone

from engines.records.endings import GameEnd
from engines.records.older import shown_document
from frontend.live import submission_status
from frontend.live.replays import viewer
from frontend.templatetags.squarefield import duration
from frontend.text import endings
from frontend.text.languages import in_language
from frontend.text.spoilers import hidden
from frontend.views.matches.games import options
from frontend.views.shared.conditional import render_unless_known
from frontend.views.shared.private import private
from frontend.views.site.pictures import asked_turn
from tournaments.models import Submission
from tournaments.models.lifecycle import SUBMISSION_OPEN
from tournaments.selectors.bots import submissions as reads


def page(request: HttpRequest, pk: int) -> HttpResponse:
    """The page of a submission; 404 for other users, who must not learn that it exists."""
    return private(render(request, "frontend/bots/submission.html", _context(_submission(request, pk))))


def live(request: HttpRequest, pk: int) -> HttpResponse:
    """The part of the page that is polled."""
    context = _context(_submission(request, pk))
    template = "frontend/bots/_submission_live.html"
    return private(render_unless_known(request, template, context["etag"], lambda: context))


@hidden(False)
def game(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """The replay of a qualification game at `?turn=N`; by default at its last turn."""
    submission = _submission(request, pk)
    games = reads.qualification_games(submission)
    played = get_object_or_404(games.filter(number=number))
    document = shown_document(played.record)
    names = (document["players"][0]["name"], document["players"][1]["name"])
    return private(render(request, "frontend/bots/qualification_game.html", {
        "section": "bots", "submission": submission, "game": played, "names": names,
        "result": endings.sentence(GameEnd.of_document(document), names),
        "numbers": games.values_list("number", flat=True), **options(request),
        **viewer(names, document, asked_turn(request, document))}))


def _submission(request: HttpRequest, pk: int) -> Submission:
    return get_object_or_404(reads.submissions_for(request.user), pk=pk)


def _context(submission: Submission) -> dict[str, Any]:
    now = timezone.now()
    check = reads.newest_check(submission)
    is_open = submission.status in SUBMISSION_OPEN
    games = set(reads.qualification_games(submission).values_list("number", flat=True))
    lines = submission_status.lines(submission, check, games, now)
    shown = {
        "lines": lines,
        "standing": submission_status.standing(
            submission, step=next((line.name for line in lines if line.state == "running"), ""),
            before=reads.uploads_before(submission), workers=reads.checkers(submission, now), now=now,
        ) if is_open else "",
        "so_far": duration(submission_status.seconds_so_far(submission, check, now)) if is_open else "",
        "setback": reads.setback(submission),
        "log": reads.log_so_far(submission),
    }
    etag = f"{submission.status}-{submission.attempt}-{crc32(repr(shown).encode()):x}"
    return {"section": "bots", "submission": submission, "check": check, "open": is_open, "etag": in_language(etag),
            "version": getattr(submission, "version", None), **shown}
