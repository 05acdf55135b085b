"""The upload page."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from frontend.forms.accounts import UploadForm
from frontend.views.shared.acting import attempt, status_of
from tournaments.models import Submission
from tournaments.selectors.shared.quotas import quota_of
from tournaments.services.bots.submissions import SubmissionRefused, accept_upload


@login_required
def page(request: HttpRequest) -> HttpResponse:
    """The form; a POST redirects to the page of the submission, even if the submission was refused.

    Errors that create no submission, such as a quota that is used up, are shown next to the field.
    """
    sent = (request.POST, request.FILES) if request.method == "POST" else ()
    form = UploadForm(*sent, user=request.user)
    if form.is_valid():
        archive = form.cleaned_data["archive"]
        submission = attempt(form, _left_behind, field="archive", archive=archive.read(), filename=archive.name,
                             uploader=request.user)
        if submission is not None:
            return redirect("submission", submission.pk)
    return render(request, "frontend/bots/upload.html", {
        "section": "upload", "form": form, "quota": quota_of(request.user, timezone.now())}, status=status_of(form))


def _left_behind(**facts: Any) -> Submission:
    """Return the submission, whether it was accepted or refused."""
    try:
        return accept_upload(**facts)
    except SubmissionRefused as refusal:
        return refusal.submission
