"""Metrics for Prometheus: state from the database, the site's requests, and access control."""

from contextlib import closing
from datetime import timedelta
from http.client import HTTPConnection

import pytest
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from tests.factories import make_event, make_user, make_version, play_match, spoil_match
from tests.ports import reserve_port
from tournaments.models import Match
from tournaments.operations import metrics
from tournaments.operations.counts import reason_class, snapshot
from tournaments.operations.metrics import SiteCollector, families, quantile
from tournaments.services.events.events import pause_event
from tournaments.services.matches.matches import claim
from tournaments.services.matches.workers import Declaration, declare, prune
from tournaments.services.shared.coordinators import Passes

pytestmark = pytest.mark.django_db


@pytest.fixture
def asked(settings, redis_url, monkeypatch):
    """Return a function that reads the metrics with the token and returns the samples by name and label values."""
    settings.METRICS_TOKEN = "a secret"
    monkeypatch.setattr(metrics, "_SITE", SiteCollector())
    monkeypatch.setattr(metrics, "_FRESH_SECONDS", 1000.0)

    def ask() -> dict[tuple[str, ...], float]:
        answer = Client().get("/metrics", headers={"authorization": "Bearer a secret"})
        assert answer.status_code == 200
        return {(sample.name, *sample.labels.values()): sample.value
                for family in text_string_to_metric_families(answer.content.decode()) for sample in family.samples}

    return ask


@pytest.fixture
def event(db):
    return make_event([make_version(f"bot {number}") for number in range(4)], ruleset="squ", size=4)


class TestAccess:
    @pytest.mark.slow
    def test_is_for_the_token_and_for_staff(self, settings, redis_url):
        for token, header in (("a secret", ""), ("a secret", "Bearer "), ("a secret", "Bearer wrong"),
                              ("a secret", "Bearer a secre\xfft"), ("", "Bearer ")):
            settings.METRICS_TOKEN = token
            assert Client().get("/metrics", headers={"authorization": header}).status_code == 404, header
        for staff, status in ((True, 200), (False, 404)):
            client = Client()
            client.force_login(make_user(f"staff {staff}", staff=staff))
            assert client.get("/metrics").status_code == status


