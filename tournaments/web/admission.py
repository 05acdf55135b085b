"""Which requests a web process works on, which wait, and which it refuses.

It works on as many requests at a time as it has connections to the database (`connection_pool`): more would make each
of them slower. The others wait before anything has been done for them, so that a refusal costs next to nothing: no
session is read and no connection requested. Writers wait apart from readers and are admitted first: a reader can ask
for a page again, a writer may have lost what they wrote.

Kept because of "A site under load" in docs/benchmarks.md (2,000 people, no write lost) and decision 0019: neither
Django nor the server can refuse a request that waits.
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
    """No place came free in time, or too many stand by already."""


class AdmissionQueue:
    """`count` places; up to `standing_by` readers and as many writers wait for one, each for `patience_seconds`."""

    def __init__(self, count: int, *, standing_by: int, patience_seconds: float) -> None:
        self._free = count
        self._standing_by = standing_by
        self._patience_seconds = patience_seconds
        self._lock = threading.Lock()
        self._writers: deque[threading.Event] = deque()
        self._readers: deque[threading.Event] = deque()

    @contextmanager
    def place(self, *, writes: bool) -> Iterator[None]:
        """Hold a place; first come, first served, and all writers before all readers. Raises Overloaded."""
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
            # Whoever was called just then has the place all the same.
            if not called.is_set():
                queue.remove(called)
                raise Overloaded

    def _give_back(self) -> None:
        with self._lock:
            queue = self._writers or self._readers
            if queue:
                # The place goes from hand to hand: nobody who comes now gets in between.
                queue.popleft().set()
            else:
                self._free += 1


class PlacesMiddleware:
    """Answers 503 whoever gets no place; there are places in processes that serve (`manage.py web`) alone."""

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
