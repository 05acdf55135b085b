"""Refusal of API requests without TLS, where pages are redirected to https.

A program with an http URL would follow the redirect of each request and send its token in clear text every time,
without anyone noticing.
"""

import re
from collections.abc import Callable
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from tournaments.operations.security_log import refused
from tournaments.web.errors import forbidden

# URLs for programs; /api/docs/ is for people.
_FOR_PROGRAMS: Final = re.compile(r"/api/(?!docs(/|$))")
_ONLY_BY_TLS: Final = ("This site's API requires https. If this request had a token, it was sent over the network in "
                       "clear text: revoke it, create a new one, and use the https URL.")


class EncryptedMiddleware:
    """Middleware that answers 403 to API requests without TLS, if the site is behind TLS (`SQUAREFIELD_TLS`)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not settings.SECURE_SSL_REDIRECT or request.is_secure() or not _FOR_PROGRAMS.match(request.path):
            return self._get_response(request)
        refused("without TLS")
        return forbidden(request, _ONLY_BY_TLS)
