"""Gate for staff without a second factor: if the operator requires one, they can only turn it on.

All other pages are closed to them, not only the admin, because staff can act on pages and in the API under a session,
too. Requests with tokens pass: a token is created behind this gate, and is revocable.
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
    """Middleware that redirects such staff to the page of the second factor, and refuses them below /api/."""

    def __init__(self, get_response: View) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_view(self, request: HttpRequest, view: View, args: Any, options: Any) -> HttpResponse | None:
        """Return the redirect or refusal, or None to let the request pass."""
        match = request.resolver_match
        if not settings.STAFF_SECOND_FACTOR or (match and match.view_name in _OPEN) or not _is_held(request):
            return None
        if request.path.startswith("/api/"):
            return forbidden(request, "This site requires a second factor for its staff: turn it on at your account "
                                      "page, or use a token.")
        return redirect("second-factor")


def must_switch_on(user: Any) -> bool:
    """Return whether this user must still turn on a second factor."""
    return (settings.STAFF_SECOND_FACTOR and user.is_authenticated and (user.is_staff or user.is_superuser)
            and not is_on(user))


def _is_held(request: HttpRequest) -> bool:
    # Read the session first: reading the user would count as activity (`sessions`).
    signed_in = request.session.get(SESSION_KEY) if settings.SESSION_COOKIE_NAME in request.COOKIES else None
    if signed_in is None:
        return False
    staff = get_user_model().objects.filter(Q(is_staff=True) | Q(is_superuser=True), pk=signed_in)
    return (staff.exclude(authenticator__type=Authenticator.Type.TOTP).exists()
            and must_switch_on(request.user))
