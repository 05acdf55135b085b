"""The body of every error: problem details (RFC 9457), in `application/problem+json`.

`type` leads to the explanation of its kind, which anybody can read below /api/problems/.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.utils.encoding import escape_uri_path
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

MEDIA_TYPE: Final = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of error: its slug, its status, what it is called, and what to do about it."""

    slug: str
    status: int
    title: str
    remedy: str


KINDS: Final = {kind.status: kind for kind in (
    Kind("malformed", 400, "Malformed", "Mend what `errors` names; without them the body itself cannot be read."),
    Kind("not-signed-in", 401, "Not signed in", "Send a token that is valid: `Authorization: Token …`."),
    Kind("forbidden", 403, "Not yours to do", "Ask somebody who may: an organiser, the bot's owner. Ask by https."),
    Kind("not-found", 404, "Not found", "Look at the list that the thing would be in."),
    Kind("no-such-method", 405, "No such method", "Use one of those in the header `Allow`."),
    Kind("not-offered", 406, "Not offered in that form", "Accept application/json, or what /api/docs/ says."),
    Kind("too-slow", 408, "Too slow", "Send it again, over a better connection or in smaller parts."),
    Kind("refused", 409, "Refused", "`detail` says what stands in the way: the state of things, not the request's "
                                    "form. It may be possible later, or for another input."),
    Kind("without-length", 411, "Without its length", "Send the body's length in `Content-Length`, not in chunks."),
    Kind("too-large", 413, "Too large", "Send less."),
    Kind("not-understood", 415, "Not understood in that form", "Send application/json in UTF-8; an archive as a form."),
    Kind("throttled", 429, "Too many requests", "Wait for as many seconds as the header `Retry-After` says."),
    Kind("fault", 500, "A fault of the service", "Not yours: try again later, and tell the site's operator."),
    Kind("unavailable", 503, "Not available now", "Wait for as many seconds as the header `Retry-After` says, "
                                                     "or try again later."),
)}


class KindSerializer(serializers.Serializer):
    slug = serializers.CharField(help_text="The end of the address that `type` has.")
    status = serializers.IntegerField(help_text="The HTTP status that it comes with.")
    title = serializers.CharField(help_text="What it is called.")
    remedy = serializers.CharField(help_text="What to do about it.")


class FieldErrorSerializer(serializers.Serializer):
    field = serializers.CharField(help_text="Which field or parameter, inner ones after dots; empty for the whole.")
    detail = serializers.CharField(help_text="A sentence that says what is wrong with it.")


class ProblemSerializer(serializers.Serializer):
    type = serializers.CharField(help_text="Address of the kind's explanation; the same for all of a kind.")
    title = serializers.CharField(help_text="What the kind is called.")
    status = serializers.IntegerField(help_text="The HTTP status, again.")
    detail = serializers.CharField(help_text="A sentence that says what is wrong here.")
    instance = serializers.CharField(help_text="The address that was asked for.")
    errors = FieldErrorSerializer(many=True, required=False, help_text="What is malformed, field by field.")


class ProblemRenderer(JSONRenderer):
    """JSON under the media type of problem details, whatever the operation answers otherwise."""

    media_type = MEDIA_TYPE


class ProblemViewSet(ViewSet):
    lookup_field = "slug"

    @extend_schema(responses=KindSerializer(many=True))
    def list(self, request: Request) -> Response:
        """The kinds of errors, all of them: this list has no pages."""
        return Response(KindSerializer(KINDS.values(), many=True).data)

    @extend_schema(
        parameters=[OpenApiParameter("slug", str, OpenApiParameter.PATH, description="The kind's slug.")],
        responses=KindSerializer,
    )
    def retrieve(self, request: Request, slug: str) -> Response:
        """One kind of error: where the `type` of a problem leads."""
        for kind in KINDS.values():
            if kind.slug == slug:
                return Response(KindSerializer(kind).data)
        raise NotFound(f"There is no problem {slug!r}; there are {', '.join(kind.slug for kind in KINDS.values())}.")


def problem(status: int, detail: str, path: str, errors: list[dict[str, str]] | None = None) -> dict[str, Any]:
    """The body for a status of `KINDS`; `path` is that of the request, not escaped."""
    kind = KINDS[status]
    body: dict[str, Any] = {"type": f"/api/problems/{kind.slug}/", "title": kind.title, "status": status,
                            "detail": detail, "instance": escape_uri_path(path)}
    return body if errors is None else {**body, "errors": errors}


def field_errors(detail: Any) -> list[dict[str, str]]:
    """DRF's nested sentences as one flat list; places in lists become numbers, from 0."""
    return [{"field": field, "detail": sentence} for field, sentence in _flat(detail, ())]


def _flat(detail: Any, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if isinstance(detail, dict):
        for name, inner in detail.items():
            # What concerns the whole has no field.
            yield from _flat(inner, path if name == "non_field_errors" else (*path, str(name)))
    elif isinstance(detail, list):
        for number, inner in enumerate(detail):
            nested = isinstance(inner, dict | list)
            yield from _flat(inner, (*path, str(number)) if nested else path)
    else:
        yield ".".join(path), str(detail)
