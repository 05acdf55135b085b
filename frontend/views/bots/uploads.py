"""The upload page."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from frontend.forms.accounts import UploadForm
from tournaments.operations.security_log import sentence_of
from tournaments.platform.refusals import Refused
from tournaments.services.bots.submissions import SubmissionRefused, accept_upload
from tournaments.services.shared.quotas import quota_of


@login_required
def page(request: HttpRequest) -> HttpResponse:
    """The form; a POST leads on to the page of the submission, whether it waits for its check or was refused.

    What leaves no submission behind, such as a quota that is used up, is said beside the field.
    """
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
            form.add_error("archive", sentence_of(refusal))
            return _form(request, form, status=409)
        return redirect("submission", submission.pk)
    return _form(request, form, status=400 if form.errors else 200)


def _form(request: HttpRequest, form: UploadForm, *, status: int) -> HttpResponse:
    return render(request, "frontend/bots/upload.html",
                  {"section": "upload", "form": form, "quota": quota_of(request.user, timezone.now())}, status=status)
