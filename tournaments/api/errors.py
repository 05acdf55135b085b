"""A refusal of the domain becomes an answer: 409 with its sentence."""

from typing import Any

from rest_framework import status
from rest_framework.exceptions import APIException
from rest_framework.response import Response
from rest_framework.views import exception_handler

from tournaments.services.errors import Refused


class Conflict(APIException):
    """What was asked for is well-formed, but not to be done now."""

    status_code = status.HTTP_409_CONFLICT
    default_code = "refused"


def answer(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's own answer, with refusals translated. None lets the error through as a 500."""
    if isinstance(error, Refused):
        error = Conflict(str(error))
    return exception_handler(error, context)
