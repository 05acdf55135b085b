"""The API documentation: a page about what all operations have in common, and a page per resource."""

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
        raise Http404(gettext("The API has no resource with that name."))
    return render(request, "frontend/documents/api_tag.html", {
        "section": "api", "tag": found, "problems": reference.problems()})
