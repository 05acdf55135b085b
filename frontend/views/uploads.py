"""The upload page."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from frontend.forms import UploadForm
from tournaments.services.errors import Refused
from tournaments.services.quotas import quota_of
from tournaments.services.submissions import SubmissionRefused, accept_upload


@login_required
def page(request: HttpRequest) -> HttpResponse:
    """The form; a POST leads on to the page of the submission, whether it waits for its check or was refused."""
    sent = (request.POST, request.FILES) if request.method == "POST" else ()
    form = UploadForm(*sent, user=request.user)
    if form.is_valid():
        archive = form.cleaned_data["archive"]
        try:
            submission = accept_upload(archive=archive.read(), filename=archive.name, uploader=request.user,
                                       now=timezone.now())
        except SubmissionRefused as refusal:
            submission = refusal.submission
        except Refused as refusal:
            messages.error(request, str(refusal))
            return redirect("upload")
        return redirect("submission", submission.pk)
    return render(request, "frontend/upload.html",
                  {"section": "upload", "form": form, "quota": quota_of(request.user, timezone.now())},
                  status=400 if form.errors else 200)
