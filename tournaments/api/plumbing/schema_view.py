"""View of the schema that was built with the release; generating it takes half a second, and it never changes."""

import json
from functools import cache
from hashlib import sha256
from typing import Any, Final

import yaml
from django.conf import settings
from django.http import HttpResponse
from django.utils.cache import get_conditional_response
from drf_spectacular import renderers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.views import APIView

# A client can see the old schema for this long after an upgrade.
_SECONDS: Final = 600


class SchemaView(APIView):
    """View of `docs/openapi.yaml`, as YAML or JSON."""

    schema = None
    # The same for every user, so shared caches need not distinguish sessions.
    authentication_classes = []
    permission_classes = [AllowAny]
    # Only for content negotiation: the text is ready-made.
    renderer_classes = [renderers.OpenApiYamlRenderer, renderers.OpenApiYamlRenderer2,
                        renderers.OpenApiJsonRenderer, renderers.OpenApiJsonRenderer2]

    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        """Return the whole schema, or 304 if the client has it."""
        text, etag = _built(as_json=request.accepted_renderer.format == "json")
        response = get_conditional_response(request._request, etag=etag) or HttpResponse(  # noqa: SLF001 - Django's own
            text, content_type=f"{request.accepted_renderer.media_type}; charset=utf-8")
        response["ETag"] = etag
        response["Cache-Control"] = f"public, max-age={_SECONDS}"
        return response


@cache
def _built(*, as_json: bool) -> tuple[bytes, str]:
    text = (settings.BASE_DIR / "docs" / "openapi.yaml").read_bytes()
    if as_json:
        text = json.dumps(yaml.load(text, Loader=yaml.CSafeLoader), ensure_ascii=False).encode()
    return text, f'"{sha256(text).hexdigest()[:32]}"'
