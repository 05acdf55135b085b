"""Admission of requests: which requests a web process works on, which wait, and which it refuses.

A process works on as many requests at a time as it has connections to the database (`connection_pool`): more would
slow down all of them. The others wait before any work is done for them, so that a refusal costs almost nothing: no
session is read and no connection requested. Writers wait separately from readers and are admitted first: a reader can
reload a page, but a writer may lose what they wrote.

Needed for "A site under load" in docs/reference/benchmarks.md (2,000 users, no write lost) and by decision 0019:
neither Django nor the server can refuse a waiting request.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse

from tournaments.web.connection_pool import CONNECTIONS, PATIENCE_SECONDS, READING, STANDING_BY, are_shared
from tournaments.web.errors import unavailable


class Overloaded(Exception):
    """No place became free in time, or too many requests are waiting."""


class AdmissionQueue:
    """Queue for `count` places: up to `standing_by` readers and as many writers wait, each for `patience_seconds`."""

    def __init__(self, count: int, *, standing_by: int, patience_seconds: float) -> None:
        self._free = count
        self._standing_by = standing_by
        self._patience_seconds = patience_seconds
        self._lock = threading.Lock()
        self._writers: deque[threading.Event] = deque()
        self._readers: deque[threading.Event] = deque()

    @contextmanager
    def place(self, *, writes: bool) -> Iterator[None]:
        """Hold a place. Waiters are served in order, all writers before all readers. Raises Overloaded."""
        self._take(self._writers if writes else self._readers)
        try:
            yield
        finally:
            self._give_back()

    def _take(self, queue: deque[threading.Event]) -> None:
        with self._lock:
            if self._free:
                self._free -= 1
                return
            if len(queue) >= self._standing_by:
                raise Overloaded
            called = threading.Event()
            queue.append(called)
        if called.wait(self._patience_seconds):
            return
        with self._lock:
            # The place may have been assigned just after the timeout.
            if not called.is_set():
                queue.remove(called)
                raise Overloaded

    def _give_back(self) -> None:
        with self._lock:
            queue = self._writers or self._readers
            if queue:
                # Pass the place on directly, so that no newcomer takes it.
                queue.popleft().set()
            else:
                self._free += 1


class PlacesMiddleware:
    """Middleware that answers 503 to requests without a place; active only in serving processes (`manage.py web`)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not are_shared():
            raise MiddlewareNotUsed
        self._get_response = get_response
        self._places = AdmissionQueue(CONNECTIONS, standing_by=STANDING_BY, patience_seconds=PATIENCE_SECONDS)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            with self._places.place(writes=request.method not in READING):
                return self._get_response(request)
        except Overloaded:
            return unavailable(request)
