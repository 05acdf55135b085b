"""Challenges through the API."""

import pytest

from tests.factories import make_version, play_match
from tests.tournaments.api import contract
from tournaments.models import Challenge, Match
from tournaments.services.ladders.ladders import create_ladder


@pytest.fixture(scope="module")
def plan(module_db):
    """The body of a valid request."""
    ladder = create_ladder(ruleset="square-grid-hex", size=5, base_seconds=1)
    return {"ladder": ladder.slug, "first": make_version("Morphy").pk,
            "second": make_version("Lasker", owner="emanuel").pk, "matches": 2}


class TestChallenging:
    def test_creates_matches_and_shows_them(self, author, plan):
        answer = author.post("/api/challenges/", plan, format="json")
        assert answer.status_code == 201
        assert answer.json()["matches"] == list(Match.objects.order_by("pk").values_list("pk", flat=True))
        assert answer.json()["result"] == {"wins": 0, "draws": 0, "losses": 0, "score": 0.5, "low": 0.0, "high": 1.0}

    def test_is_refused_with_a_reason(self, author, plan):
        answer = author.post("/api/challenges/", {**plan, "matches": 11}, format="json")
        assert (answer.status_code, answer.json()["detail"]) == (409, "A challenge must have 1 to 10 matches, not 11.")

    def test_is_refused_with_invalid_values(self, author, plan):
        for change, status in (({"ladder": "nowhere"}, 400), ({"first": 10**9}, 400), ({"second": "x"}, 400),
                               ({"matches": None}, 400), ({"seed": -1}, 400), ({"matches": 10**30}, 409)):
            answer = author.post("/api/challenges/", {**plan, **change}, format="json")
            assert contract.problem(answer)[0] == status, change
        assert not Challenge.objects.exists()


class TestReading:
    def test_shows_the_result(self, author, anyone, plan):
        author.post("/api/challenges/", plan, format="json")
        for match in Match.objects.all():
            play_match(match)
        answer = anyone.get("/api/challenges/")
        shown = answer.json()["results"][0]
        assert sum(shown["result"][name] for name in ("wins", "draws", "losses")) == 4
        assert shown["matches_open"] == 0
        one = anyone.get(f"/api/challenges/{shown['id']}/")
        assert one.json() == shown

    def test_takes_as_many_queries_for_many_as_for_few(self, author, anyone, plan, django_assert_max_num_queries):
        for _ in range(5):
            author.post("/api/challenges/", plan, format="json")
        with django_assert_max_num_queries(5):
            assert len(anyone.get("/api/challenges/").json()["results"]) == 5


class TestCancelling:
    def test_cancels_its_matches_once(self, author, plan):
        made = author.post("/api/challenges/", plan, format="json").json()["id"]
        answer = author.post(f"/api/challenges/{made}/cancel/")
        assert (answer.status_code, answer.json()["matches_open"]) == (200, 0)
        assert author.post(f"/api/challenges/{made}/cancel/").status_code == 409
