"""The page that shows the schema and tries operations out."""

from typing import Any

from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.request import Request
from rest_framework.response import Response

# Swagger UI brings style elements and pictures of its own; its scripts are this site's files.
_POLICY = ("default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
           "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'")


class DocsView(SpectacularSwaggerSplitView):
    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """The page, under a content security policy that lets it have its styles."""
        answer = super().get(request, *args, **kwargs)
        answer.headers["Content-Security-Policy"] = _POLICY
        return answer
