"""Every error of the API becomes an answer with problem details; a refusal of the domain 409 with its sentence."""

import random
from functools import lru_cache
from typing import Any, Final

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template import loader
from django.utils import translation
from django.views import defaults
from drf_spectacular.utils import OpenApiResponse
from rest_framework import status
from rest_framework.exceptions import APIException, NotFound, ParseError, PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView, exception_handler

from tournaments.operations.security_log import refused
from tournaments.platform.refusals import Forbidden, Refused
from tournaments.web.problems import KINDS, MEDIA_TYPE, ProblemRenderer, ProblemSerializer, field_errors, problem

# Whoever is sent away comes back at a time of their own, and not all at once.
_RETRY_SECONDS: Final = (3, 12)


class Conflict(APIException):
    """What was asked for is well-formed, but not to be done now."""

    status_code = status.HTTP_409_CONFLICT
    default_code = "refused"


class TooLarge(APIException):
    """The body is larger than the service reads."""

    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_detail = "The request is too large."


class NotFoundView(APIView):
    """Every address below the API's that is none: its clients read JSON, not the site's page."""

    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise NotFound("There is nothing at this address; /api/docs/ shows what there is.")


def answer(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's own answer as problem details, with refusals translated. None lets the error through as a 500."""
    if isinstance(error, Forbidden):
        error = PermissionDenied(str(error))
    elif isinstance(error, Refused):
        error = Conflict(str(error))
    elif isinstance(error, RequestDataTooBig):
        error = TooLarge()
    elif isinstance(error, SuspiciousOperation):
        error = ParseError(str(error))
    response = exception_handler(error, context)
    if response is None or response.status_code not in KINDS:
        return response
    request = context["request"]
    if response.status_code == status.HTTP_403_FORBIDDEN:
        refused(str(response.data["detail"]))
    errors = field_errors(response.data) if isinstance(error, ValidationError) else None
    detail = _summary(errors) if errors is not None else str(response.data["detail"])
    response.data = problem(response.status_code, detail, request.path, errors)
    request.accepted_renderer, request.accepted_media_type = ProblemRenderer(), MEDIA_TYPE
    return response


def _summary(errors: list[dict[str, str]]) -> str:
    return " ".join(f"{error['field']}: {error['detail']}" if error["field"] else error["detail"] for error in errors)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's answer to what no view has seen, such as a host that is not ours; below /api/ with problem details."""
    if request.path.startswith("/api/"):
        return _plain(status.HTTP_400_BAD_REQUEST, "The request cannot be read.", request)
    return defaults.bad_request(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's answer to an error that nothing expected; below /api/ with problem details, and no secrets."""
    if request.path.startswith("/api/"):
        return _plain(status.HTTP_500_INTERNAL_SERVER_ERROR, "Something went wrong here; it has been logged.", request)
    return defaults.server_error(request)


def unavailable(request: HttpRequest) -> HttpResponse:
    """What is said while the database is away, or has too many who want something of it."""
    code = status.HTTP_503_SERVICE_UNAVAILABLE
    if request.path.startswith("/api/"):
        response = _plain(code, "The service has too much to do just now, or is being restarted.", request)
    else:
        response = _page(code, request)
    response["Retry-After"] = random.randint(*_RETRY_SECONDS)  # noqa: S311 - not for secrets
    return response


# What is said to whoever sends a body that is not read, or not to its end.
_TURNED_AWAY: Final = {
    status.HTTP_400_BAD_REQUEST: "The request cannot be read: its body is incomplete, or in a form that nothing reads.",
    status.HTTP_408_REQUEST_TIMEOUT: "The request's body came too slowly.",
    status.HTTP_411_LENGTH_REQUIRED: "Say how long the body is: `Content-Length`.",
    status.HTTP_413_REQUEST_ENTITY_TOO_LARGE: "The request is too large.",
    status.HTTP_415_UNSUPPORTED_MEDIA_TYPE: "The body has to be in UTF-8, and its `Content-Type` has to be readable.",
}


def turned_away(request: HttpRequest, code: int) -> HttpResponse:
    """What is said before the site has looked at a request: 400, 408, 411, 413 or 415, because of its body."""
    if request.path.startswith("/api/"):
        return _plain(code, _TURNED_AWAY[code], request)
    return _page(code, request)


def forbidden(request: HttpRequest, detail: str) -> HttpResponse:
    """What a middleware says below /api/ to whoever may not come in."""
    return _plain(status.HTTP_403_FORBIDDEN, detail, request)


def _page(code: int, request: HttpRequest) -> HttpResponse:
    return HttpResponse(_drawn(code, translation.get_language_from_request(request)), status=code)


@lru_cache
def _drawn(code: int, language: str) -> str:
    """Drawn once: there are few languages, and many who are sent away at a time."""
    with translation.override(language):
        return loader.get_template(f"{code}.html").render()


def _plain(code: int, detail: str, request: HttpRequest) -> HttpResponse:
    return JsonResponse(problem(code, detail, request.path), status=code, content_type=MEDIA_TYPE)


def refusal(description: str) -> OpenApiResponse:
    """An answer with problem details, for the schema."""
    return OpenApiResponse(ProblemSerializer, description)


def refusable(*, malformed: bool = True, **answers: Any) -> dict[Any, Any]:
    """An operation's answers for the schema: the refusals, and `ok=`, `created=` or `taken=` a serializer.

    What any operation may answer (not found, throttled …) is added to the schema by `tournaments.api.plumbing.schema`.
    """
    codes = {"ok": status.HTTP_200_OK, "created": status.HTTP_201_CREATED, "taken": status.HTTP_202_ACCEPTED,
             "gone": status.HTTP_204_NO_CONTENT}
    refusals = {
        status.HTTP_401_UNAUTHORIZED: refusal("You are not signed in."),
        status.HTTP_403_FORBIDDEN: refusal("You may not do this."),
        status.HTTP_409_CONFLICT: refusal("The service refuses, and says why."),
    }
    if malformed:
        refusals[status.HTTP_400_BAD_REQUEST] = refusal("Malformed: `errors` names the fields at fault.")
    return ({codes[name]: serializer for name, serializer in answers.items()}
            | {(code, MEDIA_TYPE): described for code, described in refusals.items()})
