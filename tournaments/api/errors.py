"""A refusal of the domain becomes an answer: 409 with its sentence."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers, status
from rest_framework.exceptions import APIException, NotFound, PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView, exception_handler

from tournaments.services.errors import Refused
from tournaments.services.rights import Forbidden


class Conflict(APIException):
    """What was asked for is well-formed, but not to be done now."""

    status_code = status.HTTP_409_CONFLICT
    default_code = "refused"


class NowhereView(APIView):
    """Every address below the API's that is none: its clients read JSON, not the site's page."""

    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise NotFound("There is nothing at this address; /api/docs/ shows what there is.")


class RefusalSerializer(serializers.Serializer):
    detail = serializers.CharField(help_text="A sentence that says what is wrong.")


def answer(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's own answer, with refusals translated. None lets the error through as a 500."""
    if isinstance(error, Forbidden):
        error = PermissionDenied(str(error))
    elif isinstance(error, Refused):
        error = Conflict(str(error))
    return exception_handler(error, context)


def refusable(*, malformed: bool = True, **answers: Any) -> dict[int, Any]:
    """An operation's answers for the schema: the refusals, and `ok=`, `created=` or `taken=` a serializer."""
    codes = {"ok": status.HTTP_200_OK, "created": status.HTTP_201_CREATED, "taken": status.HTTP_202_ACCEPTED}
    refusals = {
        status.HTTP_401_UNAUTHORIZED: OpenApiResponse(RefusalSerializer, "You are not signed in."),
        status.HTTP_403_FORBIDDEN: OpenApiResponse(RefusalSerializer, "You may not do this."),
        status.HTTP_409_CONFLICT: OpenApiResponse(RefusalSerializer, "The service refuses, and says why."),
    }
    if malformed:
        refusals[status.HTTP_400_BAD_REQUEST] = OpenApiResponse(
            OpenApiTypes.OBJECT, "Malformed: for each field at fault, a list of sentences.")
    return {codes[name]: serializer for name, serializer in answers.items()} | refusals
