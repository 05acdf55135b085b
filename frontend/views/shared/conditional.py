"""Conditional responses by ETag."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response


def render_unless_known(request: HttpRequest, template: str, etag: str,
                        context: Callable[[], dict[str, Any]]) -> HttpResponse:
    """Return 304 if the request names this ETag; otherwise compute the context and render the template."""
    known = get_conditional_response(request, etag=f'"{etag}"')
    response = known or render(request, template, {**context(), "etag": etag})
    response["ETag"] = f'"{etag}"'
    response["Cache-Control"] = "no-cache"
    return response
