"""Authentication by sessions that end after inactivity (docs/explanation/security.md, "A session").

A request that reads neither the user nor the session, such as one for a live part that has not changed, does not count
as activity.
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
    """Django's middleware, which also signs out staff after settings.IDLE_STAFF_SECONDS of inactivity."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.user = SimpleLazyObject(lambda: _user(request))

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Clear the browser's cached pages on sign-out; cookies and the colour scheme, which are no secret, stay."""
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
        user = request._cached_user = AnonymousUser()  # noqa: SLF001 - where Django stores it
    else:
        request.session.note()
    return user


def listen() -> None:
    """Connect to the signals of Django and allauth. Called once, when the site starts."""
    authentication_step_completed.connect(_change_the_key)
    user_logged_in.connect(_note_the_beginning)
    user_logged_out.connect(_note_the_end)


def _change_the_key(request: HttpRequest, *, reauthenticated: bool = False, **_: Any) -> None:
    """Change the session key after reauthentication, as after sign-in, in case anyone has seen the old key."""
    if reauthenticated:
        request.session.cycle_key()


def _note_the_end(request: HttpRequest, **_: Any) -> None:
    request.signed_out = True


def _note_the_beginning(request: HttpRequest, **_: Any) -> None:
    request.session[BEGAN] = time.time()
