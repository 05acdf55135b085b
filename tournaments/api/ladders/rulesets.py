"""The rulesets as a resource: facts of the code, not rows."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from engines.rules.registry import RULESETS


class RulesetSerializer(serializers.Serializer):
    slug = serializers.CharField()
    version = serializers.IntegerField(help_text="Version of the rules, from 1; records name theirs as `rules`.")
    name = serializers.CharField()
    designer = serializers.CharField()
    summary = serializers.CharField(help_text="The rules in a sentence or two.")
    colours = serializers.ListField(child=serializers.CharField(), min_length=2, max_length=2,
                                    help_text="What seat 0 and seat 1 are called, also in the bots' protocol.")
    sizes = serializers.ListField(child=serializers.IntegerField(), help_text="Cells a side that can be played.")
    default_size = serializers.IntegerField()
    drawn_on = serializers.ChoiceField(["cells", "points"], help_text="Where stones stand.")
    has_goal_sides = serializers.BooleanField(help_text="Seat 0 joins north and south, seat 1 west and east.")


class RulesetViewSet(ViewSet):
    lookup_field = "slug"

    @extend_schema(responses=RulesetSerializer(many=True))
    def list(self, request: Request) -> Response:
        """The games that can be played here, all of them: this list has no pages."""
        return Response(RulesetSerializer(RULESETS.values(), many=True).data)

    @extend_schema(
        parameters=[OpenApiParameter("slug", str, OpenApiParameter.PATH, description="The ruleset's slug.")],
        responses=RulesetSerializer,
    )
    def retrieve(self, request: Request, slug: str) -> Response:
        """One ruleset."""
        if slug not in RULESETS:
            raise NotFound(f"There is no ruleset {slug!r}; there are {', '.join(RULESETS)}.")
        return Response(RulesetSerializer(RULESETS[slug]).data)
