"""Workers and their draining. Only for the site's staff."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.permissions import IsAdminUser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ReadOnlyModelViewSet

from tournaments.api.plumbing.actions import Verb
from tournaments.api.plumbing.fields import Computed
from tournaments.api.plumbing.permissions import OrganiserOrReadOnly
from tournaments.models import Worker
from tournaments.operations.workers import fleet, is_online, under_way
from tournaments.services.matches import workers as verbs
from tournaments.web.errors import refusable


class WorkerSerializer(serializers.ModelSerializer):
    online = Computed(lambda worker: is_online(worker, timezone.now()), serializers.BooleanField(),
                      help_text="Whether the worker sent a recent heartbeat and has not stopped.")
    under_way = Computed(under_way, serializers.IntegerField(), help_text="Number of matches and checks in progress on "
                                                                          "the worker.")

    class Meta:
        model = Worker
        read_only_fields = fields = ["id", "name", "host", "tier", "rulesets", "cores", "concurrency", "software",
                                     "tools", "load", "started_at", "seen_at", "draining", "stopped_at", "online",
                                     "under_way"]


class SlotsSerializer(serializers.Serializer):
    ruleset = serializers.CharField(help_text="Slug of the ruleset.")
    tier = serializers.CharField(help_text="Isolation tier of the workers' sandboxes. Workers below the tier "
                                           "`standard` take only work whose bots the site's staff uploaded.")
    slots = serializers.IntegerField(help_text="Number of matches that these workers can play at a time; draining "
                                               "workers do not count.")


@extend_schema_view(
    list=extend_schema(description="List the workers of the last 24 hours, newest first.",
                       responses=refusable(ok=WorkerSerializer(many=True), malformed=False)),
    retrieve=extend_schema(description="Return one worker.", responses=refusable(ok=WorkerSerializer, malformed=False)),
)
class WorkerViewSet(ReadOnlyModelViewSet):
    queryset = Worker.objects.all()
    serializer_class = WorkerSerializer
    permission_classes = [IsAdminUser, OrganiserOrReadOnly]

    @extend_schema(description="List how many matches of each ruleset the workers of each tier can play at a time. "
                               "Rulesets that no worker serves are left out.",
                   responses=refusable(ok=SlotsSerializer(many=True), malformed=False))
    @action(detail=False, pagination_class=None)
    def slots(self, request: Request) -> Response:
        places = sorted(fleet(timezone.now()).by_tier().items())
        return Response([{"ruleset": ruleset, "tier": tier, "slots": number} for (ruleset, tier), number in places])

    drain = Verb(verbs.drain, "Drain the worker: it finishes its current work and takes no more. The request reaches "
                              "it within seconds.")
    resume = Verb(verbs.resume, "Let the worker take matches again.")
