"""/metrics, for Prometheus: the state of the service from the database, and this site's requests.

For the site's staff, and for whoever brings the token of SQUAREFIELD_METRICS_TOKEN as `Authorization: Bearer …`. For
anybody else there is nothing at the address.
"""

import hmac
import math
import os
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Final

import redis
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from engines.rules.registry import RULESETS
from tournaments.operations.counts import Snapshot, snapshot
from tournaments.operations.health import redis_client
from tournaments.platform.messaging.queue_messages import dropped
from tournaments.platform.messaging.queues import QUESTIONS_QUEUE, SUBMISSIONS_QUEUE, queue_of

QUANTILES: Final = (0.5, 0.9, 0.99)
_FRESH_SECONDS: Final = 5.0


class SiteCollector(Collector):
    """The service's state, read at most every 5 s however many scrape."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._read_at = -math.inf
        self._families: list[Metric] = []

    def collect(self) -> Iterable[Metric]:
        with self._lock:
            if time.monotonic() - self._read_at >= _FRESH_SECONDS:
                now = timezone.now()
                self._families = [*families(snapshot(now), now), *_broker()]
                self._read_at = time.monotonic()
            return list(self._families)


def families(state: Snapshot, now: datetime) -> Iterator[Metric]:
    """The state as Prometheus takes it."""
    queued = _gauge("squarefield_matches_queued", "Matches that wait for a worker.", "ruleset", "kind")
    age = _gauge("squarefield_oldest_queued_seconds", "Since when the oldest of these waits.", "ruleset", "kind")
    for key, waiting in state.queued.items():
        queued.add_metric(key, waiting.number)
        age.add_metric(key, max(0.0, (now - waiting.oldest).total_seconds()))
    yield queued
    yield age
    yield _table("squarefield_matches_running", "Matches that are being played.", state.running, "ruleset", "kind")
    yield _single("squarefield_matches_held", "Matches of paused events.", state.held)
    games = CounterMetricFamily("squarefield_games", "Games finished since the site began.")
    games.add_metric([], state.games)
    yield games
    yield _table("squarefield_voids_last_hour", "Attempts and checks that the infrastructure spoiled in the last hour.",
                 {(reason,): number for reason, number in state.voids.items()}, "reason")
    yield _table("squarefield_submissions", "Submissions that wait for their check, or are being checked.",
                 {(status,): number for status, number in state.submissions.items()}, "status")
    yield _table("squarefield_questions", "Questions to bots that wait for a worker, or are being asked.",
                 {(status,): number for status, number in state.questions.items()}, "status")
    yield _table("squarefield_workers", "Workers heard of in the last moments.",
                 {(status,): number for status, number in state.workers.items()}, "state")
    yield _table("squarefield_slots", "Matches that the workers can play at a time.",
                 {(ruleset,): state.slots.get(ruleset, 0) for ruleset in RULESETS}, "ruleset")
    yield _table("squarefield_failing_items", "Items that a step of the coordinator fails at.",
                 {(step,): number for step, number in state.failing.items()}, "step")
    tries = CounterMetricFamily("squarefield_failed_tries", "Failed tries of the coordinator's steps.", labels=["step"])
    for step, number in state.failed_tries.items():
        tries.add_metric([step], number)
    yield tries
    yield _quantiles("squarefield_match_latency_seconds",
                     "From being paired to the end, of the matches finished in the last 15 minutes.", state.latencies)
    yield _quantiles("squarefield_match_play_seconds", "Likewise from the claim to the end.", state.plays)


def _broker() -> Iterator[Metric]:
    depth = _gauge("squarefield_broker_queue_length", "Ids on the queue.", "queue")
    unreadable = CounterMetricFamily("squarefield_messages_dropped", "Unreadable messages in Redis that were dropped.")
    queues = [QUESTIONS_QUEUE, SUBMISSIONS_QUEUE, *map(queue_of, RULESETS)]
    up = True
    try:
        with redis_client() as client:
            for queue in queues:
                with suppress(redis.ResponseError):
                    # A key of another type, which the coordinator is about to delete.
                    depth.add_metric([queue], client.llen(queue))
            unreadable.add_metric([], dropped(client))
    except (redis.RedisError, OSError):
        up = False
    yield _single("squarefield_broker_up", "Whether Redis answers: 1 or 0.", int(up))
    if up:
        yield depth
        yield unreadable


def quantile(ordered: Sequence[float], share: float) -> float:
    """The smallest of the ordered values that this share of them does not exceed. At least one value."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def _gauge(name: str, text: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, text, labels=labels)


def _single(name: str, text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, text, value=value)


def _table(name: str, text: str, rows: dict[tuple[str, ...], int], *labels: str) -> GaugeMetricFamily:
    gauge = _gauge(name, text, *labels)
    for key, number in rows.items():
        gauge.add_metric(key, number)
    return gauge


def _quantiles(name: str, text: str, ordered: Sequence[float]) -> GaugeMetricFamily:
    gauge = _gauge(name, text, "quantile")
    for share in QUANTILES if ordered else ():
        gauge.add_metric([str(share)], quantile(ordered, share))
    return gauge


_SITE: Final = SiteCollector()


@never_cache
@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Everything, as text."""
    if not _permitted(request):
        raise Http404
    registry = CollectorRegistry()
    registry.register(_SITE)
    text = generate_latest(registry)
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        # The site's processes keep their numbers in files there; whichever is asked adds up all of them.
        every = CollectorRegistry()
        MultiProcessCollector(every)
        text += generate_latest(every)
    else:
        text += generate_latest(REGISTRY)
    return HttpResponse(text, content_type=CONTENT_TYPE_LATEST)


def _permitted(request: HttpRequest) -> bool:
    token = settings.METRICS_TOKEN
    given = request.headers.get("Authorization", "")
    if token and hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
        return True
    return request.user.is_authenticated and request.user.is_staff
