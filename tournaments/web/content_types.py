"""Rejection of requests whose Content-Type nothing here can read.

Django accepts every Python codec as a character set, even those that do not decode bytes to text, and it fails on a
header that it cannot parse before any middleware runs. Browsers and the API's clients send UTF-8.

Needed because docs/explanation/security.md promises that every body is read or rejected with a message, whatever its
Content-Type.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.utils.http import parse_header_parameters

from tournaments.web.errors import turned_away

_UTF_8: Final = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})
# Replaces a header that cannot be parsed.
_UNREADABLE: Final = "unreadable; charset=unreadable"

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def with_readable_content_types(application: Application) -> Application:
    """Wrap the WSGI application: replace each unreadable Content-Type by one that Django can parse."""

    def called(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        environ["CONTENT_TYPE"] = readable(environ.get("CONTENT_TYPE", ""))
        return application(environ, start_response)

    return called


def readable(content_type: str) -> str:
    """Return the header, or a replacement that is rejected later if Django would raise an error for it."""
    try:
        parse_header_parameters(content_type)
    except Exception:  # noqa: BLE001 - the email package raises many types
        return _UNREADABLE
    return content_type


class ContentTypeMiddleware:
    """Middleware that answers 415 for any character set but UTF-8."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        said = (request.content_params or {}).get("charset")
        if said is not None and said.strip().lower().replace("_", "-") not in _UTF_8:
            return turned_away(request, 415)
        return self._get_response(request)

