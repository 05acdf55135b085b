"""Matches, attempts and games, with the action that replays a void match."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils.html import format_html

from ratings.admin import ReadOnlyAdmin
from tournaments.admin.matches import live
from tournaments.admin.shared.service import FactsInline, ServiceAdmin, Verb
from tournaments.models import Attempt, Game, Match
from tournaments.models.lifecycle import MATCH_TRANSITIONS
from tournaments.platform.text import visible
from tournaments.services.events.requeueing import requeue_match


class AttemptInline(FactsInline):
    model = Attempt
    fields = ["number", "status", "reason", "worker", "tier", "started_at", "ended_at"]


class GameInline(FactsInline):
    model = Game
    fields = ["number", "seat0", "seat1", "winner", "ended_by", "reason", "plies"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Game]:
        return _light(super().get_queryset(request)).order_by("number")


@admin.register(Match)
class MatchAdmin(ServiceAdmin):
    verbs = {"requeue": Verb(requeue_match, "Requeue", "queued again", MATCH_TRANSITIONS["requeue"])}
    list_display = ["id", "__str__", "event", "ruleset", "status", "attempt", "held", "ended_at"]
    list_select_related = ["first__bot", "second__bot", "event"]
    list_filter = ["status", "ruleset", "event"]
    ordering = ["-id"]
    inlines = [AttemptInline, GameInline]

    def get_urls(self) -> list[URLPattern]:
        """Return the admin's URLs, with the dashboard pages added to those of the match list."""
        return [*live.addresses(), *super().get_urls()]

    @admin.display(ordering="event")
    def event(self, match: Match) -> str:
        return match.event.name if match.event else match.get_kind_display()


@admin.register(Attempt)
class AttemptAdmin(ReadOnlyAdmin):
    internal = True
    list_display = ["match", "number", "status", "reason", "worker", "tier", "started_at", "ended_at"]
    list_select_related = ["match__first__bot", "match__second__bot"]
    list_filter = ["status", "tier", "match__event"]
    search_fields = ["worker"]
    ordering = ["-id"]


@admin.register(Game)
class GameAdmin(ReadOnlyAdmin):
    """Games. Filtered by ending "conduct", the list shows all faults."""

    page = ("game", "pk")
    list_display = ["id", "seat0", "seat1", "winner", "ended_by", "reason", "plies", "ended_at"]
    list_filter = ["ended_by", "reason", "match__ruleset", "event"]
    search_fields = ["seat0__bot__name", "seat1__bot__name"]
    exclude = ["record", "stderr0", "stderr1"]
    readonly_fields = ["fault", "stderr_of_seat_0", "stderr_of_seat_1"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Game]:
        return _light(super().get_queryset(request))

    @admin.display
    def fault(self, game: Game) -> str:
        fault = game.record["fault"]
        if fault is None:
            return "–"
        said = f"seat {fault['seat']}, {fault['kind']}, after {fault['ply']} plies: {fault['message']}\n{fault['line']}"
        return _as_written(said)

    @admin.display(description="stderr of seat 0")
    def stderr_of_seat_0(self, game: Game) -> str:
        return _as_written(_text(game.stderr0))

    @admin.display(description="stderr of seat 1")
    def stderr_of_seat_1(self, game: Game) -> str:
        return _as_written(_text(game.stderr1))


def _light(games: QuerySet[Game]) -> QuerySet[Game]:
    """Return the games with both sides, without records and logs."""
    return games.select_related("seat0__bot", "seat1__bot").defer("record", "stderr0", "stderr1")


def _text(output: bytes | memoryview) -> str:
    return bytes(output).decode("utf-8", "backslashreplace")


def _as_written(text: str) -> str:
    """Return untrusted text escaped, with its line breaks.

    Invisible characters, and those that change the direction of text, are made visible.
    """
    return format_html('<pre style="margin: 0; white-space: pre-wrap; overflow-wrap: anywhere">{}</pre>',
                       visible(text, plain="\n\t") or "–")
