"""The OpenAPI schema: committed, current, and explained."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from tests.tournaments.api import contract

OPERATIONS = [(f"{method} {path}", operation) for path, methods in contract.schema()["paths"].items()
              for method, operation in methods.items()]


class TestTheCommittedSchema:
    def test_is_what_the_code_generates_without_a_warning(self, tmp_path: Path) -> None:
        generated = tmp_path / "openapi.yaml"
        call_command("spectacular", file=str(generated), validate=True, fail_on_warn=True)
        assert contract.PATH.read_text("utf-8") == generated.read_text("utf-8"), (
            "write it anew: manage.py spectacular --file docs/openapi.yaml")

    @pytest.mark.parametrize(("name", "operation"), OPERATIONS, ids=[name for name, _ in OPERATIONS])
    def test_explains_every_operation_and_parameter(self, name: str, operation: dict[str, Any]) -> None:
        assert operation["description"].strip()
        for parameter in operation.get("parameters", []):
            assert parameter.get("description") or parameter["schema"].get("description"), parameter["name"]

    def test_lets_anybody_read_all_but_submissions(self) -> None:
        closed = {name for name, operation in OPERATIONS if {} not in operation["security"]}
        assert {name for name in closed if name.startswith("get ")} == {
            "get /api/submissions/", "get /api/submissions/{id}/"}
