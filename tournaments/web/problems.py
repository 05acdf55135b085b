"""Body of every error of the API: problem details (RFC 9457), in `application/problem+json`.

`type` is the URL of the explanation of its kind, which is public below /api/problems/.
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
    """Kind of error: slug, HTTP status, title and remedy."""

    slug: str
    status: int
    title: str
    remedy: str


KINDS: Final = {kind.status: kind for kind in (
    Kind("malformed", 400, "Malformed request", "Correct the fields in `errors`. Without `errors`, the body itself "
                                                "cannot be parsed."),
    Kind("not-signed-in", 401, "Not signed in", "Send a valid token: `Authorization: Token …`."),
    Kind("forbidden", 403, "Forbidden", "Ask a user with permission, such as an organiser or the bot's owner. Use "
                                        "https."),
    Kind("not-found", 404, "Not found", "Check the list that should contain the object."),
    Kind("no-such-method", 405, "Method not allowed", "Use one of the methods in the header `Allow`."),
    Kind("not-offered", 406, "Not acceptable", "Accept application/json, or the media type given at /api/docs/."),
    Kind("too-slow", 408, "Request timed out", "Send the request again, over a faster connection or in smaller parts."),
    Kind("refused", 409, "Refused", "See `detail` for the reason. The request is well-formed, but conflicts with the "
                                    "present state; it may be possible later, or with other input."),
    Kind("without-length", 411, "Length required", "Send the length of the body in `Content-Length`, not in chunks."),
    Kind("too-large", 413, "Request too large", "Send a smaller body."),
    Kind("not-understood", 415, "Unsupported media type", "Send application/json in UTF-8; an archive as form data."),
    Kind("throttled", 429, "Too many requests", "Wait for the number of seconds in the header `Retry-After`."),
    Kind("fault", 500, "Internal error", "Try again later, and report the error to the site's operator."),
    Kind("unavailable", 503, "Temporarily unavailable", "Wait for the number of seconds in the header `Retry-After`, "
                                                        "or try again later."),
)}


class KindSerializer(serializers.Serializer):
    slug = serializers.CharField(help_text="Last path segment of the `type` URI.")
    status = serializers.IntegerField(help_text="HTTP status of the answer.")
    title = serializers.CharField(help_text="Short name of the kind.")
    remedy = serializers.CharField(help_text="Advice on how to resolve the problem.")


class FieldErrorSerializer(serializers.Serializer):
    field = serializers.CharField(help_text="Path of the field or parameter, separated by dots; empty for the request "
                                            "as a whole.")
    detail = serializers.CharField(help_text="Error in the field, as a sentence.")


class ProblemSerializer(serializers.Serializer):
    type = serializers.CharField(help_text="URI of the kind's explanation; the same for all problems of a kind.")
    title = serializers.CharField(help_text="Short name of the kind.")
    status = serializers.IntegerField(help_text="HTTP status of the answer, repeated.")
    detail = serializers.CharField(help_text="Explanation of this problem, as a sentence.")
    instance = serializers.CharField(help_text="Path of the request.")
    errors = FieldErrorSerializer(many=True, required=False, help_text="Errors field by field; absent unless the "
                                                                       "request is malformed.")


class ProblemRenderer(JSONRenderer):
    """Renderer of JSON under the media type of problem details."""

    media_type = MEDIA_TYPE


class ProblemViewSet(ViewSet):
    lookup_field = "slug"

    @extend_schema(responses=KindSerializer(many=True))
    def list(self, request: Request) -> Response:
        """List all kinds of errors. The list is not paginated."""
        return Response(KindSerializer(KINDS.values(), many=True).data)

    @extend_schema(
        parameters=[OpenApiParameter("slug", str, OpenApiParameter.PATH, description="Slug of the kind.")],
        responses=KindSerializer,
    )
    def retrieve(self, request: Request, slug: str) -> Response:
        """Return one kind of error, to which the `type` of a problem refers."""
        for kind in KINDS.values():
            if kind.slug == slug:
                return Response(KindSerializer(kind).data)
        raise NotFound(f"There is no problem {slug!r}. Use one of {', '.join(kind.slug for kind in KINDS.values())}.")


def problem(status: int, detail: str, path: str, errors: list[dict[str, str]] | None = None) -> dict[str, Any]:
    """Return the body for a status of `KINDS`; `path` is the path of the request, not escaped."""
    kind = KINDS[status]
    body: dict[str, Any] = {"type": f"/api/problems/{kind.slug}/", "title": kind.title, "status": status,
                            "detail": detail, "instance": escape_uri_path(path)}
    return body if errors is None else {**body, "errors": errors}


def field_errors(detail: Any) -> list[dict[str, str]]:
    """Return DRF's nested errors as one flat list; positions in lists become numbers, from 0."""
    return [{"field": field, "detail": sentence} for field, sentence in _flat(detail, ())]


def _flat(detail: Any, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if isinstance(detail, dict):
        for name, inner in detail.items():
            # Errors of the whole have no field of their own.
            yield from _flat(inner, path if name == "non_field_errors" else (*path, str(name)))
    elif isinstance(detail, list):
        for number, inner in enumerate(detail):
            nested = isinstance(inner, dict | list)
            yield from _flat(inner, (*path, str(number)) if nested else path)
    else:
        yield ".".join(path), str(detail)
