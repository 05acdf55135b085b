"""Rulesets as a resource, read from the code and not from the database."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from engines.rules.registry import RULESETS


class RulesetSerializer(serializers.Serializer):
    slug = serializers.CharField()
    version = serializers.IntegerField(help_text="Version of the rules, from 1. Game records store it as `rules`.")
    name = serializers.CharField()
    designer = serializers.CharField()
    summary = serializers.CharField(help_text="Summary of the rules in one or two sentences.")
    colours = serializers.ListField(child=serializers.CharField(), min_length=2, max_length=2,
                                    help_text="Names of seat 0 and seat 1, also used in the bot protocol.")
    sizes = serializers.ListField(child=serializers.IntegerField(), help_text="Supported board sizes, in cells per "
                                                                              "side.")
    default_size = serializers.IntegerField()
    drawn_on = serializers.ChoiceField(["cells", "points"], help_text="Whether stones are placed in cells or on "
                                                                      "points.")
    has_goal_sides = serializers.BooleanField(help_text="Whether seat 0 connects north and south, and seat 1 west and "
                                                        "east.")


class RulesetViewSet(ViewSet):
    lookup_field = "slug"

    @extend_schema(responses=RulesetSerializer(many=True))
    def list(self, request: Request) -> Response:
        """List all rulesets that can be played here. The list is not paginated."""
        return Response(RulesetSerializer(RULESETS.values(), many=True).data)

    @extend_schema(
        parameters=[OpenApiParameter("slug", str, OpenApiParameter.PATH, description="Slug of the ruleset.")],
        responses=RulesetSerializer,
    )
    def retrieve(self, request: Request, slug: str) -> Response:
        """Return one ruleset."""
        if slug not in RULESETS:
            raise NotFound(f"There is no ruleset {slug!r}. Use one of {', '.join(RULESETS)}.")
        return Response(RulesetSerializer(RULESETS[slug]).data)
