"""Workers: which machines play, and draining them. For the site's staff alone."""

from collections.abc import Callable

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.permissions import IsAdminUser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ReadOnlyModelViewSet

from tournaments.api.plumbing.permissions import OrganiserOrReadOnly
from tournaments.models import Worker
from tournaments.operations.workers import is_online, under_way
from tournaments.services.matches import workers as verbs
from tournaments.web.errors import refusable


class WorkerSerializer(serializers.ModelSerializer):
    online = serializers.SerializerMethodField(help_text="It was heard of a moment ago and has not stopped.")
    under_way = serializers.SerializerMethodField(help_text="Matches and checks that run at it now.")

    class Meta:
        model = Worker
        read_only_fields = fields = ["id", "name", "host", "tier", "rulesets", "cores", "concurrency", "software",
                                     "tools", "load", "started_at", "seen_at", "draining", "stopped_at", "online",
                                     "under_way"]

    def get_online(self, worker: Worker) -> bool:
        return is_online(worker, timezone.now())

    def get_under_way(self, worker: Worker) -> int:
        return under_way(worker)


@extend_schema_view(
    list=extend_schema(description="The workers of the last day, the newest first.",
                       responses=refusable(ok=WorkerSerializer(many=True), malformed=False)),
    retrieve=extend_schema(description="One worker.", responses=refusable(ok=WorkerSerializer, malformed=False)),
)
class WorkerViewSet(ReadOnlyModelViewSet):
    queryset = Worker.objects.all()
    serializer_class = WorkerSerializer
    permission_classes = [IsAdminUser, OrganiserOrReadOnly]

    @extend_schema(request=None, responses=refusable(ok=WorkerSerializer, malformed=False))
    @action(detail=True, methods=["post"])
    def drain(self, request: Request, pk: str) -> Response:
        """Let it finish what it plays and take no more. It hears of it within seconds."""
        return self._done(request, verbs.drain)

    @extend_schema(request=None, responses=refusable(ok=WorkerSerializer, malformed=False))
    @action(detail=True, methods=["post"])
    def resume(self, request: Request, pk: str) -> Response:
        """Let it take matches again."""
        return self._done(request, verbs.resume)

    def _done(self, request: Request, verb: Callable[..., Worker]) -> Response:
        worker = verb(worker=self.get_object(), actor=request.user, now=timezone.now())
        return Response(WorkerSerializer(worker).data)
