"""Who is signed in, as far as their session is not over (docs/security.md, "A session").

A request that asks neither who reads nor for the session, such as a live part that has not changed, does not count as
a sign of life.
"""

import time
from typing import Any

from allauth.account.signals import authentication_step_completed
from django.conf import settings
from django.contrib.auth import middleware
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject

from tournaments.operations.security_log import tell
from tournaments.web.accounts.session_engine import BEGAN


class AuthenticationMiddleware(middleware.AuthenticationMiddleware):
    """Django's own; staff is signed out who was not seen for settings.IDLE_STAFF_SECONDS."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.user = SimpleLazyObject(lambda: _user(request))

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Who signs out leaves no page behind in the browser; cookies and the choice of colours are nobody's secret."""
        if getattr(request, "signed_out", False):
            response["Clear-Site-Data"] = '"cache"'
        return response


def _user(request: HttpRequest) -> Any:
    known = hasattr(request, "_cached_user")
    user = middleware.get_user(request)
    if known or not user.is_authenticated:
        return user
    if user.is_staff and request.session.idle_seconds > settings.IDLE_STAFF_SECONDS:
        tell("session ended", user=user, reason="idle")
        request.session.flush()
        user = request._cached_user = AnonymousUser()  # noqa: SLF001 - where Django keeps it, and looks for it
    else:
        request.session.note()
    return user


def listen() -> None:
    """Connect to the signals of Django and allauth; done once, when the site starts."""
    authentication_step_completed.connect(_change_the_key)
    user_logged_in.connect(_note_the_beginning)
    user_logged_out.connect(_note_the_end)


def _change_the_key(request: HttpRequest, *, reauthenticated: bool = False, **_: Any) -> None:
    """Who gave their password once more has another key than whoever may have seen the old one; as at the sign-in."""
    if reauthenticated:
        request.session.cycle_key()


def _note_the_end(request: HttpRequest, **_: Any) -> None:
    request.signed_out = True


def _note_the_beginning(request: HttpRequest, **_: Any) -> None:
    request.session[BEGAN] = time.time()
