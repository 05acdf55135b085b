"""The API without TLS: refused, where pages lead on to it.

A program that was given an http address would be led on with each request, having sent its token in clear each time,
and nobody would notice.
"""

import re
from collections.abc import Callable
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from tournaments.operations.security_log import refused
from tournaments.web.errors import forbidden

# What programs ask; /api/docs/ is for people.
_FOR_PROGRAMS: Final = re.compile(r"/api/(?!docs(/|$))")
_ONLY_BY_TLS: Final = ("This site's API is to be had by https alone. If this request had a token, that went over the "
                       "network in clear: revoke it, make another, and mend the address.")


class EncryptedMiddleware:
    """Answers 403 to a request of the API that came without TLS, if the site is behind it (`SQUAREFIELD_TLS`)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not settings.SECURE_SSL_REDIRECT or request.is_secure() or not _FOR_PROGRAMS.match(request.path):
            return self._get_response(request)
        refused("without TLS")
        return forbidden(request, _ONLY_BY_TLS)
