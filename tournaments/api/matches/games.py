"""Games with their records and replay documents."""

from typing import Any

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from django_filters.rest_framework import FilterSet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ReadOnlyModelViewSet

from engines.records.older import shown_document
from engines.records.record import EndedBy
from engines.records.sgf import MEDIA_TYPE
from tournaments.api.bots.bots import SideSerializer
from tournaments.api.matches.replay import ReplaySerializer
from tournaments.api.plumbing.actions import Read, described
from tournaments.api.plumbing.fields import RowIdFilter
from tournaments.api.plumbing.pagination import ByPlace
from tournaments.api.plumbing.slugs import ById
from tournaments.models import Game, Version
from tournaments.models.lifecycle import MatchKind
from tournaments.selectors.matches import games as reads
from tournaments.selectors.shared.permissions import acts_for
from tournaments.services.events.exports import game_sgf
from tournaments.web.errors import refusal
from tournaments.web.problems import MEDIA_TYPE as PROBLEM


class GameSerializer(serializers.ModelSerializer):
    event = serializers.CharField(source="event.slug", allow_null=True, default=None,
                                  help_text="Slug of the event; null outside of one.")
    ruleset = serializers.CharField(source="match.ruleset", help_text="Slug of the ruleset.")
    seat0 = SideSerializer(help_text="Who moved first.")
    seat1 = SideSerializer(help_text="Who moved second.")

    class Meta:
        model = Game
        read_only_fields = fields = ["id", "match", "number", "event", "ruleset", "seat0", "seat1", "winner",
                                     "ended_by", "reason", "plies", "ended_at"]


class GameDetailSerializer(GameSerializer):
    record = serializers.DictField(help_text="The whole game: turns with their times, result, fault.")

    class Meta(GameSerializer.Meta):
        read_only_fields = fields = [*GameSerializer.Meta.fields, "record"]


class StderrSerializer(serializers.Serializer):
    stderr0 = serializers.SerializerMethodField(
        help_text="What the bot that moved first wrote, a stranger's text: for who acts for it; else null.")
    stderr1 = serializers.SerializerMethodField(help_text="What the other bot wrote, likewise.")

    def get_stderr0(self, game: Game) -> str | None:
        return self._of(game.seat0, game.stderr0)

    def get_stderr1(self, game: Game) -> str | None:
        return self._of(game.seat1, game.stderr1)

    def _of(self, version: Version, log: bytes) -> str | None:
        acts = acts_for(self.context["request"].user, version.bot)
        return bytes(log).decode(errors="replace") if acts else None


class SgfRenderer(BaseRenderer):
    """Text that is SGF already."""

    media_type = MEDIA_TYPE
    format = "sgf"
    charset = "utf-8"

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        return data.encode()


class GameFilter(FilterSet):
    """Its fields are the arguments of selectors.games.filtered, which reads what it is asked for in one go."""

    bot = filters.CharFilter(label="Slug of a bot on either seat.")
    opponent = filters.CharFilter(label="Slug of the bot that it played against.")
    version = RowIdFilter(label="Id of a version on either seat.")
    ladder = filters.CharFilter(label="Slug of the ladder.")
    event = filters.CharFilter(label="Slug of the event.")
    ruleset = filters.CharFilter(label="Slug of the ruleset.")
    kind = filters.ChoiceFilter(choices=MatchKind.choices, label="What it was played for.")
    ended_by = filters.ChoiceFilter(choices=[(kind.value, kind.value) for kind in EndedBy],
                                    label="What ended it; conduct lists the faults.")
    reason = filters.CharFilter(label="The ending within that: connection, time, crash …")
    result = filters.ChoiceFilter(choices=[(result, result) for result in reads.RESULTS],
                                  label="The bot's result; without a bot or a version, that of who moved first.")
    since = filters.IsoDateTimeFilter(label="Ended at this time or later.")
    until = filters.IsoDateTimeFilter(label="Ended before this time.")

    def filter_queryset(self, queryset: QuerySet[Game]) -> QuerySet[Game]:
        asked = {name: value for name, value in self.form.cleaned_data.items() if value not in ("", None)}
        return reads.filtered(user=self.request.user, **asked)


@described(list="Games that counted, newest first, without their records.", retrieve="One game with its record.")
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
        # One game is what it is, whatever the query says.
        return queryset if self.detail else super().filter_queryset(queryset)

    def get_serializer_class(self) -> type[GameSerializer]:
        return GameSerializer if self.action == "list" else GameDetailSerializer

    stderr = Read(lambda game: game, "What the bots wrote to stderr. For the owner of each, its team and staff.",
                  StderrSerializer, many=False)

    @extend_schema(responses=ReplaySerializer)
    @action(detail=True)
    def replay(self, request: Request, pk: str) -> Response:
        """What a viewer draws who knows no rules: the board, and for each turn the cells that change."""
        return Response(shown_document(self.get_object().record))

    @extend_schema(responses=OpenApiTypes.OBJECT)
    @action(detail=True)
    def record(self, request: Request, pk: str) -> Response:
        """The record alone, as `squarefield replay` reads it."""
        return Response(self.get_object().record,
                        headers={"Content-Disposition": f'attachment; filename="game-{pk}.json"'})

    @extend_schema(responses={(200, MEDIA_TYPE): OpenApiTypes.STR, (409, PROBLEM): refusal("SGF has no such turns.")})
    @action(detail=True, renderer_classes=[SgfRenderer])
    def sgf(self, request: Request, pk: str) -> Response:
        """The game as SGF, in the rulesets that it has a notation for: square-grid-hex and squaresquared."""
        return Response(game_sgf(self.get_object()),
                        headers={"Content-Disposition": f'attachment; filename="game-{pk}.sgf"'})
