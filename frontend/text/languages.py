"""The language of a page: the reader's choice, or else the best match for the languages that their browser sends.

Only pages for people are translated. Programs always get English (docs/decisions/0016-languages.md).
"""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.views.decorators.csrf import csrf_exempt
from django.views.i18n import set_language

from frontend.text.spoilers import are_hidden

ENGLISH: Final = "en"
# Everything below these paths is in English, except the pages about the API.
_FOR_PROGRAMS: Final = ("/api/", "/admin/", "/metrics")
_ABOUT_THE_API: Final = "/api/docs/"

View = TypeVar("View", bound=Callable[..., Any])

# The switch in the footer. A forged request could only change the language, so the form needs no CSRF token.
choose = csrf_exempt(set_language)


class LanguageMiddleware:
    """Renders pages in the reader's language, and sets the Vary header for caches."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if _is_for_programs(request.path_info):
            with translation.override(ENGLISH):
                return self._get_response(request)
        language = translation.get_language_from_request(request)
        with translation.override(language):
            response = self._get_response(request)
        match = request.resolver_match
        if match is None or not _is_in_english(match.func):
            patch_vary_headers(response, ("Accept-Language", "Cookie"))
            response.headers.setdefault("Content-Language", language)
        return response

    def process_view(self, request: HttpRequest, view: Callable[..., Any], *_: Any) -> None:
        """Switch to English for English-only views. The reader's language is restored after the response."""
        if _is_in_english(view):
            translation.activate(ENGLISH)


def in_english(view: View) -> View:
    """Mark a view as always in English: a download, a picture or a feed, which shared caches may store."""
    view.in_english = True
    return view


def _is_in_english(view: Callable[..., Any]) -> bool:
    return getattr(view, "in_english", False)


def _is_for_programs(path: str) -> bool:
    return path.startswith(_FOR_PROGRAMS) and not path.startswith(_ABOUT_THE_API)


def in_language(etag: str) -> str:
    """Make an ETag specific to the reader's language, and to their choice to hide results."""
    return f"{etag}-{translation.get_language()}{'-hidden' if are_hidden() else ''}"
