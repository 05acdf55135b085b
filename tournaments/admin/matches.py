"""Matches, attempts and games: what happened, and the way to play a void match again."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from tournaments.admin.readonly import ReadOnlyAdmin
from tournaments.models import Attempt, Game, Match
from tournaments.services.errors import Refused
from tournaments.services.matches import requeue_match


class AttemptInline(admin.TabularInline):
    model = Attempt
    fields = readonly_fields = ["number", "status", "reason", "worker", "tier", "started_at", "ended_at"]
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: object) -> bool:
        return False


@admin.register(Match)
class MatchAdmin(ReadOnlyAdmin):
    list_display = ["id", "__str__", "event", "ruleset", "status", "attempt", "held", "ended_at"]
    list_select_related = ["first__bot", "second__bot", "round__event"]
    list_filter = ["status", "ruleset", "round__event"]
    inlines = [AttemptInline]
    actions = ["requeue"]

    @admin.display(ordering="round__event")
    def event(self, match: Match) -> str:
        return match.round.event.name

    @admin.action(description="Play void matches again", permissions=["organise"])
    def requeue(self, request: HttpRequest, matches: QuerySet[Match]) -> None:
        for match in matches:
            try:
                requeue_match(match=match, now=timezone.now())
            except Refused as refusal:
                messages.error(request, str(refusal))
            else:
                messages.success(request, f"Match {match.pk} is queued again.")

    def has_organise_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("tournaments.change_match")


@admin.register(Attempt)
class AttemptAdmin(ReadOnlyAdmin):
    list_display = ["match", "number", "status", "reason", "worker", "tier", "started_at", "ended_at"]
    list_select_related = ["match__first__bot", "match__second__bot"]
    list_filter = ["status", "tier", "worker"]


@admin.register(Game)
class GameAdmin(ReadOnlyAdmin):
    """Games; the filter by ending is the list of faults."""

    list_display = ["id", "seat0", "seat1", "winner", "ended_by", "reason", "plies", "ended_at"]
    list_select_related = ["seat0__bot", "seat1__bot"]
    list_filter = ["ended_by", "reason", "match__ruleset", "match__round__event"]
    search_fields = ["seat0__bot__name", "seat1__bot__name"]
    exclude = ["stderr0", "stderr1"]
    readonly_fields = ["seat0_wrote_to_stderr", "seat1_wrote_to_stderr"]

    @admin.display(description="stderr of seat 0")
    def seat0_wrote_to_stderr(self, game: Game) -> str:
        return bytes(game.stderr0).decode("utf-8", "backslashreplace")

    @admin.display(description="stderr of seat 1")
    def seat1_wrote_to_stderr(self, game: Game) -> str:
        return bytes(game.stderr1).decode("utf-8", "backslashreplace")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Game]:
        return super().get_queryset(request).select_related("match")
