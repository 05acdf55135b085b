"""The way into the admin: the site's own sign-in, where attempts are counted. Two doors would be two to guard."""

from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse


def enter(request: HttpRequest, **_: Any) -> HttpResponse:
    """On to where one was going for staff, to the sign-in for strangers. Raises PermissionDenied for authors."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.GET.get("next") or reverse("admin:index"))
    if not request.user.is_staff:
        raise PermissionDenied
    return redirect("admin:index")
