"""The schema as the code generates it (`test_schema` holds the committed one against it), and answers held to it."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from jsonschema import Draft202012Validator

PATH = Path(__file__).resolve().parents[3] / "docs" / "openapi.yaml"


@cache
def schema() -> dict[str, Any]:
    return json.loads(OpenApiJsonRenderer().render(SchemaGenerator().get_schema(public=True), renderer_context={}))


def check(response: Any, operation: str, method: str = "get") -> None:
    """Raise where the answer's body is not what the schema says of that operation, status and content type."""
    answers = schema()["paths"][operation][method]["responses"]
    body = answers[str(response.status_code)]["content"][response["Content-Type"]]["schema"]
    Draft202012Validator({**body, "components": schema()["components"]}).validate(response.json())


def problem(response: Any) -> tuple[int, str]:
    """Status and sentence of an error, which has to come as problem details."""
    assert response["Content-Type"] == "application/problem+json"
    body = response.json()
    Draft202012Validator({"$ref": "#/components/schemas/Problem", "components": schema()["components"]}).validate(body)
    assert body["status"] == response.status_code
    return response.status_code, body["detail"]


def malformed(response: Any) -> list[str]:
    """The fields at fault in an answer 400, each once, without their places in lists."""
    assert problem(response)[0] == 400
    return sorted({error["field"].split(".")[0] for error in response.json()["errors"]})
