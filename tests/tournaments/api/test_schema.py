"""The OpenAPI schema: committed, up to date, and documented."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from drf_spectacular.validation import validate_schema

from ratings import sprt
from tests.tournaments.api import contract
from tournaments.services.accounts import teams, tokens
from tournaments.services.events import scheduling, series
from tournaments.services.ladders import challenges, ladders, trials
from tournaments.services.notices import webhooks

# A form, its parameter, and the words that state the limit that the service sets.
LIMITS = [
    ("CandidacyForm", "elo0", f"-{sprt.WIDEST:g} to {sprt.WIDEST:g}"),
    ("CandidacyForm", "elo1", f"-{sprt.WIDEST:g} to {sprt.WIDEST:g}"),
    ("CandidacyForm", "alpha", f"less than {sprt.RISK_BELOW}"),
    ("CandidacyForm", "beta", f"less than {sprt.RISK_BELOW}"),
    ("CandidacyForm", "most_pairs", f"{trials.FEWEST_PAIRS} to {trials.MOST_PAIRS:,}"),
    ("ChallengeForm", "matches", f"1 to {challenges.MOST_MATCHES}"),
    ("OpenLadder", "base_seconds", "0.05 to 3600 s"), ("OpenLadder", "increment_seconds", "0 to 60 s"),
    ("OpenLadder", "per_turn_seconds", "0.01 to 600 s"), ("OpenLadder", "name", f"1 to {ladders.LONGEST_NAME}"),
    ("Schedule", "name", f"1 to {scheduling.LONGEST_NAME}"),
    ("Schedule", "cycles", f"1 to {scheduling.MOST_CYCLES:,}"),
    ("Schedule", "swiss_rounds", f"1 to {scheduling.MOST_SWISS_ROUNDS}"),
    ("Schedule", "max_entries", f"2 to {scheduling.MOST_ENTRIES:,}"),
    ("Schedule", "description", f"at most {scheduling.LONGEST_DESCRIPTION:,}"),
    ("NewSeries", "name", f"to {series.LONGEST_NAME}"), ("NewTeam", "name", f"{teams.MOST_MEMBERS}"),
    ("NewToken", "name", f"{tokens.MOST}"), ("NewWebhook", "url", f"{webhooks.MOST_WEBHOOKS}"),
]


def operations() -> list[tuple[str, dict[str, Any]]]:
    return [(f"{method} {path}", operation) for path, methods in contract.schema()["paths"].items()
            for method, operation in methods.items()]


class TestTheCommittedSchema:
    @pytest.mark.slow
    def test_is_what_the_code_generates(self, tmp_path: Path) -> None:
        generated = tmp_path / "openapi.yaml"
        call_command("spectacular", file=str(generated), fail_on_warn=True)
        assert contract.PATH.read_text("utf-8") == generated.read_text("utf-8"), (
            "regenerate it: manage.py spectacular --file docs/openapi.yaml")

    @pytest.mark.thorough
    @pytest.mark.slow
    def test_is_a_valid_schema(self) -> None:
        validate_schema(contract.schema())

    def test_explains_every_operation_and_parameter(self) -> None:
        unexplained = []
        for name, operation in operations():
            parameters = [each["name"] for each in operation.get("parameters", [])
                          if not (each.get("description") or each["schema"].get("description"))]
            if parameters or not operation["description"].strip():
                unexplained.append((name, parameters))
        assert unexplained == []

    def test_closes_only_personal_and_staff_data_to_the_public(self) -> None:
        closed = {path for path, methods in contract.schema()["paths"].items()
                  if "get" in methods and {} not in methods["get"]["security"]}
        assert {path.split("/")[2] for path in closed} == {
            "audit", "bans", "deliveries", "follows", "me", "questions", "submissions", "tokens", "webhooks", "workers"}

    def test_lists_the_problems_of_every_operation(self) -> None:
        for name, operation in operations():
            assert {"400", "401", "403", "406", "429"} <= set(operation["responses"]), name
            for status, answer in operation["responses"].items():
                assert (status >= "400") == ("application/problem+json" in answer.get("content", {})), (name, status)


class TestALimit:
    def test_is_stated_in_the_description_of_its_parameter(self) -> None:
        schemas = contract.schema()["components"]["schemas"]
        unstated = [(component, parameter, words) for component, parameter, words in LIMITS
                    if words not in schemas[component]["properties"][parameter]["description"]]
        assert unstated == []


class TestAText:
    def test_has_a_minimum_length_only_in_requests_that_need_it(self) -> None:
        schemas = contract.schema()["components"]["schemas"]
        name = schemas["NewTeam"]["properties"]["name"]
        assert (name["minLength"], name["pattern"]) == (1, r"\S")
        assert "minLength" not in schemas["Schedule"]["properties"]["description"]
        assert not [(component, field) for component in ("Submission", "Step", "Me", "Game", "Candidacy")
                    for field, facts in schemas[component]["properties"].items() if "minLength" in facts]


class TestTheSchemaEndpoint:
    @pytest.mark.slow
    def test_serves_the_committed_file_as_yaml_or_json(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        # It is never generated for a request.
        monkeypatch.delattr("drf_spectacular.generators.SchemaGenerator.get_schema")
        answer = client.get("/api/schema/")
        assert answer.content == contract.PATH.read_bytes()
        for asked in (client.get("/api/schema/?format=json"),
                      client.get("/api/schema/", headers={"Accept": "application/vnd.oai.openapi+json"})):
            assert asked["Content-Type"].startswith("application/vnd.oai.openapi+json")
            assert asked.json() == contract.schema()

    def test_may_be_cached_and_is_rate_limited(self, client: Client) -> None:
        answer = client.get("/api/schema/")
        assert (answer["Cache-Control"], answer["Vary"]) == ("public, max-age=600", "Accept, Accept-Encoding")
        assert "anonymous" in answer["RateLimit"]
        again = client.get("/api/schema/", headers={"If-None-Match": answer["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert client.get("/api/schema/?format=json")["ETag"] != answer["ETag"]
