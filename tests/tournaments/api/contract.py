"""The committed schema, and answers held against it."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator

PATH = Path(__file__).resolve().parents[3] / "docs" / "openapi.yaml"


@cache
def schema() -> dict[str, Any]:
    return yaml.safe_load(PATH.read_text("utf-8"))


def check(response: Any, operation: str, method: str = "get") -> None:
    """Raise where the answer's body is not what the schema says of that operation and status."""
    answers = schema()["paths"][operation][method]["responses"]
    body = answers[str(response.status_code)]["content"]["application/json"]["schema"]
    Draft202012Validator({**body, "components": schema()["components"]}).validate(response.json())
