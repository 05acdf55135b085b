"""Pages that are drawn once for all who read them signed out.

What a page shows to whoever is not signed in depends on its address, the language and nothing else. So each process
keeps the answer for SHARED_PAGE_SECONDS, compressed as it was sent, a live part for half of that; who asks meanwhile is
given it without a database, a session or a template, and when it is old one draws it again and everybody has that.
When the site has too much to do an older one, of a minute at most, is better than none.

A page is the reader's own, and not kept, when they are signed in or known by a cookie, or when its answer sets one, is
`private`, or is anything but a whole page. Its nonce (`csp`) is kept with it: it was drawn by lot after the page's
content was given, so no content can have named it.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import get_conditional_response

from tournaments.web.connection_pool import PATIENCE_SECONDS, STANDING_BY
from tournaments.web.errors import unavailable
from tournaments.web.middleware import view_name

# Larger answers are downloads, which are asked for by few.
_LARGEST_BYTES: Final = 2**18
# Of a site that cannot draw a page just now.
_STALE_SECONDS: Final = 60.0
# Of a page that somebody is drawing again just now.
_OLD_SECONDS: Final = 10.0
# For so long an address is taken to be one whose page is the reader's own.
_OWN_SECONDS: Final = 60.0
# Where answers are the asker's own, or go by other headers.
_NOT_SHARED: Final = ("/api/", "/admin/", "/account/", "/metrics", "/play/", "/questions/", "/submissions/", "/upload/")

View = Callable[[HttpRequest], HttpResponse]


@dataclass(frozen=True, slots=True)
class SharedPage:
    """An answer, and when it was drawn by this machine's steady clock."""

    body: bytes
    headers: dict[str, str]
    nonce: str
    view: str
    drawn_at: float

    @property
    def age_seconds(self) -> float:
        return time.monotonic() - self.drawn_at

    @property
    def is_fresh(self) -> bool:
        share = 0.5 if "no-cache" in self.headers.get("Cache-Control", "") else 1.0
        return self.age_seconds < settings.SHARED_PAGE_SECONDS * share

    def answer(self, request: HttpRequest) -> HttpResponse:
        """The page for another reader; 304 to one who has it."""
        request.csp_nonce = self.nonce
        request.view_name = self.view
        return _unless_known(request, HttpResponse(self.body, headers=self.headers))


class SharedPagesMiddleware:
    """Answers with what is kept, and keeps what may be."""

    def __init__(self, get_response: View) -> None:
        self._get_response = get_response
        self._lock = threading.Lock()
        self._drawing: dict[str, threading.Event] = {}
        self._waiting = 0

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not settings.SHARED_PAGE_SECONDS or not _is_anybodys(request):
            return self._get_response(request)
        key = _key(request)
        kept = caches["pages"].get(key)
        if kept == "own":
            return self._get_response(request)
        if kept and kept.is_fresh:
            return kept.answer(request)
        with self._lock:
            drawn = self._drawing.get(key)
            if drawn is None:
                self._drawing[key] = threading.Event()
        if drawn is not None:
            return self._wait(request, key, drawn, kept)
        try:
            return self._draw(request, key, kept)
        finally:
            with self._lock:
                self._drawing.pop(key).set()

    def _wait(self, request: HttpRequest, key: str, drawn: threading.Event, kept: SharedPage | None) -> HttpResponse:
        """What another request is drawing just now."""
        if kept and kept.age_seconds < _OLD_SECONDS:
            return kept.answer(request)
        with self._lock:
            too_many = self._waiting >= STANDING_BY
            self._waiting += not too_many
        if too_many:
            return _stale(request, kept) or unavailable(request)
        try:
            in_time = drawn.wait(PATIENCE_SECONDS)
        finally:
            with self._lock:
                self._waiting -= 1
        kept = caches["pages"].get(key)
        if kept == "own":
            return self._get_response(request)
        return _stale(request, kept) or (self._get_response(request) if in_time else unavailable(request))

    def _draw(self, request: HttpRequest, key: str, kept: SharedPage | None) -> HttpResponse:
        # For everybody, so in full: who has it already is told so afterwards.
        known = request.META.pop("HTTP_IF_NONE_MATCH", None)
        response = self._get_response(request)
        if known is not None:
            request.META["HTTP_IF_NONE_MATCH"] = known
        if response.status_code == 503:
            return _stale(request, kept) or response
        # Forms would bear the token of whoever brought one: that is not for others, and says nothing of what they get.
        if settings.CSRF_COOKIE_NAME not in request.COOKIES:
            _keep(request, key, response)
        return _unless_known(request, response)


def _keep(request: HttpRequest, key: str, response: HttpResponse) -> None:
    """Keep the page, or that this address has none for everybody."""
    if _may_be_kept(response):
        page = SharedPage(response.content, dict(response.headers), request.csp_nonce, view_name(request),
                          time.monotonic())
        caches["pages"].set(key, page, _STALE_SECONDS)
    else:
        caches["pages"].set(key, "own", _OWN_SECONDS)


def _stale(request: HttpRequest, kept: SharedPage | None) -> HttpResponse | None:
    return kept.answer(request) if kept and kept.age_seconds < _STALE_SECONDS else None


def _is_anybodys(request: HttpRequest) -> bool:
    """Whether the request says nothing of who asks."""
    known_by = (settings.SESSION_COOKIE_NAME, settings.VISITOR_COOKIE_NAME, settings.MESSAGES_COOKIE_NAME)
    return (request.method == "GET" and not request.path_info.startswith(_NOT_SHARED)
            and "Authorization" not in request.headers and not any(name in request.COOKIES for name in known_by))


def _key(request: HttpRequest) -> str:
    compressed = "gzip" in request.headers.get("Accept-Encoding", "")
    facts = (request.get_full_path(), request.META.get("HTTP_HOST", ""), request.scheme or "",
             translation.get_language_from_request(request), str(compressed))
    # Addresses are as long as strangers make them.
    return sha256("\n".join(facts).encode("utf-8", "surrogateescape")).hexdigest()


def _may_be_kept(response: HttpResponse) -> bool:
    policy = response.headers.get("Cache-Control", "")
    return (response.status_code == 200 and not response.streaming and not response.cookies
            and "private" not in policy and "no-store" not in policy and len(response.content) <= _LARGEST_BYTES)


def _unless_known(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The answer, or 304 when the request names its tag."""
    etag = response.headers.get("ETag")
    if etag is None or response.status_code != 200 or response.streaming:
        return response
    return get_conditional_response(request, etag=etag, response=response)
