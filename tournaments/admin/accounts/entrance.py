"""Sign-in to the admin: it uses the site's own form, where attempts are counted, so that only one needs protection."""

from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse


def enter(request: HttpRequest, **_: Any) -> HttpResponse:
    """Redirect staff to the admin, and anonymous users to the sign-in. Raises PermissionDenied for all others."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.GET.get("next") or reverse("admin:index"))
    if not request.user.is_staff:
        raise PermissionDenied
    return redirect("admin:index")
