"""The audit log: who did what to what. Each of our rows links to its own part of it.

Our rows are changed by verbs, which write it. Django's own, accounts and groups, are changed by its forms: these write
it here.
"""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import Model
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.html import format_html

from ratings.admin import ReadOnlyAdmin
from tournaments.models import AuditEntry
from tournaments.services.shared import audit


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ["at", "who", "verb", "kind", "what", "detail"]
    list_select_related = ["actor"]
    list_filter = ["verb", "kind", "at"]
    search_fields = ["actor__username", "name"]
    ordering = ["-id"]

    @admin.display(description="actor", ordering="actor")
    def who(self, entry: AuditEntry) -> str:
        """The account, or the service itself."""
        return str(entry.actor or "the service")

    @admin.display(description="target", ordering="name")
    def what(self, entry: AuditEntry) -> str:
        """Its name then, leading to what it is now."""
        try:
            address = reverse(f"admin:{_page_of(entry.kind)}_change", args=[entry.target])
        except NoReverseMatch:
            return entry.name
        return format_html('<a href="{}">{}</a>', address, entry.name)


class Audited(admin.ModelAdmin):
    """What Django writes into its history stands in the audit log as well."""

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> LogEntry:
        audit.record(actor=request.user, verb="create", target=obj, now=timezone.now())
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Model, message: Any) -> LogEntry:
        # Django's message names the fields that changed, not what they were or are.
        audit.record(actor=request.user, verb="change", target=obj, now=timezone.now(), changed=message)
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: Iterable[Model]) -> Any:
        for row in queryset:
            audit.record(actor=request.user, verb="delete", target=row, now=timezone.now())
        return super().log_deletions(request, queryset)


class AuditedUserAdmin(Audited, UserAdmin):
    """Django's own, on the record."""


class AuditedGroupAdmin(Audited, GroupAdmin):
    """Likewise."""


admin.site.unregister([User, Group])
admin.site.register(User, AuditedUserAdmin)
admin.site.register(Group, AuditedGroupAdmin)


def _page_of(kind: str) -> str:
    """The admin's name for the pages of a noun."""
    app = "auth" if kind in {"user", "group"} else "tournaments"
    return f"{app}_{kind.replace(' ', '')}"
