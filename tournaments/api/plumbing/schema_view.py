"""The schema as it was built with the release: to generate it takes half a second, and it changes with nothing else."""

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

# A reader may keep it for so long after an upgrade.
_SECONDS: Final = 600


class SchemaView(APIView):
    """`docs/openapi.yaml`, or the same as JSON."""

    schema = None
    # The same for everybody: shared caches need not tell sessions apart.
    authentication_classes = []
    permission_classes = [AllowAny]
    # For the negotiation alone: what they would render is at hand.
    renderer_classes = [renderers.OpenApiYamlRenderer, renderers.OpenApiYamlRenderer2,
                        renderers.OpenApiJsonRenderer, renderers.OpenApiJsonRenderer2]

    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        """The whole of it; 304 to who has it."""
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