class TestTheService:
    @pytest.mark.slow
    @pytest.mark.database
    def test_counts_matches_by_ruleset_and_kind_in_few_queries_for_a_while(self, asked, event,
                                                                          django_assert_max_num_queries):
        first, second, third = Match.objects.order_by("pk")[:3]
        now = timezone.now()
        play_match(first, now=now)
        spoil_match(second, "the host was starved: 3 s in line")
        assert claim(match_id=third.pk, worker="w:1:2", tier="standard", now=now)
        with django_assert_max_num_queries(20):
            found = asked()
        assert found["squarefield_matches_queued", "event", "squ"] == 4
        assert found["squarefield_matches_running", "event", "squ"] == 1
        assert found["squarefield_games_total",] >= 2
        assert found["squarefield_oldest_queued_seconds", "event", "squ"] > 0
        assert found["squarefield_matches_held",] == 0
        with django_assert_max_num_queries(0):
            asked()

    def test_counts_the_coordinators_that_live(self, now):
        passes, moment = [Passes(monotonic=lambda: moment), Passes(monotonic=lambda: moment)], 100.0
        passes[1]._name = "other:1"
        for each in passes:
            each.record(now)
        seconds = [0, 59, 61]
        assert [snapshot(now + timedelta(seconds=after)).coordinators for after in seconds] == [2, 2, 0]
        # A pass a moment later is not recorded, and one after a while is.
        passes[0].record(now + timedelta(seconds=61))
        assert snapshot(now + timedelta(seconds=61)).coordinators == 0
        moment += 11
        passes[0].record(now + timedelta(seconds=61))
        assert snapshot(now + timedelta(seconds=61)).coordinators == 1
        passes[0].end()
        assert snapshot(now + timedelta(seconds=61)).coordinators == 0
        assert prune(now + timedelta(days=2)) == 1

    def test_classifies_void_attempts_by_reason(self, event, now):
        for match, reason in zip(Match.objects.all(), ["the sandbox failed: no disk", "the lease of w:1 ran out",
                                                       "no reason was given"], strict=False):
            spoil_match(match, reason)
        within = snapshot(Match.objects.first().created_at + timedelta(minutes=30))
        assert {kind: number for kind, number in within.voids.items() if number} == {
            "sandbox": 1, "lease": 1, "other": 1}
        assert not any(snapshot(now + timedelta(days=99)).voids.values())
        for reason, kind in (("the host was starved: 3 s", "starved"), ("the worker failed: KeyError: 1", "worker"),
                             ("the event was cancelled", "cancelled"),
                             ("the lease was lost before the match was finished", "lease"), ("a fire", "other")):
            assert reason_class(reason) == kind

    def test_reports_the_duration_of_matches_and_quantiles_of_it(self, event):
        first, second = Match.objects.order_by("pk")[:2]
        for minutes, match in ((1, first), (3, second)):
            play_match(match, now=match.created_at + timedelta(minutes=minutes))
        at = first.created_at + timedelta(minutes=4)
        assert (snapshot(at).latencies, snapshot(at).plays) == ([60.0, 180.0], [0.0, 0.0])
        assert snapshot(at + timedelta(hours=1)).latencies == []
        assert "squarefield_match_latency_seconds" in {family.name for family in families(snapshot(at), at)}
        assert [quantile([1, 2, 3, 4], share) for share in (0.5, 0.9, 0.01, 1.0)] == [2, 4, 1, 4]

    @pytest.mark.slow
    def test_counts_held_matches_and_slots_of_workers_also_without_redis(self, asked, event, settings, tmp_path):
        pause_event(event=event, now=timezone.now())
        for pid, rulesets in ((1, ["squ", "scware"]), (2, ["squ"])):
            declare(Declaration(f"h:{pid}", "h", "standard", rulesets, 2, 2, "1"), now=timezone.now())
        settings.REDIS_URL = f"redis+socket://{tmp_path}/no.sock"
        found = asked()
        assert found["squarefield_matches_held",] == 6
        assert ("squarefield_matches_queued", "event", "squ") not in found
        assert found["squarefield_workers", "online"] == 2
        assert [found["squarefield_slots", *labels] for labels in (
            ("squ", "standard"), ("squ", "reduced"), ("scware", "standard"))] == [4, 0, 2]
        assert found["squarefield_broker_up",] == 0
        assert not any(name.startswith("squarefield_broker_queue") for name, *_ in found)


class TestRequests:
    @pytest.mark.slow
    def test_are_measured_by_view_and_not_by_address(self, asked):
        Client().get("/api/rulesets/")
        Client().get("/no/such/page/4711")
        found = asked()
        assert found["squarefield_request_seconds_count", "GET", "2xx", "ruleset-list"] >= 1
        assert found["squarefield_request_seconds_count", "GET", "4xx", "none"] >= 1
        assert not any("4711" in label for key in found for label in key)

    def test_keep_a_valid_id_given_by_a_proxy(self):
        assert Client().get("/api/rulesets/", headers={"x-request-id": "abc-1"})["X-Request-ID"] == "abc-1"
        for given in ("", "two words", "x" * 65, "a\u202eb"):
            name = Client().get("/api/rulesets/", headers={"x-request-id": given})["X-Request-ID"]
            assert (name != given, len(name)) == (True, 16)


@pytest.mark.slow
@pytest.mark.serial
@pytest.mark.needs_servers
@pytest.mark.django_db(transaction=True)
class TestARealSite:
    def test_adds_up_the_requests_of_its_processes(self, site):
        site.environment["SQUAREFIELD_METRICS_TOKEN"] = "a secret"
        port = reserve_port()
        site.start("web", "--port", str(port), "--processes", "2")
        site.wait_for(lambda: _ask(port, "/health/live")[0] == 200)
        for _ in range(20):
            assert _ask(port, "/api/rulesets/")[0] == 200
        for _ in range(5):
            _, text = _ask(port, "/metrics", {"Authorization": "Bearer a secret"})
            counts = [sample.value for family in text_string_to_metric_families(text) for sample in family.samples
                      if sample.name == "squarefield_request_seconds_count"
                      and sample.labels["view"] == "ruleset-list"]
            assert sum(counts) == 20
        assert _ask(port, "/metrics")[0] == 404
        site.stop()


def _ask(port: int, path: str, headers: dict[str, str] | None = None) -> tuple[int, str]:
    """Return status and text over a new connection, so that any process may answer; 0 while none does."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        try:
            connection.request("GET", path, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except OSError:
            return 0, ""
