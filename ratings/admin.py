"""Ratings and their history, per ladder: to look at."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from ratings.models import Period, Rating, RatingChange


class ReadOnlyAdmin(admin.ModelAdmin):
    """Everything to see, nothing to add, change or delete."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Rating)
class RatingAdmin(ReadOnlyAdmin):
    list_display = ["rank", "bot", "ladder", "elo", "interval", "games", "wins", "draws", "losses", "history"]
    list_display_links = ["bot"]
    list_select_related = ["bot", "ladder"]
    list_filter = ["ladder"]
    search_fields = ["bot__name"]
    ordering = ["ladder", "rank"]

    @admin.display(description="Elo", ordering="value")
    def elo(self, rating: Rating) -> str:
        return f"{rating.value:.0f}"

    @admin.display(description="95 % interval")
    def interval(self, rating: Rating) -> str:
        if rating.plus_minus is None:
            return "–"
        return f"±{rating.plus_minus:.0f}{' (provisional)' if rating.provisional else ''}"

    @admin.display
    def history(self, rating: Rating) -> str:
        address = reverse("admin:ratings_ratingchange_changelist")
        return format_html('<a href="{}?bot__id__exact={}&period__ladder__id__exact={}">every game</a>',
                           address, rating.bot_id, rating.ladder_id)


@admin.register(RatingChange)
class RatingChangeAdmin(ReadOnlyAdmin):
    list_display = ["game", "bot", "period", "frozen", "difference"]
    list_filter = ["period__ladder", "bot"]
    ordering = ["-period", "-game"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[RatingChange]:
        """The changes with all that a line names, without the games' records."""
        changes = super().get_queryset(request).select_related("game", "bot", "period__ladder")
        return changes.defer("game__record", "game__stderr0", "game__stderr1")

    @admin.display(description="before the period", ordering="before")
    def frozen(self, change: RatingChange) -> str:
        return f"{change.before:.1f}"

    @admin.display(description="change", ordering="change")
    def difference(self, change: RatingChange) -> str:
        return f"{change.change:+.1f}"


@admin.register(Period)
class PeriodAdmin(ReadOnlyAdmin):
    list_display = ["number", "ladder", "round", "closed_at"]
    list_select_related = ["ladder", "round__event"]
    list_filter = ["ladder"]
    ordering = ["-id"]
