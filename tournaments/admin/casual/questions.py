"""Questions to bots, and casual games: read-only."""

from django.contrib import admin

from ratings.admin import ReadOnlyAdmin
from tournaments.models import CasualGame, Question


@admin.register(Question)
class QuestionAdmin(ReadOnlyAdmin):
    internal = True
    page = ("question", "token")
    list_display = ["__str__", "ruleset", "status", "answer", "fault", "setback", "attempt", "worker", "created_at"]
    list_select_related = ["version__bot"]
    list_filter = ["status", "fault", "ruleset"]
    search_fields = ["version__bot__name", "user__username", "worker"]
    # No one, including staff, may read the visitors' keys and networks.
    exclude = ["visitor", "network", "stderr", "published_at"]


@admin.register(CasualGame)
class CasualGameAdmin(ReadOnlyAdmin):
    page = ("casual-game", "token")
    list_display = ["__str__", "ruleset", "size", "user", "status", "reason", "created_at", "ended_at"]
    list_select_related = ["version__bot", "user"]
    list_filter = ["status", "ruleset"]
    search_fields = ["version__bot__name", "user__username"]
    exclude = ["visitor", "network"]
