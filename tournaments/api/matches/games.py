"""Games, with their records and replay documents."""

from typing import Any

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from django_filters.rest_framework import FilterSet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ReadOnlyModelViewSet

from engines.records.endings import GameEnd, end_of_data
from engines.records.older import shown_document
from engines.records.record import EndedBy
from engines.records.sgf import MEDIA_TYPE
from tournaments.api.bots.bots import SideSerializer
from tournaments.api.matches.analyses import AnalysisSerializer
from tournaments.api.matches.replay import ReplaySerializer
from tournaments.api.plumbing.actions import Read, Verb, described
from tournaments.api.plumbing.fields import MomentFilter, RowIdFilter
from tournaments.api.plumbing.pagination import ByPlace
from tournaments.api.plumbing.slugs import ById
from tournaments.models import Game, Version
from tournaments.models.lifecycle import MatchKind
from tournaments.selectors.casual.analyses import analyses as reads_of_analyses
from tournaments.selectors.matches import games as reads
from tournaments.selectors.shared.permissions import acts_for
from tournaments.services.casual.analyses import analyse
from tournaments.services.events.exports import game_sgf
from tournaments.web.errors import refusal
from tournaments.web.problems import MEDIA_TYPE as PROBLEM

MOST_ANALYSES = 10


class GameSerializer(serializers.ModelSerializer):
    event = serializers.CharField(source="event.slug", allow_null=True, default=None,
                                  help_text="Slug of the event; null for a game outside events.")
    ruleset = serializers.CharField(source="match.ruleset", help_text="Slug of the ruleset.")
    seat0 = SideSerializer(help_text="Version that moved first.")
    seat1 = SideSerializer(help_text="Version that moved second.")
    level = serializers.FloatField(source="rated.level", allow_null=True, default=None,
                                   help_text="Mean of both bots' ratings before the game, in Elo; null if the game is "
                                             "not rated, or not yet.")
    chance = serializers.FloatField(source="rated.chance", allow_null=True, default=None,
                                    help_text="Chance of the winner by both ratings before the game, draws left out, 0 "
                                              "to 1; null for a draw, and if the game is not rated, or not yet.")
    ending = serializers.SerializerMethodField(
        help_text="The result as an English sentence; a single game has more details than a list. Contains the bots' "
                  "names, which are user-supplied: escape it before display.")

    class Meta:
        model = Game
        read_only_fields = fields = ["id", "match", "number", "event", "ruleset", "seat0", "seat1", "winner",
                                     "ended_by", "reason", "ending", "plies", "ended_at", "level",
                                     "chance"]

    def get_ending(self, game: Game) -> str:
        end = GameEnd(ruleset=game.match.ruleset, winner=game.winner, ended_by=game.ended_by, reason=game.reason,
                      plies=game.plies)
        return end.sentence([game.seat0.bot.name, game.seat1.bot.name])


class GameDetailSerializer(GameSerializer):
    record = serializers.DictField(help_text="Full record of the game: turns with their times, result, and fault.")

    class Meta(GameSerializer.Meta):
        read_only_fields = fields = [*GameSerializer.Meta.fields, "record"]

    def get_ending(self, game: Game) -> str:
        end = end_of_data(game.record)
        return end.sentence([game.seat0.bot.name, game.seat1.bot.name]) if end else super().get_ending(game)


class StderrSerializer(serializers.Serializer):
    stderr0 = serializers.SerializerMethodField(
        help_text="Standard error of the bot that moved first; null unless you can manage that bot. User-supplied: "
                  "escape it before display.")
    stderr1 = serializers.SerializerMethodField(help_text="Standard error of the bot that moved second; null unless "
                                                          "you can manage that bot. User-supplied: escape it before "
                                                          "display.")

    def get_stderr0(self, game: Game) -> str | None:
        return self._of(game.seat0, game.stderr0)

    def get_stderr1(self, game: Game) -> str | None:
        return self._of(game.seat1, game.stderr1)

    def _of(self, version: Version, log: bytes) -> str | None:
        acts = acts_for(self.context["request"].user, version.bot)
        return bytes(log).decode(errors="replace") if acts else None


class SgfRenderer(BaseRenderer):
    """Renderer for text that is already SGF."""

    media_type = MEDIA_TYPE
    format = "sgf"
    charset = "utf-8"

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        return data.encode()


