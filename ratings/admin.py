"""Read-only admin pages for ratings, the fits that they come from, and the counts behind them."""

from operator import attrgetter
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from ratings.models import (
    COUNTS,
    ClusterCounts,
    OfficialLine,
    OfficialTable,
    OpeningCount,
    PairCounts,
    Rating,
    ReportedChances,
    Statistics,
)


class ReadOnly:
    """Disables adding, changing and deleting, for admin pages and inlines."""

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


class ReadOnlyAdmin(ReadOnly, admin.ModelAdmin):
    """A read-only admin page.

    `page` holds the URL name of a row's page on the site, and the attribute of the row that is the URL's argument.
    Rows are `internal` if staff need them only to find a fault: the admin's index leaves them out.
    """

    internal = False
    show_full_result_count = False
    page: tuple[str, str] | None = None

    def get_view_on_site_url(self, obj: Any = None) -> str | None:
        """The URL of the row's page on the site."""
        if obj is None or self.page is None:
            return None
        name, attribute = self.page
        return reverse(name, args=[attrgetter(attribute)(obj)])


@admin.register(Rating)
class RatingAdmin(ReadOnlyAdmin):
    list_display = ["rank", "bot", "version", "ladder", "elo", "interval", "games", "wins", "draws", "losses"]
    list_display_links = ["bot"]
    list_select_related = ["bot", "version__bot", "ladder"]
    list_filter = ["ladder"]
    search_fields = ["bot__name"]
    ordering = ["ladder", "rank"]

    @admin.display(description="Elo", ordering="value")
    def elo(self, rating: Rating) -> str:
        return f"{rating.value:.0f}"

    @admin.display(description="95 % interval")
    def interval(self, rating: Rating) -> str:
        return f"{rating.low:.0f} – {rating.high:.0f}"


@admin.register(OfficialTable)
class OfficialTableAdmin(ReadOnlyAdmin):
    list_display = ["ladder", "revision", "games", "versions", "advantage", "draw_parameter", "connected", "exact",
                    "computed_at", "seconds", "lines"]
    list_select_related = ["ladder"]
    ordering = ["ladder"]

    @admin.display(boolean=True)
    def connected(self, table: OfficialTable) -> bool:
        return table.connected

    @admin.display
    def lines(self, table: OfficialTable) -> str:
        address = reverse("admin:ratings_officialline_changelist")
        return format_html('<a href="{}?table__id__exact={}">from the top</a>', address, table.pk)


@admin.register(OfficialLine)
class OfficialLineAdmin(ReadOnlyAdmin):
    internal = True
    list_display = ["rank", "version", "table", "elo", "interval", "ranks", "games", "wins", "draws", "losses",
                    "component"]
    list_display_links = ["version"]
    list_select_related = ["version__bot", "table__ladder"]
    list_filter = ["table"]
    search_fields = ["version__bot__name"]
    ordering = ["table", "rank"]

    @admin.display(description="Elo", ordering="rating")
    def elo(self, line: OfficialLine) -> str:
        return f"{line.rating:.0f}"

    @admin.display(description="95 % interval")
    def interval(self, line: OfficialLine) -> str:
        return f"{line.low:.0f} – {line.high:.0f}"

    @admin.display(description="rank at 95 %")
    def ranks(self, line: OfficialLine) -> str:
        return f"{line.rank_low} – {line.rank_high}"


@admin.register(PairCounts)
class PairCountsAdmin(ReadOnlyAdmin):
    internal = True
    list_display = ["__str__", "ladder", "games", *COUNTS]
    list_select_related = ["ladder", "low__bot", "high__bot"]
    list_filter = ["ladder"]
    search_fields = ["low__bot__name", "high__bot__name"]
    ordering = ["ladder", "low_id", "high_id"]


@admin.register(ReportedChances)
class ReportedChancesAdmin(ReadOnlyAdmin):
    internal = True
    list_display = ["version", "ladder", "bin", "turns", "games"]
    list_select_related = ["ladder", "version__bot"]
    list_filter = ["ladder"]
    search_fields = ["version__bot__name"]
    ordering = ["ladder", "version_id", "bin"]


@admin.register(ClusterCounts)
class ClusterCountsAdmin(ReadOnlyAdmin):
    internal = True
    list_display = ["__str__", "games", *COUNTS]
    list_select_related = ["pair__low__bot", "pair__high__bot"]
    search_fields = ["pair__low__bot__name", "pair__high__bot__name"]
    ordering = ["-id"]


@admin.register(Statistics)
class StatisticsAdmin(ReadOnlyAdmin):
    internal = True
    list_display = ["ladder", "period", "games", "due_at"]
    list_select_related = ["ladder"]
    ordering = ["ladder"]


@admin.register(OpeningCount)
class OpeningCountAdmin(ReadOnlyAdmin):
    internal = True
    list_display = ["ladder", "period", "game", "games", "clearing"]
    list_select_related = ["ladder"]
    ordering = ["ladder"]
