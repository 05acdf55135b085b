"""The audit log: actor, action and target. Each of the service's rows links to its own entries.

The service's rows are changed by verbs, which write the log. Django's own models, accounts and groups, are changed by
its forms, which write it here.
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
        """Return the account, or the service itself."""
        return str(entry.actor or "the service")

    @admin.display(description="target", ordering="name")
    def what(self, entry: AuditEntry) -> str:
        """Return the target's name at that time, linked to the target."""
        try:
            address = reverse(f"admin:{_page_of(entry.kind)}_change", args=[entry.target])
        except NoReverseMatch:
            return entry.name
        return format_html('<a href="{}">{}</a>', address, entry.name)


class Audited(admin.ModelAdmin):
    """Copies the entries of Django's history to the audit log."""

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> LogEntry:
        audit.record(actor=request.user, verb="create", target=obj, now=timezone.now())
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Model, message: Any) -> LogEntry:
        # Django's message names the fields that changed, without their old and new values.
        audit.record(actor=request.user, verb="change", target=obj, now=timezone.now(), changed=message)
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: Iterable[Model]) -> Any:
        for row in queryset:
            audit.record(actor=request.user, verb="delete", target=row, now=timezone.now())
        return super().log_deletions(request, queryset)


class AuditedUserAdmin(Audited, UserAdmin):
    """Django's admin of accounts, with the audit log."""


class AuditedGroupAdmin(Audited, GroupAdmin):
    """Django's admin of groups, with the audit log."""


admin.site.unregister([User, Group])
admin.site.register(User, AuditedUserAdmin)
admin.site.register(Group, AuditedGroupAdmin)


def _page_of(kind: str) -> str:
    """Return the admin's URL name for the pages of a type of row."""
    app = "auth" if kind in {"user", "group"} else "tournaments"
    return f"{app}_{kind.replace(' ', '')}"
