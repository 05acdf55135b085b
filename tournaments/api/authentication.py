"""Who a request comes from, by the token in its header."""

from typing import Any, Final

from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from tournaments.models import Token
from tournaments.services.tokens import TokenRefused, use_token

_SCHEMES: Final = (b"token", b"bearer")


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Token sqf_…`, or `Bearer` in place of `Token`. `request.auth` is the token's row."""

    def authenticate(self, request: Request) -> tuple[Any, Token] | None:
        """User and token; None without such a header. Raises AuthenticationFailed with what is wrong."""
        words = get_authorization_header(request).split()
        if not words or words[0].lower() not in _SCHEMES:
            return None
        if len(words) != 2:
            raise AuthenticationFailed("The header Authorization has the form: Token sqf_…, with one token.")
        try:
            token = use_token(text=words[1].decode("ascii", "replace"), now=timezone.now())
        except TokenRefused as refusal:
            raise AuthenticationFailed(str(refusal)) from refusal
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return "Token"


class TokenScheme(OpenApiAuthenticationExtension):
    target_class = TokenAuthentication
    name = "tokenAuth"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "apiKey", "in": "header", "name": "Authorization",
                "description": "`Token sqf_…`; tokens are made on your account's page."}
