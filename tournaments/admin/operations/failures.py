"""Failures of the coordinator's steps, with an action that retries one at once."""

from django.contrib import admin

from tournaments.admin.shared.service import ServiceAdmin, Verb
from tournaments.models import Failure
from tournaments.services.shared import failures


@admin.register(Failure)
class FailureAdmin(ServiceAdmin):
    verbs = {"retry": Verb(failures.retry_now, "Retry now", "due now")}
    list_display = ["step", "item", "error", "tries", "first_at", "last_at", "due_at"]
    list_filter = ["step", "error"]
    search_fields = ["item"]
