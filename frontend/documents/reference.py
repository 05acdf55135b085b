"""The API schema (`docs/openapi.yaml`) prepared for pages: operations by tag, and the objects they use."""

import json
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import yaml
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from frontend.documents.library import DOCS
from frontend.documents.markdown import fragment

JSON = dict[str, Any]
_METHODS: Final = ("get", "post", "put", "patch", "delete")
_REF: Final = "#/components/schemas/"
# The error object that every operation may return. The index page explains it once.
_PROBLEM: Final = "Problem"


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter, or a property of an object. `where` is the location of a parameter: path or query."""

    name: str
    kind: SafeString
    required: bool
    says: SafeString
    where: str = ""


@dataclass(frozen=True, slots=True)
class Schema:
    """An object used in requests or responses."""

    name: str
    says: SafeString
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The response for a status; `kind` is empty if it has no body."""

    status: str
    kind: SafeString
    says: SafeString


@dataclass(frozen=True, slots=True)
class Operation:
    """A method of a path. `problems` are the statuses common to all operations; `curl` uses `$SITE` for the site."""

    name: str
    method: str
    path: str
    summary: str
    says: SafeString
    signed_in: bool
    parameters: tuple[Field, ...]
    body: SafeString
    answers: tuple[Answer, ...]
    problems: tuple[str, ...]
    curl: str


@dataclass(frozen=True, slots=True)
class Tag:
    """The operations on one resource, and the objects that its page explains."""

    name: str
    operations: tuple[Operation, ...]
    schemas: tuple[Schema, ...]


@cache
def tags() -> dict[str, Tag]:
    """All tags by name, in alphabetical order."""
    document = _document()
    found: dict[str, list[tuple[str, str, JSON]]] = {}
    for path, methods in document["paths"].items():
        for method in _METHODS:
            if method in methods:
                found.setdefault(methods[method]["tags"][0], []).append((path, method, methods[method]))
    return {name: _tag(name, found[name]) for name in sorted(found)}


@cache
def problems() -> dict[str, str]:
    """The meaning of each status common to all operations, in the wording that most operations use."""
    said: dict[str, list[str]] = {}
    for _, _, operation in _operations():
        for status, response in operation["responses"].items():
            if not _own(status):
                said.setdefault(status, []).append(response["description"])
    return {status: max(set(words), key=words.count) for status, words in sorted(said.items())}


@cache
def problem() -> Schema:
    """The schema of an error."""
    return _schema(_PROBLEM)


