"""The API's documentation: a page for what is common to all operations, and one for each noun."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext

from frontend.documents import reference


def index(request: HttpRequest) -> HttpResponse:
    return render(request, "frontend/documents/api.html", {
        "section": "api", "tags": reference.tags().values(), "problems": reference.problems(),
        "problem": reference.problem()})


def tag(request: HttpRequest, name: str) -> HttpResponse:
    found = reference.tags().get(name)
    if found is None:
        raise Http404(gettext("The API has no operations of that name."))
    return render(request, "frontend/documents/api_tag.html", {
        "section": "api", "tag": found, "problems": reference.problems()})
