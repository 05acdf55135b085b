"""Errors below /api/ are problem details (RFC 9457), wherever they arise."""

import json
from unittest.mock import Mock

import pytest
from django.core.exceptions import SuspiciousFileOperation
from django.test import Client
from rest_framework.test import APIClient

from tests.factories import make_event, make_version
from tests.tournaments.api import contract
from tournaments.api.matches.games import GameViewSet
from tournaments.web.problems import KINDS


class TestAProblem:
    def test_has_type_title_status_and_instance(self, anyone: APIClient) -> None:
        answer = anyone.get("/api/events/nowhere é/")
        assert contract.problem(answer)[0] == 404
        assert {**answer.json(), "detail": ""} == {
            "type": "/api/problems/not-found/", "title": "Not found", "status": 404, "detail": "",
            "instance": "/api/events/nowhere%20%C3%A9/"}

    def test_is_explained_at_the_address_of_its_type(self, anyone: APIClient) -> None:
        listed = anyone.get("/api/problems/").json()
        for kind in KINDS.values():
            answer = anyone.get(f"/api/problems/{kind.slug}/")
            contract.check(answer, "/api/problems/{slug}/")
            assert answer.json()["status"] == kind.status
            assert answer.json() in listed
        assert contract.problem(anyone.get("/api/problems/nothing/"))[0] == 404

    def test_names_every_invalid_field_with_its_position(self, organiser: APIClient) -> None:
        answer = organiser.post("/api/events/", {"name": "", "ladder": "x", "versions": [1, "x"]}, format="json")
        assert contract.problem(answer)[0] == 400
        assert [error["field"] for error in answer.json()["errors"]] == ["name", "ladder", "versions.1"]
        assert answer.json()["errors"][1]["detail"] == "There is no ladder 'x'."

    def test_has_an_error_without_a_field_for_an_invalid_body(self, organiser: APIClient) -> None:
        for body in ([], "text", 1, None):
            answer = organiser.post("/api/events/", body, format="json")
            assert contract.problem(answer)[0] == 400
        answer = organiser.post("/api/events/", [], format="json")
        assert [error["field"] for error in answer.json()["errors"]] == [""]
        answer = organiser.post("/api/events/", "{", content_type="application/json")
        assert contract.problem(answer)[1].startswith("JSON parse error")


class TestAProblemArises:
    def test_for_an_unknown_address(self, anyone: APIClient) -> None:
        for path in ("nothing/", "games/x\ny/z/", "events/a\nb/bundle/"):
            assert contract.problem(anyone.get(f"/api/{path}"))[0] == 404
        for ask in (anyone.get, anyone.post, anyone.put, anyone.delete):
            assert contract.problem(ask("/api/nothing/here/")) == (
                404, "There is nothing at this URL. See /api/docs/ for the available ones.")

    def test_for_an_unsupported_method(self, organiser: APIClient) -> None:
        for name in ("rulesets", "bots", "ladders", "events", "matches", "games", "submissions"):
            for ask in (organiser.put, organiser.patch, organiser.delete):
                answer = ask(f"/api/{name}/", {}, format="json")
                assert contract.problem(answer)[0] == 405
                assert "GET" in answer["Allow"]

    def test_for_an_unavailable_format_or_an_unsuitable_body(self, organiser: APIClient, settings) -> None:
        assert contract.problem(organiser.get("/api/games/", headers={"Accept": "text/html"}))[0] == 406
        answer = organiser.post("/api/events/", "a=b", content_type="application/x-www-form-urlencoded")
        assert contract.problem(answer)[0] == 415
        settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
        answer = organiser.post("/api/events/", json.dumps({"name": "x" * 200}), content_type="application/json")
        assert contract.problem(answer)[0] == 413

    def test_for_a_refusal_of_the_service(self, organiser: APIClient) -> None:
        event = make_event([make_version("Morphy"), make_version("Steinitz")], size=5)
        answer = organiser.post(f"/api/events/{event.slug}/start/")
        assert contract.problem(answer)[0] == 409
        assert answer.json()["type"] == "/api/problems/refused/"

    def test_for_an_unknown_host(self, db: None) -> None:
        assert contract.problem(Client(raise_request_exception=False).get(
            "/api/games/", headers={"Host": "evil.example"}))[0] == 400

    def test_for_a_fault_of_the_service_without_secrets(self, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
        client, answers = Client(raise_request_exception=False), []
        for fault in (SuspiciousFileOperation("the path leads out"), RuntimeError("the password is 1234")):
            monkeypatch.setattr(GameViewSet, "get_queryset", Mock(side_effect=fault))
            answers.append(client.get("/api/games/"))
        assert contract.problem(answers[0]) == (400, "the path leads out")
        assert contract.problem(answers[1])[0] == 500
        assert b"1234" not in answers[1].content
