"""Conditional GETs: who has an answer already is told so with 304, and the answer is not sent, or not even made.

The middleware tags every answer of the API with a hash of its body. A view that knows a cheaper tag, such as an
event's revision, decorates its method with `tagged`.
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
    """Django's conditional GET, below /api/ alone: pages differ each time, in their nonces and tokens."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if not request.path.startswith("/api/"):
            return response
        if request.method == "GET" and not response.has_header("Cache-Control"):
            # To be asked for each time, by their tags: rights and rows change.
            response["Cache-Control"] = "private, no-cache"
        return super().process_response(request, response)


def tagged(tag: Callable[[Any], str]) -> Callable[[Callable[..., Response]], Callable[..., Response]]:
    """For methods of view sets that answer GET: `tag(object)` changes whenever the answer about that object does.

    The object is that of the view's `get_object`, so that what is not to be seen is refused first; the method is
    only called when the asker has another tag, and gets the same object from `self.tagged_object`.
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
