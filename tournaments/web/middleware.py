"""Middleware for every request: its ID in the log, its duration, and 503 if a service is unavailable."""

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
    "squarefield_request_seconds", "Time to answer a request, in seconds, by method, view and status class.",
    ["method", "view", "status"], buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10))
# Clients can send any word as the method: all others are counted together.
_METHODS: Final = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

View = Callable[[HttpRequest], HttpResponse]


class RequestMiddleware:
    """Middleware that gives each request an ID, from `X-Request-ID` or at random, and measures its duration."""

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
    """Return the name of the view that answered, or "none"; a shared page names its view on the request itself.

    The name of the pattern and not the path: clients choose paths, and each would become a series of the metric.
    """
    match = request.resolver_match
    return getattr(request, "view_name", None) or (match.view_name or match.route if match else "none")


class UnavailableMiddleware:
    """Middleware that answers 503 if the database or storage is unavailable or the pool has no free connection."""

    def __init__(self, get_response: View) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if is_unreachable(error):
            log.warning("archive storage unavailable: %s", error)
            return unavailable(request)
        return unavailable(request) if isinstance(error, OperationalError) else None
