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


# All other properties are in every answer, null or not; the schema requires those alone that have no default.
_LEFT_OUT = {"Problem": {"errors"}, "ReplayTurn": {"seconds", "note", "marked"}}


@cache
def _components() -> dict[str, Any]:
    """The schema's components, of which an answer has exactly the properties."""
    return {"schemas": {name: _exact(component, _LEFT_OUT.get(name, set()))
                        for name, component in schema()["components"]["schemas"].items()}}


def _exact(part: Any, left_out: set[str]) -> Any:
    if isinstance(part, list):
        return [_exact(each, left_out) for each in part]
    if not isinstance(part, dict):
        return part
    exact = {name: _exact(each, left_out) for name, each in part.items()}
    if part.get("type") == "object" and "properties" in part:
        exact |= {"additionalProperties": False, "required": sorted(set(part["properties"]) - left_out)}
    return exact


def validate(body: Any, described: dict[str, Any]) -> None:
    """Raise where the body is not what is described, or has a property more or less."""
    Draft202012Validator({**_exact(described, set()), "components": _components()}).validate(body)


def check(response: Any, operation: str, method: str = "get") -> None:
    """Raise where the answer's body is not what the schema says of that operation, status and content type."""
    answers = schema()["paths"][operation][method]["responses"]
    validate(response.json(), answers[str(response.status_code)]["content"][response["Content-Type"]]["schema"])


def problem(response: Any) -> tuple[int, str]:
    """Status and sentence of an error, which has to come as problem details."""
    assert response["Content-Type"] == "application/problem+json"
    body = response.json()
    validate(body, {"$ref": "#/components/schemas/Problem"})
    assert body["status"] == response.status_code
    return response.status_code, body["detail"]


def malformed(response: Any) -> list[str]:
    """The fields at fault in an answer 400, each once, without their places in lists."""
    assert problem(response)[0] == 400
    return sorted({error["field"].split(".")[0] for error in response.json()["errors"]})
