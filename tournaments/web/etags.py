"""Conditional GETs: a client that already has the answer gets 304, and the answer is not sent, or not even computed.

The middleware tags every answer of the API with a hash of its body. A view with a cheaper tag, such as an event's
revision, decorates its method with `tagged`.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.middleware.http import ConditionalGetMiddleware
from django.utils.cache import get_conditional_response
from rest_framework.request import Request
from rest_framework.response import Response


class ApiETagMiddleware(ConditionalGetMiddleware):
    """Django's conditional GET, for /api/ only: pages differ each time in their nonces and tokens."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if not request.path.startswith("/api/"):
            return response
        if request.method == "GET" and not response.has_header("Cache-Control"):
            # Clients must revalidate each time, because permissions and rows change.
            response["Cache-Control"] = "private, no-cache"
        return super().process_response(request, response)


def tagged(tag: Callable[[Any], str]) -> Callable[[Callable[..., Response]], Callable[..., Response]]:
    """Return a decorator for GET methods of view sets; `tag(object)` must change whenever the object's answer does.

    The object comes from the view's `get_object`, so permissions are checked first. The method is called only if the
    client has another tag; it finds the object in `self.tagged_object`.
    """
    def decorate(method: Callable[..., Response]) -> Callable[..., Response]:
        @wraps(method)
        def answer(view: Any, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
            view.tagged_object = view.get_object()
            etag = f'"{tag(view.tagged_object)}"'
            response = get_conditional_response(request._request, etag=etag)  # noqa: SLF001 - Django's own request
            if response is None:
                response = method(view, request, *args, **kwargs)
            response["ETag"] = etag
            return response
        return answer
    return decorate
