"""The OpenAPI schema: committed, up to date, and documented."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import call_command
from django.test import Client
from jsonschema import ValidationError
from rest_framework.test import APIClient

from ratings import sprt
from tests.tournaments.api import contract
from tournaments.services.accounts import teams, tokens
from tournaments.services.events import scheduling, series
from tournaments.services.ladders import challenges, ladders, trials
from tournaments.services.notices import webhooks

OPERATIONS = [(f"{method} {path}", operation) for path, methods in contract.schema()["paths"].items()
              for method, operation in methods.items()]

SCORE = {"games": 2, "wins": 1, "draws": 0, "losses": 1, "points": 1.0, "share": 0.5}


class TestTheCommittedSchema:
    def test_matches_what_the_code_generates_without_warnings(self, tmp_path: Path) -> None:
        generated = tmp_path / "openapi.yaml"
        call_command("spectacular", file=str(generated), validate=True, fail_on_warn=True)
        assert contract.PATH.read_text("utf-8") == generated.read_text("utf-8"), (
            "regenerate it: manage.py spectacular --file docs/openapi.yaml")

    @pytest.mark.parametrize(("name", "operation"), OPERATIONS, ids=[name for name, _ in OPERATIONS])
    def test_explains_every_operation_and_parameter(self, name: str, operation: dict[str, Any]) -> None:
        assert operation["description"].strip()
        for parameter in operation.get("parameters", []):
            assert parameter.get("description") or parameter["schema"].get("description"), parameter["name"]

    def test_closes_only_personal_and_staff_data_to_the_public(self) -> None:
        closed = {path for path, methods in contract.schema()["paths"].items()
                  if "get" in methods and {} not in methods["get"]["security"]}
        assert {path.split("/")[2] for path in closed} == {
            "audit", "bans", "deliveries", "follows", "me", "questions", "submissions", "tokens", "webhooks", "workers"}

    @pytest.mark.parametrize(("name", "operation"), OPERATIONS, ids=[name for name, _ in OPERATIONS])
    def test_lists_the_problems_of_every_operation(self, name: str, operation: dict[str, Any]) -> None:
        assert {"400", "401", "403", "406", "429"} <= set(operation["responses"])
        for status, answer in operation["responses"].items():
            assert (status >= "400") == ("application/problem+json" in answer.get("content", {})), status


class TestALimit:
    @pytest.mark.parametrize(("component", "parameter", "words"), [
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
        ("NewToken", "name", f"{tokens.MOST}"), ("NewWebhook", "url", f"{webhooks.MOST_WEBHOOKS}")])
    def test_is_stated_in_the_description_of_its_parameter(self, component: str, parameter: str, words: str) -> None:
        described = contract.schema()["components"]["schemas"][component]["properties"][parameter]
        assert words in described["description"]


class TestAText:
    def test_has_a_minimum_length_only_in_requests_that_need_it(self) -> None:
        schemas = contract.schema()["components"]["schemas"]
        name = schemas["NewTeam"]["properties"]["name"]
        assert (name["minLength"], name["pattern"]) == (1, r"\S")
        assert "minLength" not in schemas["Schedule"]["properties"]["description"]
        assert not [(component, field) for component in ("Submission", "Step", "Me", "Game", "Candidacy")
                    for field, facts in schemas[component]["properties"].items() if "minLength" in facts]


class TestAnAnswer:
    CELL = {"$ref": "#/components/schemas/CrosstableCell"}

    def test_has_the_described_properties(self) -> None:
        contract.validate({"opponent": "morphy", "score": SCORE}, self.CELL)
        contract.validate({"opponent": "morphy", "score": None}, self.CELL)

    @pytest.mark.parametrize("body", [
        {"opponent": "morphy"}, {"opponent": "morphy", "score": None, "rank": 1},
        {"opponent": "morphy", "score": {**SCORE, "byes": 0}},
        {"opponent": "morphy", "score": {name: fact for name, fact in SCORE.items() if name != "share"}}])
    def test_has_no_extra_or_missing_property(self, body: dict[str, Any]) -> None:
        with pytest.raises(ValidationError):
            contract.validate(body, self.CELL)


class TestTheSchemaEndpoint:
    def test_serves_the_committed_file_as_yaml_or_json(self, client: Client) -> None:
        answer = client.get("/api/schema/")
        assert answer.content == contract.PATH.read_bytes()
        for asked in (client.get("/api/schema/?format=json"),
                      client.get("/api/schema/", headers={"Accept": "application/vnd.oai.openapi+json"})):
            assert asked["Content-Type"].startswith("application/vnd.oai.openapi+json")
            assert asked.json() == yaml.load(answer.content, Loader=yaml.CSafeLoader)

    def test_may_be_cached_and_is_rate_limited(self, client: Client) -> None:
        answer = client.get("/api/schema/")
        assert (answer["Cache-Control"], answer["Vary"]) == ("public, max-age=600", "Accept, Accept-Encoding")
        assert "anonymous" in answer["RateLimit"]
        again = client.get("/api/schema/", headers={"If-None-Match": answer["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert client.get("/api/schema/?format=json")["ETag"] != answer["ETag"]

    def test_does_not_generate_the_schema(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delattr("drf_spectacular.generators.SchemaGenerator.get_schema")
        assert client.get("/api/schema/").status_code == 200


class TestAnAnonymousUser:
    @pytest.mark.parametrize("name", [name for name, _ in OPERATIONS if not name.startswith("get ")])
    def test_writes_nothing(self, anyone: APIClient, name: str) -> None:
        method, path = name.split()
        answer = getattr(anyone, method)(re.sub(r"{\w+}", "1", path), {}, format="json")
        assert contract.problem(answer)[0] == 401
