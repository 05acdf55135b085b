"""Events: schedule them, run them, read their standings, crosstable and progress."""

import secrets
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ReadOnlyModelViewSet

from tournaments.api.ladders import OrganiserOrReadOnly
from tournaments.models import Event, Ladder, Version
from tournaments.selectors import events as reads
from tournaments.services import events as verbs


class EventSerializer(serializers.ModelSerializer):
    ladder = serializers.SlugRelatedField(slug_field="slug", read_only=True)
    created_by = serializers.CharField(source="created_by.username")

    class Meta:
        model = Event
        fields = ["slug", "name", "ladder", "cycles", "status", "seed", "starts_at", "started_at", "ended_at",
                  "created_by", "created_at"]


class ScheduleSerializer(serializers.Serializer):
    name = serializers.CharField(max_length=80)
    ladder = serializers.SlugRelatedField(slug_field="slug", queryset=Ladder.objects.all())
    versions = serializers.PrimaryKeyRelatedField(many=True, queryset=Version.objects.select_related("bot"),
                                                  help_text="Ids of the versions that enter, one a bot.")
    cycles = serializers.IntegerField(default=1, help_text="How often each pair meets, two games each time.")
    starts_at = serializers.DateTimeField(required=False, help_text="When it starts by itself; at once when left out.")
    seed = serializers.IntegerField(required=False, min_value=0, max_value=2**63 - 1,
                                    help_text="Decides the draw; by lot when left out.")


class ProgressSerializer(serializers.Serializer):
    games_total = serializers.IntegerField()
    games_done = serializers.IntegerField()
    games_void = serializers.IntegerField(help_text="Lost to the infrastructure for good; nobody is charged.")
    matches_running = serializers.IntegerField()
    games_per_minute = serializers.FloatField(allow_null=True)
    seconds_left = serializers.FloatField(allow_null=True)
    share = serializers.FloatField(help_text="Done or void, of all: 0 to 1.")


class ScoreSerializer(serializers.Serializer):
    games = serializers.IntegerField()
    wins = serializers.IntegerField()
    draws = serializers.IntegerField()
    losses = serializers.IntegerField()
    points = serializers.FloatField()
    share = serializers.FloatField(allow_null=True, help_text="Points per game.")


class StandingSerializer(serializers.Serializer):
    place = serializers.IntegerField(source="row.place")
    bot = serializers.CharField(source="entry.bot.slug")
    name = serializers.CharField(source="entry.bot.name")
    version = serializers.IntegerField(source="entry.version.number")
    score = ScoreSerializer(source="row.score")
    as_seat0 = serializers.SerializerMethodField()
    as_seat1 = serializers.SerializerMethodField()
    sonneborn_berger = serializers.FloatField(source="row.sonneborn_berger")
    rating = serializers.FloatField(source="rating.value", default=None, allow_null=True,
                                    help_text="Live Elo on the ladder.")

    @extend_schema(responses=ScoreSerializer)
    def get_as_seat0(self, line: reads.Standing) -> dict[str, Any]:
        return ScoreSerializer(line.row.seats[0]).data

    def get_as_seat1(self, line: reads.Standing) -> dict[str, Any]:
        return ScoreSerializer(line.row.seats[1]).data


class CrosstableCellSerializer(serializers.Serializer):
    opponent = serializers.CharField(source="opponent.bot.slug")
    score = ScoreSerializer(allow_null=True)


class CrosstableRowSerializer(serializers.Serializer):
    bot = serializers.CharField(source="standing.entry.bot.slug")
    place = serializers.IntegerField(source="standing.row.place")
    cells = CrosstableCellSerializer(many=True)


class EventViewSet(ReadOnlyModelViewSet):
    """Bounded competitions."""

    lookup_field = "slug"
    queryset = reads.events().order_by("-id")
    serializer_class = EventSerializer
    permission_classes = [OrganiserOrReadOnly]
    filterset_fields = {"status": ["exact"], "ladder__slug": ["exact"]}

    @extend_schema(request=ScheduleSerializer, responses={201: EventSerializer, 409: None})
    def create(self, request: Request) -> Response:
        """Schedule a round-robin. It starts by itself at its time."""
        form = ScheduleSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        now = timezone.now()
        facts = {"starts_at": now, "seed": secrets.randbits(63), **form.validated_data}
        event = verbs.create_event(**facts, created_by=request.user, now=now)
        return Response(EventSerializer(event).data, status=status.HTTP_201_CREATED)

    @extend_schema(responses=StandingSerializer(many=True))
    @action(detail=True, pagination_class=None, filterset_fields=[])
    def standings(self, request: Request, slug: str) -> Response:
        """The event's table, best first."""
        return Response(StandingSerializer(reads.standings(self.get_object()), many=True).data)

    @extend_schema(responses=CrosstableRowSerializer(many=True))
    @action(detail=True, pagination_class=None, filterset_fields=[])
    def crosstable(self, request: Request, slug: str) -> Response:
        """Who scored what against whom, in the order of the standings."""
        return Response(CrosstableRowSerializer(reads.crosstable(self.get_object()), many=True).data)

    @extend_schema(responses=ProgressSerializer)
    @action(detail=True, filterset_fields=[])
    def progress(self, request: Request, slug: str) -> Response:
        """How far it is, how fast it goes, and how long it will take."""
        return Response(ProgressSerializer(reads.progress(self.get_object(), timezone.now())).data)

    @extend_schema(request=None, responses={200: EventSerializer, 409: None})
    @action(detail=True, methods=["post"])
    def start(self, request: Request, slug: str) -> Response:
        """Start a scheduled event now."""
        return self._done(verbs.start_event)

    @extend_schema(request=None, responses={200: EventSerializer, 409: None})
    @action(detail=True, methods=["post"])
    def pause(self, request: Request, slug: str) -> Response:
        """Hold the matches that have not begun; running ones are played to their end."""
        return self._done(verbs.pause_event)

    @extend_schema(request=None, responses={200: EventSerializer, 409: None})
    @action(detail=True, methods=["post"])
    def resume(self, request: Request, slug: str) -> Response:
        """Go on after a pause."""
        return self._done(verbs.resume_event)

    @extend_schema(request=None, responses={200: EventSerializer, 409: None})
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, slug: str) -> Response:
        """End it now. Finished games stay, running ones are discarded."""
        return self._done(verbs.cancel_event)

    def _done(self, verb: Any) -> Response:
        event = self.get_object()
        verb(event=event, now=timezone.now())
        event.refresh_from_db()
        return Response(EventSerializer(event).data)
