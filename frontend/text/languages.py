"""Which language a page is drawn in: the one that its reader chose, else the best of those that their browser names.

Only what people read is translated. Programs get English, whoever asks (docs/decisions/0016-languages.md).
"""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.views.decorators.csrf import csrf_exempt
from django.views.i18n import set_language

ENGLISH: Final = "en"
# Below these addresses everything is English, but for the pages about the API.
_FOR_PROGRAMS: Final = ("/api/", "/admin/", "/metrics")
_ABOUT_THE_API: Final = "/api/docs/"

View = TypeVar("View", bound=Callable[..., Any])

# The switch in the footer. A stranger's page could at most change the language, so that no page needs a token for it.
choose = csrf_exempt(set_language)


class LanguageMiddleware:
    """Draws pages in their reader's language, and says to caches what that depends on."""

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
        """Within the reader's language, which comes back when the answer is made."""
        if _is_in_english(view):
            translation.activate(ENGLISH)


def in_english(view: View) -> View:
    """Mark a view that is in English for everybody: a download, a picture or a feed, which caches may share."""
    view.in_english = True
    return view


def _is_in_english(view: Callable[..., Any]) -> bool:
    return getattr(view, "in_english", False)


def _is_for_programs(path: str) -> bool:
    return path.startswith(_FOR_PROGRAMS) and not path.startswith(_ABOUT_THE_API)


def in_language(etag: str) -> str:
    """The ETag of what is drawn in the asker's language: in another it is something else."""
    return f"{etag}-{translation.get_language()}"
