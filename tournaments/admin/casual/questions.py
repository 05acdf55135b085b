"""Questions to bots, and casual games, to look at."""

from django.contrib import admin
from django.urls import reverse

from ratings.admin import ReadOnlyAdmin
from tournaments.models import CasualGame, Question


@admin.register(Question)
class QuestionAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "ruleset", "status", "answer", "fault", "setback", "attempt", "worker", "created_at"]
    list_select_related = ["version__bot"]
    list_filter = ["status", "fault", "ruleset"]
    search_fields = ["version__bot__name", "user__username", "worker"]
    # What tells visitors apart, and where they came from, is nobody's to read.
    exclude = ["visitor", "network", "stderr", "published_at"]

    def view_on_site(self, question: Question) -> str:
        return reverse("question", args=[question.token])


@admin.register(CasualGame)
class CasualGameAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "ruleset", "size", "user", "status", "reason", "created_at", "ended_at"]
    list_select_related = ["version__bot", "user"]
    list_filter = ["status", "ruleset"]
    search_fields = ["version__bot__name", "user__username"]
    exclude = ["visitor", "network"]

    def view_on_site(self, game: CasualGame) -> str:
        return reverse("casual-game", args=[game.token])
