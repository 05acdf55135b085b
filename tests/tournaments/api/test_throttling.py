"""Rate limits: how requests are counted, and what answers and refusals say about them."""

import pytest
from django.core.cache import cache
from rest_framework.test import APIClient

from tests.archives import manifest, packed, upload
from tests.tournaments.api import contract
from tournaments.platform.cache import cache_for


@pytest.fixture(autouse=True)
def rates(settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set small limits, an empty cache, and a clock that is always 20 seconds into a minute."""
    settings.CACHES = {**settings.CACHES, "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    settings.API_RATES = {"anonymous": 3, "signed-in": 5, "uploads": 2}
    monkeypatch.setattr("tournaments.web.throttling.time", lambda: 60_020.0)
    cache.clear()


class TestTheRate:
    def test_is_stated_in_every_answer_and_enforced_each_minute(
        self, anyone: APIClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        answers = [anyone.get("/api/rulesets/") for _ in range(4)]
        assert [answer["RateLimit"] for answer in answers] == [
            f'"anonymous";r={left};t=40' for left in (2, 1, 0, 0)]
        assert answers[0]["RateLimit-Policy"] == '"anonymous";q=3;w=60'
        assert (contract.problem(answers[3])[0], answers[3]["Retry-After"]) == (429, "40")
        monkeypatch.setattr("tournaments.web.throttling.time", lambda: 60_060.0)
        assert anyone.get("/api/rulesets/")["RateLimit"] == '"anonymous";r=2;t=60'

    def test_is_higher_and_separate_for_each_signed_in_user(
        self, anyone: APIClient, author: APIClient, organiser: APIClient
    ) -> None:
        for _ in range(4):
            anyone.get("/api/rulesets/")
        assert author.get("/api/rulesets/")["RateLimit"] == '"signed-in";r=4;t=40'
        assert organiser.get("/api/rulesets/")["RateLimit"] == '"signed-in";r=4;t=40'

    def test_counts_each_address_or_ipv6_network_separately_and_ignores_forged_ones(self, anyone: APIClient) -> None:
        for number in range(3):
            anyone.get("/api/rulesets/", headers={"X-Forwarded-For": f"10.0.0.{number}"})
        assert anyone.get("/api/rulesets/", headers={"X-Forwarded-For": "10.0.0.9"}).status_code == 429
        assert anyone.get("/api/rulesets/", REMOTE_ADDR="192.0.2.7").status_code == 200
        for number in range(3):
            anyone.get("/api/rulesets/", REMOTE_ADDR=f"2001:db8:1:2::{number}")
        assert anyone.get("/api/rulesets/", REMOTE_ADDR="2001:db8:1:2:ffff::9").status_code == 429
        assert anyone.get("/api/rulesets/", REMOTE_ADDR="2001:db8:1:3::1").status_code == 200

    def test_is_lower_for_uploads(self, author: APIClient) -> None:
        answers = [author.post("/api/submissions/", {"archive": upload(packed(manifest(f"Bot {number}")))})
                   for number in range(3)]
        assert [answer.status_code for answer in answers] == [202, 202, 429]
        assert answers[0]["RateLimit"] == '"signed-in";r=4;t=40, "uploads";r=1;t=40'
        assert author.get("/api/submissions/").status_code == 200


class TestAnUnavailableCache:
    def test_lets_everyone_in(self, anyone: APIClient, settings) -> None:
        settings.CACHES = {**settings.CACHES, "default": cache_for("redis+socket:///nowhere/redis.sock")}
        assert [anyone.get("/api/rulesets/").status_code for _ in range(5)] == [200] * 5
