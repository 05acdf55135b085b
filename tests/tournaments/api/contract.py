"""Checks of answers against the committed schema, which is what the code generates (`test_schema`)."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from rest_framework.test import APIClient

PATH = Path(__file__).resolve().parents[3] / "docs" / "openapi.yaml"


@cache
def schema() -> dict[str, Any]:
    return yaml.load(PATH.read_bytes(), Loader=yaml.CSafeLoader)


# All other properties are in every answer, null or not. The schema requires only those that have no default.
_LEFT_OUT = {"Problem": {"errors"}, "ReplayTurn": {"seconds", "note", "marked"}}


@cache
def _components() -> dict[str, Any]:
    """The schema's components, changed so that an answer must have exactly their properties."""
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
    """Raise an error if the body does not match the description, or lacks or adds a property."""
    Draft202012Validator({**_exact(described, set()), "components": _components()}).validate(body)


def check(response: Any, operation: str, method: str = "get") -> None:
    """Raise an error if the schema does not describe such an answer of that operation."""
    answers = schema()["paths"][operation][method]["responses"]
    content = answers[str(response.status_code)].get("content")
    if content is None:
        assert response.content == b""
        return
    kind = response["Content-Type"].partition(";")[0]
    if kind.endswith("json"):
        validate(response.json(), content[kind]["schema"])
    else:
        assert kind in content


def problem(response: Any) -> tuple[int, str]:
    """Status and message of an error, which must be in the form of problem details."""
    assert response["Content-Type"] == "application/problem+json"
    body = response.json()
    validate(body, {"$ref": "#/components/schemas/Problem"})
    assert body["status"] == response.status_code
    return response.status_code, body["detail"]


def malformed(response: Any) -> list[str]:
    """The invalid fields that an answer with status 400 names, each once, without list indices."""
    assert problem(response)[0] == 400
    return sorted({error["field"].split(".")[0] for error in response.json()["errors"]})


def post(client: APIClient, path: str, **body: Any) -> Any:
    return client.post(f"/api/{path}", body, format="json")


def read(client: APIClient, path: str, **query: Any) -> Any:
    """The body of the answer to a request that must succeed."""
    answer = client.get(f"/api/{path}", query)
    assert answer.status_code == 200, answer.content
    return answer.json()
