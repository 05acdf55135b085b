"""User data beyond Django's accounts: quotas, teams and tokens."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from ratings.admin import ReadOnlyAdmin
from tournaments.admin.shared.service import FactsInline
from tournaments.models import Membership, Profile, Team, Token
from tournaments.services.accounts.accounts import set_quotas
from tournaments.services.accounts.tokens import revoke_token


@admin.register(Profile)
class ProfileAdmin(admin.ModelAdmin):
    """Profiles. Staff can change the quotas; the other fields are changed by the user."""

    list_display = ["user", "uploads_per_day", "archive_bytes", "games_per_day"]
    list_select_related = ["user"]
    search_fields = ["user__username", "user__email"]
    readonly_fields = ["user", "about", "link", "mail_on"]
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return False: profiles are created on demand."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Profile, form: forms.ModelForm, change: bool) -> None:
        set_quotas(user=obj.user, actor=request.user, now=timezone.now(), uploads_per_day=obj.uploads_per_day,
                   archive_bytes=obj.archive_bytes, games_per_day=obj.games_per_day)

    def view_on_site(self, profile: Profile) -> str:
        return reverse("person", args=[profile.user.username])


class MembershipInline(FactsInline):
    model = Membership
    fields = ["user", "role", "joined_at"]


@admin.register(Team)
class TeamAdmin(ReadOnlyAdmin):
    page = ("team", "slug")
    list_display = ["name", "created_at"]
    search_fields = ["name", "slug", "members__username"]
    inlines = [MembershipInline]


@admin.register(Token)
class TokenAdmin(ReadOnlyAdmin):
    """Tokens: read-only, with an action that revokes a leaked token."""

    list_display = ["prefix", "user", "name", "created_at", "last_used_at", "expires_at", "revoked_at"]
    list_select_related = ["user"]
    search_fields = ["prefix", "user__username"]
    exclude = ["digest"]
    actions = ["revoke"]

    @admin.action(description="Revoke")
    def revoke(self, request: HttpRequest, tokens: Any) -> None:
        """Revoke those tokens that are not yet revoked."""
        for token in tokens.filter(revoked_at=None):
            revoke_token(token=token, actor=request.user, now=timezone.now())
            self.log_change(request, token, "Revoked.")

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        """Return Django's permission to change tokens."""
        return admin.ModelAdmin.has_change_permission(self, request)

    revoke.allowed_permissions = ("revoke",)
