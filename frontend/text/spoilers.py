"""Whether a page shows the results of finished games: the reader's choice, which a cookie remembers.

Results are shown unless the reader hides them. The choice holds while a request is answered, like its language; the
block tag `spoiler` is the only place where a template depends on it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.csrf import csrf_exempt

HIDDEN: Final = "hidden"
_COOKIE_SECONDS: Final = 365 * 86400
_hidden: ContextVar[bool] = ContextVar("results are hidden", default=False)


def are_hidden() -> bool:
    """Whether the page that is being rendered hides results."""
    return _hidden.get()


@contextmanager
def hidden(hides: bool) -> Iterator[None]:  # noqa: FBT001 - the only argument
    """Hide or show results until the context ends."""
    before = _hidden.set(hides)
    try:
        yield
    finally:
        _hidden.reset(before)


def chosen(request: HttpRequest) -> str:
    """HIDDEN if the reader hides results, or else "": for the keys of caches."""
    return HIDDEN if request.COOKIES.get(settings.RESULTS_COOKIE_NAME) == HIDDEN else ""


class SpoilersMiddleware:
    """Renders pages by the reader's choice."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with hidden(bool(chosen(request))):
            return self._get_response(request)


@csrf_exempt
def choose(request: HttpRequest) -> HttpResponse:
    """Remember the choice `results`, "hidden" or anything else, and return to the page with the switch.

    A forged request could only change the choice, so the form needs no CSRF token and may be on shared pages.
    """
    came_from = request.headers.get("Referer", "")
    here = url_has_allowed_host_and_scheme(came_from, {request.get_host()}, require_https=request.is_secure())
    response = HttpResponseRedirect(came_from if here else "/")
    if request.method == "POST" and request.POST.get("results") == HIDDEN:
        response.set_cookie(settings.RESULTS_COOKIE_NAME, HIDDEN, max_age=_COOKIE_SECONDS, samesite="Lax",
                            httponly=True, secure=settings.BEHIND_TLS)
    elif request.method == "POST":
        response.delete_cookie(settings.RESULTS_COOKIE_NAME, samesite="Lax")
    return response
