"""Answers that the generated schema lists for every operation: errors that any request can meet, and 304."""

from collections.abc import Iterator
from typing import Any, Final

from tournaments.web.problems import MEDIA_TYPE

_ALWAYS: Final = {
    "400": "Malformed request. `errors` lists the invalid parameters or fields.",
    "401": "The token is invalid, or you are not signed in.",
    "403": "You do not have permission.",
    "406": "None of the media types in `Accept` is available.",
    "429": "Too many requests. Wait for the number of seconds in `Retry-After`.",
}
_NOT_FOUND: Final = "Not found, or you are not allowed to see it."
_WITH_A_BODY: Final = {"413": "The body is too large.", "415": "The media type or encoding of the body is not "
                                                               "supported."}
_METHODS: Final = ("get", "post", "put", "patch", "delete")


def add_problems(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add the possible problems to every operation; a post-processing hook of drf-spectacular."""
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
            responses.setdefault("304", {"description": "Not modified: the ETag matches `If-None-Match`."})
        operation["responses"] = dict(sorted(responses.items()))
    return result


def _operations(result: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, operations in result["paths"].items():
        for method in _METHODS:
            if method in operations:
                yield path, method, operations[method]

