"""Failures of the coordinator's steps, with an action that retries one at once, and rows that cannot be read."""

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse

from tournaments.admin.shared.service import ServiceAdmin, Verb
from tournaments.models import Failure
from tournaments.selectors.shared.readable import unreadable
from tournaments.services.shared import failures


@admin.register(Failure)
class FailureAdmin(ServiceAdmin):
    verbs = {"retry": Verb(failures.retry_now, "Retry now", "due now")}
    list_display = ["step", "item", "error", "tries", "first_at", "last_at", "due_at"]
    list_filter = ["step", "error"]
    search_fields = ["item"]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Return the list, with a warning for each row that cannot be read."""
        for sentence in unreadable():
            messages.warning(request, sentence)
        return super().changelist_view(request, extra_context)
