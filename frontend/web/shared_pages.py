"""A cache of pages for readers who are not signed in.

For these readers, a page depends only on its address, the language and the choice to hide results. So each process
caches the response for SHARED_PAGE_SECONDS, compressed as it was sent, and live parts for half of that. Until then it
answers from the cache, without a database, a session or a template; afterwards one request renders the page again, and
the others share the result. Under overload, a cached page of up to a minute is served instead of an error.

A page is personal, and not cached, if the reader is signed in or identified by a cookie, or if the response sets a
cookie, is `private`, or is not a complete page. Its nonce (`csp`) is cached with it. The nonce was generated at random
after the content was written, so no content can contain it.
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

from frontend.text import spoilers
from tournaments.web.connection_pool import PATIENCE_SECONDS, STANDING_BY
from tournaments.web.errors import unavailable
from tournaments.web.middleware import view_name

# Larger responses are downloads, which are rarely requested.
_LARGEST_BYTES: Final = 2**18
# Maximum age of a page served while the site cannot render it.
_STALE_SECONDS: Final = 60.0
# Maximum age of a page served while another request renders it again.
_OLD_SECONDS: Final = 10.0
# Time for which an address is remembered as having a personal page.
_OWN_SECONDS: Final = 60.0
# Paths whose responses are personal or depend on other headers.
_NOT_SHARED: Final = ("/api/", "/admin/", "/account/", "/metrics", "/play/", "/questions/", "/submissions/", "/upload/")
# A response that never changes is a picture, which has a cache of its own.
_NOT_SHARED_POLICIES: Final = ("private", "no-store", "immutable")

View = Callable[[HttpRequest], HttpResponse]


@dataclass(frozen=True, slots=True)
class SharedPage:
    """A response, and the time when it was rendered, by the monotonic clock."""

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
        """The page for another reader, or 304 if they already have it."""
        request.csp_nonce = self.nonce
        request.view_name = self.view
        return _unless_known(request, HttpResponse(self.body, headers=self.headers))


class SharedPagesMiddleware:
    """Answers from the cache, and caches the pages that all readers share."""

    def __init__(self, get_response: View) -> None:
        self._get_response = get_response
        self._lock = threading.Lock()
        self._drawing: dict[str, threading.Event] = {}
        self._waiting = 0

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not settings.SHARED_PAGE_SECONDS or not _is_anonymous(request):
            return self._get_response(request)
        key = _key(request)
        cached = caches["pages"].get(key)
        if cached == "own":
            return self._get_response(request)
        if cached and cached.is_fresh:
            return cached.answer(request)
        with self._lock:
            drawn = self._drawing.get(key)
            if drawn is None:
                self._drawing[key] = threading.Event()
        if drawn is not None:
            return self._wait(request, key, drawn, cached)
        try:
            return self._draw(request, key, cached)
        finally:
            with self._lock:
                self._drawing.pop(key).set()

    def _wait(self, request: HttpRequest, key: str, drawn: threading.Event, cached: SharedPage | None) -> HttpResponse:
        """Answer with the page that another request is rendering."""
        if cached and cached.age_seconds < _OLD_SECONDS:
            return cached.answer(request)
        with self._lock:
            too_many = self._waiting >= STANDING_BY
            self._waiting += not too_many
        if too_many:
            return _stale(request, cached) or unavailable(request)
        try:
            in_time = drawn.wait(PATIENCE_SECONDS)
        finally:
            with self._lock:
                self._waiting -= 1
        cached = caches["pages"].get(key)
        if cached == "own":
            return self._get_response(request)
        return _stale(request, cached) or (self._get_response(request) if in_time else unavailable(request))

    def _draw(self, request: HttpRequest, key: str, cached: SharedPage | None) -> HttpResponse:
        # Without If-None-Match, to get the full page for the cache. `_unless_known` makes it a 304 if it applies.
        known = request.META.pop("HTTP_IF_NONE_MATCH", None)
        response = self._get_response(request)
        if known is not None:
            request.META["HTTP_IF_NONE_MATCH"] = known
        if response.status_code == 503:
            return _stale(request, cached) or response
        # With a CSRF cookie, forms contain this reader's token, which others must not get, and the response does not
        # show whether the address has a shared page.
        if settings.CSRF_COOKIE_NAME not in request.COOKIES:
            _store(request, key, response)
        return _unless_known(request, response)


def _store(request: HttpRequest, key: str, response: HttpResponse) -> None:
    """Cache the page, or the fact that this address has no shared page."""
    if _is_cacheable(response):
        page = SharedPage(response.content, dict(response.headers), request.csp_nonce, view_name(request),
                          time.monotonic())
        caches["pages"].set(key, page, _STALE_SECONDS)
    else:
        caches["pages"].set(key, "own", _OWN_SECONDS)


def _stale(request: HttpRequest, cached: SharedPage | None) -> HttpResponse | None:
    return cached.answer(request) if cached and cached.age_seconds < _STALE_SECONDS else None


def _is_anonymous(request: HttpRequest) -> bool:
    """Whether the request does not identify its sender."""
    known_by = (settings.SESSION_COOKIE_NAME, settings.VISITOR_COOKIE_NAME, settings.MESSAGES_COOKIE_NAME)
    return (request.method == "GET" and not request.path_info.startswith(_NOT_SHARED)
            and "Authorization" not in request.headers and not any(name in request.COOKIES for name in known_by))


def _key(request: HttpRequest) -> str:
    compressed = "gzip" in request.headers.get("Accept-Encoding", "")
    facts = (request.get_full_path(), request.META.get("HTTP_HOST", ""), request.scheme or "",
             translation.get_language_from_request(request), spoilers.chosen(request), str(compressed))
    # Hashed, because clients can send addresses of any length.
    return sha256("\n".join(facts).encode("utf-8", "surrogateescape")).hexdigest()


def _is_cacheable(response: HttpResponse) -> bool:
    policy = response.headers.get("Cache-Control", "")
    return (response.status_code == 200 and not response.streaming and not response.cookies
            and not any(word in policy for word in _NOT_SHARED_POLICIES) and len(response.content) <= _LARGEST_BYTES)


def _unless_known(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The response, or 304 if the request names its ETag."""
    etag = response.headers.get("ETag")
    if etag is None or response.status_code != 200 or response.streaming:
        return response
    return get_conditional_response(request, etag=etag, response=response)
