"""What the generated schema has to say of every operation: the errors that any request may meet, and 304."""

from collections.abc import Iterator
from typing import Any, Final

from tournaments.web.problems import MEDIA_TYPE

_ALWAYS: Final = {
    "400": "Malformed: `errors` names the parameters or fields at fault.",
    "401": "The token is wrong, or you are not signed in.",
    "403": "You may not do this.",
    "406": "What you accept is not on offer.",
    "429": "Too many requests: wait for as long as `Retry-After` says.",
}
_NOT_FOUND: Final = "There is no such thing, or it is not for you to see."
_WITH_A_BODY: Final = {"413": "The body is too large.", "415": "The body is not in a form that is understood."}
_METHODS: Final = ("get", "post", "put", "patch", "delete")


def add_problems(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """A post-processing hook of drf-spectacular: every operation names the problems that it may answer with."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for path, method, operation in _operations(result):
        answers = dict(_ALWAYS)
        if "{" in path or method == "get":
            answers["404"] = _NOT_FOUND
        if "requestBody" in operation:
            answers |= _WITH_A_BODY
        responses = operation["responses"]
        for status, description in answers.items():
            responses.setdefault(status, {"content": content, "description": description})
        if method == "get":
            responses.setdefault("304", {"description": "It is what you have: its ETag is in `If-None-Match`."})
        operation["responses"] = dict(sorted(responses.items()))
    return result


def _operations(result: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, operations in result["paths"].items():
        for method in _METHODS:
            if method in operations:
                yield path, method, operations[method]

