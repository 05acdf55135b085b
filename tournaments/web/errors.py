"""Error answers: problem details for the API, with 409 for refusals by the domain, and pages for the site."""

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

# A random time, so that rejected clients do not all come back at once.
_RETRY_SECONDS: Final = (3, 12)


class Conflict(APIException):
    """Well-formed request that cannot be carried out at present."""

    status_code = status.HTTP_409_CONFLICT
    default_code = "refused"


class TooLarge(APIException):
    """Body larger than the limit."""

    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_detail = "The request is too large."


class NotFoundView(APIView):
    """View for unknown URLs below the API: its clients read JSON, not the site's page."""

    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise NotFound("There is nothing at this URL. See /api/docs/ for the available ones.")


def answer(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return DRF's answer as problem details, also for refusals; None lets the error through as a 500."""
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
    """Answer requests that no view has seen, such as one for an unknown host; below /api/ with problem details."""
    if request.path.startswith("/api/"):
        return _plain(status.HTTP_400_BAD_REQUEST, "The request cannot be read.", request)
    return defaults.bad_request(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer unexpected errors; below /api/ with problem details that reveal no secrets."""
    if request.path.startswith("/api/"):
        return _plain(status.HTTP_500_INTERNAL_SERVER_ERROR, "An internal error occurred. It has been logged.", request)
    return defaults.server_error(request)


def unavailable(request: HttpRequest) -> HttpResponse:
    """Return the answer for requests while the database is unavailable or overloaded."""
    code = status.HTTP_503_SERVICE_UNAVAILABLE
    if request.path.startswith("/api/"):
        response = _plain(code, "The service is overloaded or restarting. Try again shortly.", request)
    else:
        response = _page(code, request)
    response["Retry-After"] = random.randint(*_RETRY_SECONDS)  # noqa: S311 - not for secrets
    return response


# Answers to requests whose body is not read, or not to the end.
_TURNED_AWAY: Final = {
    status.HTTP_400_BAD_REQUEST: "The request cannot be read: its body is incomplete or malformed.",
    status.HTTP_408_REQUEST_TIMEOUT: "The body of the request arrived too slowly.",
    status.HTTP_411_LENGTH_REQUIRED: "The body needs a `Content-Length` header.",
    status.HTTP_413_REQUEST_ENTITY_TOO_LARGE: "The request is too large.",
    status.HTTP_415_UNSUPPORTED_MEDIA_TYPE: "The body must be in UTF-8, and its `Content-Type` must be valid.",
}


def turned_away(request: HttpRequest, code: int) -> HttpResponse:
    """Return the answer to a request that is rejected because of its body: 400, 408, 411, 413 or 415."""
    if request.path.startswith("/api/"):
        return _plain(code, _TURNED_AWAY[code], request)
    return _page(code, request)


def forbidden(request: HttpRequest, detail: str) -> HttpResponse:
    """Return a middleware's 403 answer below /api/."""
    return _plain(status.HTTP_403_FORBIDDEN, detail, request)


def _page(code: int, request: HttpRequest) -> HttpResponse:
    return HttpResponse(_drawn(code, translation.get_language_from_request(request)), status=code)


@lru_cache
def _drawn(code: int, language: str) -> str:
    """Render the page, cached: there are few languages, and many requests are rejected at a time."""
    with translation.override(language):
        return loader.get_template(f"{code}.html").render()


def _plain(code: int, detail: str, request: HttpRequest) -> HttpResponse:
    return JsonResponse(problem(code, detail, request.path), status=code, content_type=MEDIA_TYPE)


def refusal(description: str) -> OpenApiResponse:
    """Return an answer with problem details, for the schema."""
    return OpenApiResponse(ProblemSerializer, description)


def refusable(*, malformed: bool = True, **answers: Any) -> dict[Any, Any]:
    """Return an operation's answers for the schema: the refusals, and a serializer for `ok=`, `created=` or `taken=`.

    Answers that any operation can give (not found, throttled …) are added by `tournaments.api.plumbing.schema`.
    """
    codes = {"ok": status.HTTP_200_OK, "created": status.HTTP_201_CREATED, "taken": status.HTTP_202_ACCEPTED,
             "gone": status.HTTP_204_NO_CONTENT}
    refusals = {
        status.HTTP_401_UNAUTHORIZED: refusal("You are not signed in."),
        status.HTTP_403_FORBIDDEN: refusal("You do not have permission."),
        status.HTTP_409_CONFLICT: refusal("The service refuses; `detail` gives the reason."),
    }
    if malformed:
        refusals[status.HTTP_400_BAD_REQUEST] = refusal("Malformed request. `errors` lists the invalid fields.")
    return ({codes[name]: serializer for name, serializer in answers.items()}
            | {(code, MEDIA_TYPE): described for code, described in refusals.items()})
