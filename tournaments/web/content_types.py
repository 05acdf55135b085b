"""What a request says its body is: refused where nothing here could read it, before anything tries.

Django takes whatever Python calls an encoding for a character set, also those that make no text of bytes, and gives up
on a header that it cannot take apart before any middleware is asked. Browsers and the API's clients send UTF-8.

Kept because docs/security.md promises that a body is read or refused in a sentence, whatever its Content-Type is.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.utils.http import parse_header_parameters

from tournaments.web.errors import turned_away

_UTF_8: Final = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})
# Stands for a header that cannot be taken apart.
_UNREADABLE: Final = "unreadable; charset=unreadable"

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def with_readable_content_types(application: Application) -> Application:
    """The WSGI application, which is told of a Content-Type that nobody can read in words that Django can."""

    def called(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        environ["CONTENT_TYPE"] = readable(environ.get("CONTENT_TYPE", ""))
        return application(environ, start_response)

    return called


def readable(content_type: str) -> str:
    """The header as it is, or another one, which is refused, for one that Django would raise at."""
    try:
        parse_header_parameters(content_type)
    except Exception:  # noqa: BLE001 - the email package's, which has many ways to fail
        return _UNREADABLE
    return content_type


class ContentTypeMiddleware:
    """Answers 415 for any character set but UTF-8."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        said = (request.content_params or {}).get("charset")
        if said is not None and said.strip().lower().replace("_", "-") not in _UTF_8:
            return turned_away(request, 415)
        return self._get_response(request)

