"""An upload: the steps of its check, for its owner and staff."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from tournaments.lifecycle import SUBMISSION_OPEN
from tournaments.selectors import submissions as reads

SECONDS_BETWEEN_LOOKS = 3


def page(request: HttpRequest, pk: int) -> HttpResponse:
    """404 for everybody else: that it exists is nobody's business."""
    submission = get_object_or_404(reads.submissions_for(request.user), pk=pk)
    response = render(request, "frontend/submission.html", {
        "section": "bots",
        "submission": submission,
        "check": reads.newest_check(submission),
        "setback": reads.setback(submission),
        "version": getattr(submission, "version", None),
        "refresh": SECONDS_BETWEEN_LOOKS if submission.status in SUBMISSION_OPEN else None,
    })
    response["Cache-Control"] = "private, no-store"
    return response
