"""Versions: what each is made of, and whether it takes part."""

from collections.abc import Callable

import django_filters
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ReadOnlyModelViewSet

from tournaments.api.bots.bots import VersionSerializer
from tournaments.models import Version
from tournaments.models.lifecycle import VersionStatus
from tournaments.services.bots import versions as verbs
from tournaments.web.errors import refusable


class VersionFilter(django_filters.FilterSet):
    bot = django_filters.CharFilter("bot__slug", label="Slug of its bot.")
    owner = django_filters.CharFilter("bot__owner__username", label="Name of the account that owns its bot.")
    status = django_filters.ChoiceFilter(choices=VersionStatus.choices, label="Whether it takes part.")


@extend_schema_view(
    list=extend_schema(description="Versions of all bots, newest first."),
    retrieve=extend_schema(description="One version."),
)
class VersionViewSet(ReadOnlyModelViewSet):
    queryset = Version.objects.select_related("bot__owner", "bot__team")
    serializer_class = VersionSerializer
    filterset_class = VersionFilter

    @extend_schema(request=None, responses=refusable(ok=VersionSerializer, malformed=False))
    @action(detail=True, methods=["post"])
    def rest(self, request: Request, pk: str) -> Response:
        """Keep it from being paired until you bring it back. For the bot's owner and team."""
        return self._done(verbs.rest)

    @extend_schema(request=None, responses=refusable(ok=VersionSerializer, malformed=False))
    @action(detail=True, methods=["post"])
    def withdraw(self, request: Request, pk: str) -> Response:
        """Take it out of everything; a ladder on which it plays is left. For the bot's owner and team."""
        return self._done(verbs.withdraw)

    @extend_schema(request=None, responses=refusable(ok=VersionSerializer, malformed=False))
    @action(detail=True, methods=["post"], url_path="bring-back")
    def bring_back(self, request: Request, pk: str) -> Response:
        """Let it take part again; a ladder that it left is joined anew. For the bot's owner and team."""
        return self._done(verbs.bring_back)

    def _done(self, verb: Callable[..., Version]) -> Response:
        version = verb(version=self.get_object(), actor=self.request.user, now=timezone.now())
        return Response(VersionSerializer(version).data)
