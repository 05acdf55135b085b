"""Analyses of games: read-only."""

from django.contrib import admin

from ratings.admin import ReadOnlyAdmin
from tournaments.models import Analysis


@admin.register(Analysis)
class AnalysisAdmin(ReadOnlyAdmin):
    internal = True
    list_display = ["__str__", "user", "status", "judged", "positions", "judge", "other", "setback", "worker",
                    "created_at", "ended_at"]
    list_select_related = ["judge__bot", "other__bot", "user"]
    list_filter = ["status"]
    search_fields = ["judge__bot__name", "user__username", "worker"]
    exclude = ["published_at"]
