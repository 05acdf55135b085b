"""Ratings and their history, per ladder: to look at."""

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from ratings.models import Period, Rating, RatingChange


class LookOnlyAdmin(admin.ModelAdmin):
    """Numbers that are computed from games: nobody edits them."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Rating)
class RatingAdmin(LookOnlyAdmin):
    list_display = ["rank", "bot", "ladder", "value", "games", "wins", "draws", "history"]
    list_display_links = ["bot"]
    list_select_related = ["bot", "ladder"]
    list_filter = ["ladder"]
    search_fields = ["bot__name"]
    ordering = ["ladder", "rank"]

    @admin.display(description="history")
    def history(self, rating: Rating) -> str:
        address = reverse("admin:ratings_ratingchange_changelist")
        return format_html('<a href="{}?bot__id__exact={}&period__ladder__id__exact={}">every game</a>',
                           address, rating.bot_id, rating.ladder_id)


@admin.register(RatingChange)
class RatingChangeAdmin(LookOnlyAdmin):
    list_display = ["game", "bot", "period", "before", "change"]
    list_select_related = ["game", "bot", "period__ladder"]
    list_filter = ["period__ladder", "bot"]


@admin.register(Period)
class PeriodAdmin(LookOnlyAdmin):
    list_display = ["number", "ladder", "round", "closed_at"]
    list_select_related = ["ladder", "round__event"]
    list_filter = ["ladder"]