class GameFilter(FilterSet):
    """Filter whose fields are the arguments of `selectors.games.filtered`, which applies them in one query."""

    bot = filters.CharFilter(label="Slug of a bot in either seat.")
    opponent = filters.CharFilter(label="Slug of the opponent.")
    version = RowIdFilter(label="ID of a version in either seat.")
    ladder = filters.CharFilter(label="Slug of the ladder.")
    event = filters.CharFilter(label="Slug of the event.")
    ruleset = filters.CharFilter(label="Slug of the ruleset.")
    kind = filters.ChoiceFilter(choices=MatchKind.choices, label="Kind of match.")
    ended_by = filters.ChoiceFilter(choices=[(kind.value, kind.value) for kind in EndedBy],
                                    label="Kind of ending; `conduct` means a forfeit.")
    reason = filters.CharFilter(label="Specific ending within `ended_by`: connection, time, crash …")
    result = filters.ChoiceFilter(choices=[(result, result) for result in reads.RESULTS],
                                  label="Result of the bot or version in the filter; without one, result of the first "
                                        "player.")
    since = MomentFilter(label="Earliest end time, inclusive.")
    until = MomentFilter(label="Latest end time, exclusive.")
    sort = filters.ChoiceFilter(choices=[(sort, sort) for sort in reads.SORTS],
                                label="Order instead of the newest first: `upset` lists wins that the ratings made "
                                      "improbable, the least likely first; `rating` the highest mean rating first; "
                                      "`longest` and `shortest` go by the number of turns. The answer is a single "
                                      "page. Of a bot or a version, and by kind, reason or time, only the newest "
                                      f"{reads.MOST_EXAMINED} games are sorted.")

    def filter_queryset(self, queryset: QuerySet[Game]) -> QuerySet[Game]:
        asked = {name: value for name, value in self.form.cleaned_data.items() if value not in ("", None)}
        return reads.filtered(user=self.request.user, **asked).prefetch_related("rated")


@described(list="List the games that count, newest first, without their records.", retrieve="Return one game with its "
                                                                                            "record.")
class GameViewSet(ById, ReadOnlyModelViewSet):
    queryset = Game.objects.all()
    serializer_class = GameSerializer
    filterset_class = GameFilter
    pagination_class = ByPlace

    def get_queryset(self) -> QuerySet[Game]:
        if self.action == "stderr":
            return reads.logged_games(self.request.user)
        return reads.games(self.request.user) if self.action == "list" else reads.whole_games(self.request.user)

    def filter_queryset(self, queryset: QuerySet[Game]) -> QuerySet[Game]:
        # Filters apply to lists only.
        return queryset if self.detail else super().filter_queryset(queryset)

    def get_serializer_class(self) -> type[GameSerializer]:
        return GameSerializer if self.action == "list" else GameDetailSerializer

    stderr = Read(lambda game: game, "Return the bots' standard error. Each log is only for that bot's owner and team, "
                                     "and for staff.",
                  StderrSerializer, many=False)

    analysis = Verb(analyse, """
        Ask for an analysis: the strongest willing versions judge each position, within the site's budget.

        Workers do this when nothing else waits for them. Poll the list of the game's analyses until `status` is done or
        void. Affects neither ratings nor the bots' records.
        """, answer=AnalysisSerializer, code=202, permission_classes=[IsAuthenticated], filterset_class=None)
    analyses = Read(lambda game: reads_of_analyses().filter(game=game)[:MOST_ANALYSES],
                    f"List the game's newest analyses, at most {MOST_ANALYSES}.", AnalysisSerializer)

    @extend_schema(responses=ReplaySerializer)
    @action(detail=True)
    def replay(self, request: Request, pk: str) -> Response:
        """Return the replay document for viewers without rules: the board, and the cells that each turn changes."""
        return Response(shown_document(self.get_object().record))

    @extend_schema(responses=OpenApiTypes.OBJECT)
    @action(detail=True)
    def record(self, request: Request, pk: str) -> Response:
        """Return the record alone, in the format that `squarefield replay` reads."""
        return Response(self.get_object().record,
                        headers={"Content-Disposition": f'attachment; filename="game-{pk}.json"'})

    @extend_schema(responses={(200, MEDIA_TYPE): OpenApiTypes.STR, (409, PROBLEM): refusal("SGF cannot represent the "
                                                                                           "turns of this ruleset.")})
    @action(detail=True, renderer_classes=[SgfRenderer])
    def sgf(self, request: Request, pk: str) -> Response:
        """Return the game as SGF, if SGF can represent its ruleset (square-grid-hex and squaresquared)."""
        return Response(game_sgf(self.get_object()),
                        headers={"Content-Disposition": f'attachment; filename="game-{pk}.sgf"'})
