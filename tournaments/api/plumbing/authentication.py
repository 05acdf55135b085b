"""Authentication of requests by the token in the header."""

from typing import Any, Final

from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from tournaments.models import Token
from tournaments.models.lifecycle import TokenScope
from tournaments.operations.security_log import tell
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.services.accounts.tokens import TokenRefused, refuse_beyond_scope, use_token

_SCHEMES: Final = (b"token", b"bearer")


class TokenAuthentication(BaseAuthentication):
    """Authentication by `Authorization: Token sqf_…` or `Authorization: Bearer sqf_…`; sets `request.auth` to the row.

    Every token can read. A write needs a token with the view's `token_scope`, if it has one, or with full scope. The
    check is here and not in a permission class, because a view can replace its permission classes.
    """

    def authenticate(self, request: Request) -> tuple[Any, Token] | None:
        """Return user and token, or None without such a header. Raises AuthenticationFailed, PermissionDenied."""
        words = get_authorization_header(request).split()
        if not words or words[0].lower() not in _SCHEMES:
            return None
        if len(words) != 2:
            raise AuthenticationFailed("The Authorization header must have the form `Token sqf_…`, with exactly one "
                                       "token.")
        try:
            token = use_token(text=words[1].decode("ascii", "replace"), now=timezone.now())
        except TokenRefused as refusal:
            tell("token refused", reason=str(refusal))
            raise AuthenticationFailed(str(refusal)) from refusal
        try:
            refuse_beyond_scope(token, _wanted(request))
        except Forbidden as refusal:
            raise PermissionDenied(str(refusal)) from refusal
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return "Token"


def _wanted(request: Request) -> str:
    if request.method in SAFE_METHODS:
        return TokenScope.READING
    return getattr(request.parser_context["view"], "token_scope", TokenScope.EVERYTHING)


class TokenScheme(OpenApiAuthenticationExtension):
    target_class = TokenAuthentication
    name = "tokenAuth"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "apiKey", "in": "header", "name": "Authorization",
                "description": "`Token sqf_…`. Create tokens on your account page."}