@cache
def _document() -> JSON:
    return yaml.load((DOCS / "openapi.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


def _operations() -> Iterator[tuple[str, str, JSON]]:
    for path, methods in _document()["paths"].items():
        yield from ((path, method, methods[method]) for method in _METHODS if method in methods)


def _own(status: str) -> bool:
    """Whether a status is specific to the operation rather than common to all requests."""
    return status.startswith("2") or status == "409"


def _tag(name: str, operations: list[tuple[str, str, JSON]]) -> Tag:
    named: dict[str, None] = {}
    for _, _, operation in operations:
        named |= dict.fromkeys(_named_in([operation.get("requestBody"), *(
            response for status, response in operation["responses"].items() if _own(status))]))
    named.pop(_PROBLEM, None)
    shown = [schema for schema in sorted(named) if "properties" in _component(schema)]
    return Tag(name, tuple(_operation(*each) for each in operations), tuple(_schema(schema) for schema in shown))


def _named_in(part: Any) -> Iterator[str]:
    """The names of all components that a part of the document refers to, directly or indirectly, each once."""
    seen: set[str] = set()
    waiting = [part]
    while waiting:
        match waiting.pop():
            case {"$ref": str(target)} if target.startswith(_REF):
                name = target.removeprefix(_REF)
                if name not in seen:
                    seen.add(name)
                    waiting.append(_component(name))
                    yield name
            case dict() as inner:
                waiting.extend(inner.values())
            case list() as inner:
                waiting.extend(inner)


def _component(name: str) -> JSON:
    return _document()["components"]["schemas"][name]


def _operation(path: str, method: str, operation: JSON) -> Operation:
    body = operation.get("requestBody", {}).get("content", {})
    says = operation.get("description", "")
    return Operation(
        name=operation["operationId"], method=method.upper(), path=path, summary=_first_sentence(says),
        says=fragment(says), signed_in={} not in operation.get("security", [{}]),
        parameters=tuple(Field(each["name"], _kind(each["schema"]), each.get("required", False),
                               fragment(_without_values(each.get("description", ""))), each["in"])
                         for each in operation.get("parameters", ())),
        body=format_html_join(" or ", "{} ({})", ((_kind(form["schema"]), media) for media, form in body.items())),
        answers=tuple(_answer(status, response) for status, response in operation["responses"].items() if _own(status)),
        problems=tuple(status for status in operation["responses"] if not _own(status)),
        curl=_curl(path, method, operation, body))


def _answer(status: str, response: JSON) -> Answer:
    kinds = [_kind(form["schema"]) for form in response.get("content", {}).values()]
    kind = kinds[0] if kinds and status != "409" else SafeString("")
    return Answer(status, kind, fragment(response.get("description", "")))


def _schema(name: str) -> Schema:
    schema = _component(name)
    required = schema.get("required", ())
    return Schema(name, fragment(schema.get("description", "")), tuple(
        Field(field, _kind(inner), field in required, fragment(_without_values(inner.get("description", ""))))
        for field, inner in schema["properties"].items()))


def _kind(schema: JSON) -> SafeString:
    """Describe a type: "string", "list of Event", "one of a, b or null"."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_REF)
        component = _component(name)
        return format_html('<a href="#{}">{}</a>', name, name) if "properties" in component else _kind(component)
    for several in ("oneOf", "anyOf"):
        if several in schema:
            return format_html_join(" or ", "{}", ((_kind(each),) for each in schema[several]))
    if "allOf" in schema:
        return format_html_join(" and ", "{}", ((_kind(each),) for each in schema["allOf"]))
    if "enum" in schema:
        values = [json.dumps(value, ensure_ascii=False) for value in schema["enum"]]
        return format_html("one of {}", format_html_join(", ", "<code>{}</code>", ((value,) for value in values)))
    kinds = schema.get("type", "anything")
    return format_html_join(" or ", "{}", ((_plain_kind(kind, schema),) for kind in
                                           ([kinds] if isinstance(kinds, str) else kinds)))


def _plain_kind(kind: str, schema: JSON) -> SafeString:
    if kind == "array":
        return format_html("list of {}", _kind(schema["items"]))
    inner = schema.get("additionalProperties")
    if kind == "object" and isinstance(inner, dict) and inner:
        return format_html("object of {} by name", _kind(inner))
    words = {"date-time": "time", "date": "date", "uri": "address", "email": "e-mail address", "binary": "file"}
    return format_html("{}", words.get(schema.get("format", ""), kind) if kind == "string" else kind)


def _without_values(description: str) -> str:
    """Strip the list of values from the end of a description: the type lists them already."""
    return description.partition("\n\n* `")[0]


def _first_sentence(text: str) -> str:
    sentence, end, _ = " ".join(text.split()).partition(". ")
    return sentence + "." if end else sentence


def _curl(path: str, method: str, operation: JSON, body: JSON) -> str:
    """A command line that makes the request; path parameters become shell variables, and the site is `$SITE`."""
    words = ["curl"]
    if method != "get":
        words.append(f"-X {method.upper()}")
    if {} not in operation.get("security", [{}]):
        words.append('-H "Authorization: Token $TOKEN"')
    if "application/json" in body:
        example = json.dumps(_example(body["application/json"]["schema"]), ensure_ascii=False)
        words += ['-H "Content-Type: application/json"', f"-d {shlex.quote(example)}"]
    elif "multipart/form-data" in body:
        words += [f"-F {field}=@bot.zip" for field in _fields(body["multipart/form-data"]["schema"])]
    variables = "".join(f"${part[1:-1].upper()}" if part.startswith("{") else part for part in _split(path))
    return " ".join([*words, f'"$SITE{variables}"'])


def _split(path: str) -> Iterable[str]:
    """Split a path at its parameters: "/api/", "{slug}", "/"."""
    return path.replace("{", "\0{").replace("}", "}\0").split("\0")


def _fields(schema: JSON) -> list[str]:
    return list(_component(schema["$ref"].removeprefix(_REF))["required"]) if "$ref" in schema else []


def _example(schema: JSON) -> Any:
    """An example value. An object has its required fields, or its first field if none is required."""
    if "$ref" in schema:
        return _example(_component(schema["$ref"].removeprefix(_REF)))
    for several in ("allOf", "oneOf", "anyOf"):
        if several in schema:
            return _example(schema[several][0])
    if "enum" in schema:
        return schema["enum"][0]
    kinds = schema.get("type", "string")
    kind = kinds if isinstance(kinds, str) else kinds[0]
    if kind == "object":
        properties = {name: inner for name, inner in schema.get("properties", {}).items() if not inner.get("readOnly")}
        names = [name for name in properties if name in schema.get("required", ())] or list(properties)[:1]
        return {name: _example(properties[name]) for name in names}
    if kind == "array":
        return [_example(schema["items"])]
    formats = {"date-time": "2026-11-12T14:00:00Z", "date": "2026-11-12", "uri": "https://example.org/hook"}
    return {"integer": 1, "number": 1.5, "boolean": True}.get(kind, formats.get(schema.get("format", ""), "…"))
