"""Visitors: the key in their cookie, and their network."""

import secrets
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from tournaments.platform.addresses import address_of
from tournaments.services.accounts.visitors import Asker, network_of

_SALT: Final = "squarefield.visitor-cookie"
_LASTS_SECONDS: Final = 180 * 86_400


def asker_of(request: HttpRequest) -> Asker:
    """Return the sender of the request. A visitor without a cookie gets a key, which `remember` sets."""
    user = request.user if request.user.is_authenticated else None
    key = request.get_signed_cookie(settings.VISITOR_COOKIE_NAME, default="", salt=_SALT, max_age=_LASTS_SECONDS)
    return Asker(user, key or ("" if user else secrets.token_hex(16)), network_of_client(request))


def remember(response: HttpResponse, asker: Asker) -> HttpResponse:
    """Set the visitor's cookie on the response, unless the user has an account. Returns the response."""
    if asker.user is None:
        response.set_signed_cookie(settings.VISITOR_COOKIE_NAME, asker.visitor, salt=_SALT, max_age=_LASTS_SECONDS,
                                   httponly=True, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE)
    return response


def network_of_client(request: HttpRequest) -> str:
    """Return the network of the client's address, by which requests, sign-ins and questions are counted."""
    return network_of(address_of(request))
