"""Where the operator wants it, staff without a second factor do nothing here but switch one on.

Everything is closed to them but what that needs, not only what looks like the staff's: acts of staff are on pages, in
the API under a session, and in the admin. Tokens are not asked: a token is made behind this gate, and is revocable.
"""

from collections.abc import Callable
from typing import Any, Final

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth import SESSION_KEY, get_user_model
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from tournaments.services.accounts.second_factor import is_on
from tournaments.web.errors import forbidden

_OPEN: Final = frozenset({"second-factor", "account_logout", "account_change_password", "language"})

View = Callable[[HttpRequest], HttpResponse]


class StaffGateMiddleware:
    """Sends such staff to the page of the second factor, and refuses them below /api/."""

    def __init__(self, get_response: View) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_view(self, request: HttpRequest, view: View, args: Any, options: Any) -> HttpResponse | None:
        """The way to the page, or None."""
        match = request.resolver_match
        if not settings.STAFF_SECOND_FACTOR or (match and match.view_name in _OPEN) or not _is_held(request):
            return None
        if request.path.startswith("/api/"):
            return forbidden(request, "This site asks its staff for a second factor: switch it on, on your account's "
                                      "page, or use a token.")
        return redirect("second-factor")


def must_switch_on(user: Any) -> bool:
    """Whether the site wants this person to have a second factor, and they have none."""
    return (settings.STAFF_SECOND_FACTOR and user.is_authenticated and (user.is_staff or user.is_superuser)
            and not is_on(user))


def _is_held(request: HttpRequest) -> bool:
    # By the session at first: asking for the user counts as somebody's being there (`sessions`).
    signed_in = request.session.get(SESSION_KEY) if settings.SESSION_COOKIE_NAME in request.COOKIES else None
    if signed_in is None:
        return False
    staff = get_user_model().objects.filter(Q(is_staff=True) | Q(is_superuser=True), pk=signed_in)
    return (staff.exclude(authenticator__type=Authenticator.Type.TOTP).exists()
            and must_switch_on(request.user))
