"""Series: events that are held again and again."""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ReadOnlyModelViewSet

from tournaments.api.events.events import FormatSerializer
from tournaments.api.plumbing.slugs import BySlug
from tournaments.models import Series
from tournaments.selectors.events import events as reads
from tournaments.services.events import series as verbs
from tournaments.web.errors import refusable


class SeriesSerializer(serializers.ModelSerializer):
    ladder = serializers.SlugRelatedField(slug_field="slug", read_only=True, help_text="Slug of the ladder.")
    created_by = serializers.CharField(source="created_by.username", help_text="Its organiser.")
    announced_run_at = serializers.DateTimeField(allow_null=True, help_text="The start of the event that is announced "
                                                                            "and has not started; null for none.")
    following_run_at = serializers.DateTimeField(allow_null=True, help_text="The start of the event that it announces "
                                                                            "after that one; null while it is paused.")
    next_run_at = serializers.DateTimeField(allow_null=True, help_text="The same as `following_run_at`, also while it "
                                                                       "is paused; for clients that know no other.")

    class Meta:
        model = Series
        read_only_fields = fields = ["slug", "name", "ladder", "cron", "time_zone", "enter_ladder", "format", "cycles",
                                     "swiss_rounds", "seeding", "tie_breaks", "openings", "rated", "private",
                                     "max_entries", "active", "announced_run_at", "following_run_at",
                                     "next_run_at", "created_by", "created_at"]


class NewSeriesSerializer(FormatSerializer):
    cron = serializers.CharField(max_length=100, help_text="When: minute, hour, day of month, month, day of week, such "
                                                           "as 0 18 * * FRI.")
    time_zone = serializers.CharField(default="UTC", max_length=60,
                                      help_text="Whose clock the times are by: a name such as Europe/Berlin.")
    enter_ladder = serializers.BooleanField(default=False, help_text="Enter every active bot of the ladder by itself.")
    rated = serializers.BooleanField(default=True, help_text="Its games count for the ladder.")


@extend_schema_view(
    list=extend_schema(description="Series, newest first."),
    retrieve=extend_schema(description="One series. Its events are found by `/api/events/?series=`."),
)
class SeriesViewSet(BySlug, ReadOnlyModelViewSet):
    queryset = Series.objects.all()
    serializer_class = SeriesSerializer

    def get_queryset(self) -> QuerySet[Series]:
        return reads.series(self.request.user)

    @extend_schema(request=NewSeriesSerializer, responses=refusable(created=SeriesSerializer))
    def create(self, request: Request) -> Response:
        """Set up a series. Its first event is announced at once. For the site's organisers."""
        form = NewSeriesSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        series = verbs.create_series(**form.validated_data, created_by=request.user, now=timezone.now())
        return Response(self._shown(series), status=status.HTTP_201_CREATED)

    @extend_schema(request=None, responses=refusable(ok=SeriesSerializer, malformed=False))
    @action(detail=True, methods=["post"])
    def pause(self, request: Request, slug: str) -> Response:
        """Announce no more events until it is resumed. For its organiser."""
        return self._done(verbs.pause_series)

    @extend_schema(request=None, responses=refusable(ok=SeriesSerializer, malformed=False))
    @action(detail=True, methods=["post"])
    def resume(self, request: Request, slug: str) -> Response:
        """Go on with the next time to come; those of the pause are not made up for. For its organiser."""
        return self._done(verbs.resume_series)

    @extend_schema(request=None, responses=refusable(ok=SeriesSerializer, malformed=False))
    @action(detail=True, methods=["post"])
    def end(self, request: Request, slug: str) -> Response:
        """Announce no more events, ever; what is announced stays, and may be cancelled. For its organiser."""
        return self._done(verbs.end_series)

    def _done(self, verb: Callable[..., Series]) -> Response:
        series = verb(series=self.get_object(), actor=self.request.user, now=timezone.now())
        return Response(self._shown(series))

    def _shown(self, series: Series) -> dict[str, Any]:
        """The series as it is now, with its next runs."""
        return SeriesSerializer(self.get_queryset().get(pk=series.pk)).data
