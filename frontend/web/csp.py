"""The content security policy and the permissions policy of every page.

Scripts and styles must come from this site's files or carry the page's nonce.

A view that needs another policy sets the header itself; the middleware does not change it.
"""

import secrets
from collections.abc import Callable, Mapping
from types import MappingProxyType

from django.http import HttpRequest, HttpResponse

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    # Custom properties in style attributes carry shares and intervals into the style sheet.
    "style-src-attr": "'unsafe-inline'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "manifest-src": "'self'",
    "worker-src": "'self'",
    "frame-ancestors": "'none'",
    "base-uri": "'none'",
    "form-action": "'self'",
}
HEADER = "Content-Security-Policy"
# Features that no page of this site, nor any page framed by it, uses.
PERMISSIONS = ", ".join(f"{feature}=()" for feature in (
    "accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer", "microphone", "midi",
    "payment", "usb"))


class ContentSecurityPolicyMiddleware:
    """Adds the headers, and sets `request.csp_nonce` for templates with inline scripts.

    A cached page (`shared_pages`) keeps the nonce that it was rendered with.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.csp_nonce = secrets.token_urlsafe(16)
        response = self.get_response(request)
        response["Permissions-Policy"] = PERMISSIONS
        if HEADER not in response:
            response[HEADER] = header(request.csp_nonce)
        return response


def header(nonce: str, other: Mapping[str, str] = MappingProxyType({})) -> str:
    """The policy as one line, with the page's nonce. `other` directives replace the defaults."""
    with_nonce = {kind: f"{POLICY[kind]} 'nonce-{nonce}'" for kind in ("script-src", "style-src")}
    sources = {**POLICY, **with_nonce, **other}
    return "; ".join(f"{directive} {source}" for directive, source in sources.items())
