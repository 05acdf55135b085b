"""/metrics, for Prometheus: the state of the service from the database, and the metrics of this site's requests.

Only staff, and requests with the token of SQUAREFIELD_METRICS_TOKEN as `Authorization: Bearer …`, may read it. All
others get 404.
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
from engines.sandbox.isolation.limits import Tier
from tournaments.operations.counts import Snapshot, snapshot
from tournaments.operations.health import redis_client
from tournaments.platform.messaging.queue_messages import dropped
from tournaments.platform.messaging.queues import ANALYSES_QUEUE, QUESTIONS_QUEUE, SUBMISSIONS_QUEUE, queue_of

QUANTILES: Final = (0.5, 0.9, 0.99)
_FRESH_SECONDS: Final = 5.0


class SiteCollector(Collector):
    """Collector of the service's state, which is read at most every 5 s, no matter how many clients scrape."""

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
    """Yield the state as Prometheus metrics."""
    queued = _gauge("squarefield_matches_queued", "Matches waiting for a worker.", "ruleset", "kind")
    age = _gauge("squarefield_oldest_queued_seconds", "Waiting time of the oldest queued match.", "ruleset", "kind")
    for key, waiting in state.queued.items():
        queued.add_metric(key, waiting.number)
        age.add_metric(key, max(0.0, (now - waiting.oldest).total_seconds()))
    yield queued
    yield age
    yield _table("squarefield_matches_running", "Matches in progress.", state.running, "ruleset", "kind")
    yield _single("squarefield_matches_held", "Queued matches of paused events.", state.held)
    games = CounterMetricFamily("squarefield_games", "Games finished since the site was set up.")
    games.add_metric([], state.games)
    yield games
    yield _table("squarefield_voids_last_hour", "Attempts and checks that the infrastructure spoiled in the last hour.",
                 {(reason,): number for reason, number in state.voids.items()}, "reason")
    yield _table("squarefield_submissions", "Submissions waiting for their check or being checked.",
                 {(status,): number for status, number in state.submissions.items()}, "status")
    yield _table("squarefield_questions", "Questions to bots waiting for a worker or being asked.",
                 {(status,): number for status, number in state.questions.items()}, "status")
    yield _table("squarefield_analyses", "Analyses of games waiting for a worker or in progress.",
                 {(status,): number for status, number in state.analyses.items()}, "status")
    yield _single("squarefield_coordinators", "Coordinators that have made a pass in the last minute.",
                  state.coordinators)
    yield _table("squarefield_workers", "Workers with a recent heartbeat.",
                 {(status,): number for status, number in state.workers.items()}, "state")
    none = dict.fromkeys(((ruleset, tier.value) for ruleset in RULESETS for tier in (Tier.STANDARD, Tier.REDUCED)), 0)
    yield _table("squarefield_slots", "Maximum number of matches that the workers of a tier can play at a time.",
                 none | state.slots, "ruleset", "tier")
    yield _table("squarefield_standstill_seconds", "Time for which a queue has had work that no worker may take.",
                 {key: int((now - began_at).total_seconds()) for key, began_at in state.standstills.items()},
                 "queue", "reason")
    yield _table("squarefield_failing_items", "Items at which a step of the coordinator fails.",
                 {(step,): number for step, number in state.failing.items()}, "step")
    tries = CounterMetricFamily("squarefield_failed_tries", "Failed tries of the coordinator's steps.", labels=["step"])
    for step, number in state.failed_tries.items():
        tries.add_metric([step], number)
    yield tries
    yield _quantiles("squarefield_match_latency_seconds",
                     "Time from pairing to end, of matches finished in the last 15 minutes.", state.latencies)
    yield _quantiles("squarefield_match_play_seconds", "Time from claim to end, of the same matches.", state.plays)


def _broker() -> Iterator[Metric]:
    depth = _gauge("squarefield_broker_queue_length", "IDs on the queue.", "queue")
    unreadable = CounterMetricFamily("squarefield_messages_dropped", "Unreadable messages in Redis that were dropped.")
    queues = [QUESTIONS_QUEUE, SUBMISSIONS_QUEUE, ANALYSES_QUEUE, *map(queue_of, RULESETS)]
    up = True
    try:
        with redis_client() as client:
            for queue in queues:
                with suppress(redis.ResponseError):
                    # The key has another type; the coordinator will delete it.
                    depth.add_metric([queue], client.llen(queue))
            unreadable.add_metric([], dropped(client))
    except (redis.RedisError, OSError):
        up = False
    yield _single("squarefield_broker_up", "1 if Redis answers, else 0.", int(up))
    if up:
        yield depth
        yield unreadable


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return the smallest of the ordered values that this share of them does not exceed. Needs at least one."""
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
    """Return all metrics as text."""
    if not _permitted(request):
        raise Http404
    registry = CollectorRegistry()
    registry.register(_SITE)
    text = generate_latest(registry)
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        # The site's processes store their numbers in files there; the process that answers adds them up.
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
