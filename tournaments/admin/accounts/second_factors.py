"""Second factors: list them, and remove those of users who have lost theirs."""

from typing import Any

# Registers allauth's own page, which shows and edits stored secrets; this module replaces it.
import allauth.mfa.admin  # noqa: F401
from allauth.mfa.models import Authenticator
from django.contrib import admin, messages
from django.http import HttpRequest
from django.utils import timezone

from ratings.admin import ReadOnlyAdmin
from tournaments.platform.refusals import Refused
from tournaments.services.accounts.second_factor import take_away

admin.site.unregister(Authenticator)


@admin.register(Authenticator)
class SecondFactorAdmin(ReadOnlyAdmin):
    """Second factors: read-only, with an action that removes them. The secret is never shown."""

    list_display = ["user", "type", "created_at", "last_used_at"]
    list_select_related = ["user"]
    list_filter = ["type"]
    search_fields = ["user__username"]
    fields = ["user", "type", "created_at", "last_used_at"]
    actions = ["take_away"]

    @admin.action(description="Remove second factor")
    def take_away(self, request: HttpRequest, rows: Any) -> None:
        """Remove the app and the recovery codes of each of these accounts."""
        for user in {row.user for row in rows.select_related("user")}:
            try:
                take_away(user=user, actor=request.user, now=timezone.now())
            except Refused as refusal:
                messages.error(request, str(refusal))
            else:
                messages.success(request, f"{user} now signs in with the password alone, and is notified by e-mail.")

    def has_take_away_permission(self, request: HttpRequest) -> bool:
        """Return Django's permission to delete authenticators."""
        return admin.ModelAdmin.has_delete_permission(self, request)

    take_away.allowed_permissions = ("take_away",)
