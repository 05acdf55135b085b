"""Events: schedule them, run them, read their standings, crosstable and progress."""

import secrets
from collections.abc import Callable

import django_filters
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ReadOnlyModelViewSet

from tournaments.api.errors import refusable
from tournaments.api.permissions import OrganiserOrReadOnly
from tournaments.api.slugs import BySlug
from tournaments.api.tables import CrosstableRowSerializer, ProgressSerializer, StandingSerializer
from tournaments.lifecycle import EventStatus
from tournaments.models import Event, Ladder, Version
from tournaments.selectors import events as reads
from tournaments.services import events as verbs


class EventSerializer(serializers.ModelSerializer):
    ladder = serializers.SlugRelatedField(slug_field="slug", read_only=True, help_text="Slug of the ladder.")
    created_by = serializers.CharField(source="created_by.username", help_text="Its organiser.")

    class Meta:
        model = Event
        read_only_fields = fields = ["slug", "name", "ladder", "cycles", "status", "seed", "openings", "starts_at",
                                     "started_at", "ended_at", "created_by", "created_at"]


class ScheduleSerializer(serializers.Serializer):
    name = serializers.CharField(help_text="As people call it.")
    ladder = serializers.SlugField(help_text="Slug of the ladder that it is played on.")
    versions = serializers.ListField(child=serializers.IntegerField(min_value=1, max_value=2**63 - 1), max_length=1000,
                                     help_text="Ids of the versions that enter, one a bot.")
    cycles = serializers.IntegerField(default=1, help_text="How often each pair meets, two games each time.")
    starts_at = serializers.DateTimeField(default=None, allow_null=True,
                                          help_text="When it starts by itself; at once when left out.")
    openings = serializers.BooleanField(default=True, help_text="Games begin from openings drawn by lot, each match's "
                                                                "two from the same; otherwise from the empty board.")
    seed = serializers.IntegerField(required=False, min_value=0, max_value=2**63 - 1,
                                    help_text="Decides the draw; by lot when left out.")

    def validate_ladder(self, slug: str) -> Ladder:
        """The ladder itself."""
        ladder = Ladder.objects.filter(slug=slug).first()
        if ladder is None:
            raise serializers.ValidationError(f"There is no ladder {slug!r}.")
        return ladder

    def validate_versions(self, ids: list[int]) -> list[Version]:
        """The versions themselves, in the order given; one query, however many there are."""
        known = Version.objects.select_related("bot").in_bulk(ids)
        unknown = [str(pk) for pk in ids if pk not in known]
        if unknown:
            raise serializers.ValidationError(f"There is no version {', '.join(unknown)}.")
        return [known[pk] for pk in ids]


class EventFilter(django_filters.FilterSet):
    status = django_filters.ChoiceFilter(choices=EventStatus.choices, label="Where it is in its life.")
    ladder = django_filters.CharFilter("ladder__slug", label="Slug of the ladder.")


@extend_schema_view(
    list=extend_schema(description="Events, newest first."),
    retrieve=extend_schema(description="One event."),
)
class EventViewSet(BySlug, ReadOnlyModelViewSet):
    queryset = reads.events()
    serializer_class = EventSerializer
    permission_classes = [IsAuthenticatedOrReadOnly, OrganiserOrReadOnly]
    filterset_class = EventFilter

    @extend_schema(request=ScheduleSerializer, responses=refusable(created=EventSerializer))
    def create(self, request: Request) -> Response:
        """Schedule a round-robin. It starts by itself at its time."""
        form = ScheduleSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        facts = {"seed": secrets.randbits(63), **form.validated_data}
        event = verbs.create_event(**facts, created_by=request.user, now=timezone.now())
        return Response(EventSerializer(event).data, status=status.HTTP_201_CREATED)

    @extend_schema(responses=StandingSerializer(many=True))
    @action(detail=True, pagination_class=None, filterset_class=None)
    def standings(self, request: Request, slug: str) -> Response:
        """The event's table, best first."""
        return Response(StandingSerializer(reads.standings(self.get_object()), many=True).data)

    @extend_schema(responses=CrosstableRowSerializer(many=True))
    @action(detail=True, pagination_class=None, filterset_class=None)
    def crosstable(self, request: Request, slug: str) -> Response:
        """Who scored what against whom; rows and cells in the order of the standings."""
        return Response(CrosstableRowSerializer(reads.crosstable(self.get_object()), many=True).data)

    @extend_schema(responses=ProgressSerializer)
    @action(detail=True)
    def progress(self, request: Request, slug: str) -> Response:
        """How far it is, how fast it goes, and how long it will take."""
        return Response(ProgressSerializer(reads.progress(self.get_object(), timezone.now())).data)

    @extend_schema(request=None, responses=refusable(ok=EventSerializer, malformed=False))
    @action(detail=True, methods=["post"])
    def start(self, request: Request, slug: str) -> Response:
        """Start a scheduled event now."""
        return self._done(verbs.start_event)

    @extend_schema(request=None, responses=refusable(ok=EventSerializer, malformed=False))
    @action(detail=True, methods=["post"])
    def pause(self, request: Request, slug: str) -> Response:
        """Hold the matches that have not begun; running ones are played to their end."""
        return self._done(verbs.pause_event)

    @extend_schema(request=None, responses=refusable(ok=EventSerializer, malformed=False))
    @action(detail=True, methods=["post"])
    def resume(self, request: Request, slug: str) -> Response:
        """Go on after a pause."""
        return self._done(verbs.resume_event)

    @extend_schema(request=None, responses=refusable(ok=EventSerializer, malformed=False))
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, slug: str) -> Response:
        """End it now. Finished games stay, running ones are discarded."""
        return self._done(verbs.cancel_event)

    def _done(self, verb: Callable[..., Event]) -> Response:
        return Response(EventSerializer(verb(event=self.get_object(), now=timezone.now())).data)
