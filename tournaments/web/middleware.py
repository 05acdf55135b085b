"""What the site does for every request: a number to know it by in the log, how long it took, and if it cannot be."""

import logging
import re
import time
from collections.abc import Callable
from secrets import token_hex
from typing import Final

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from prometheus_client import Histogram

from tournaments.platform.logs import about
from tournaments.platform.storage import is_unreachable
from tournaments.web.errors import unavailable

log = logging.getLogger(__name__)
_GIVEN: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_SECONDS: Final = Histogram(
    "squarefield_request_seconds", "Time to answer a request of the site, by the kind of address and of answer.",
    ["method", "view", "status"], buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10))
# Whatever else a client calls its method is counted as one.
_METHODS: Final = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

View = Callable[[HttpRequest], HttpResponse]


class RequestMiddleware:
    """Names each request as `X-Request-ID` says, or by lot, in the log and in the answer, and measures it."""

    def __init__(self, get_response: View) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-ID", "")
        name = given if _GIVEN.fullmatch(given) else token_hex(8)
        began = time.perf_counter()
        with about(request=name):
            response = self._get_response(request)
        response["X-Request-ID"] = name
        method = request.method if request.method in _METHODS else "other"
        labels = method, view_name(request), f"{response.status_code // 100}xx"
        _SECONDS.labels(*labels).observe(time.perf_counter() - began)
        return response


def view_name(request: HttpRequest) -> str:
    """What answered, "none" if nothing did; also of a page that was drawn for another request, which says so itself.

    By the pattern's name, not by the address: strangers choose addresses, and each would be a series.
    """
    match = request.resolver_match
    return getattr(request, "view_name", None) or (match.view_name or match.route if match else "none")


class UnavailableMiddleware:
    """Answers 503 where database or storage are away, or a connection could not be had in time (`connection_pool`)."""

    def __init__(self, get_response: View) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if is_unreachable(error):
            log.warning("The storage of archives is away: %s", error)
            return unavailable(request)
        return unavailable(request) if isinstance(error, OperationalError) else None
