"""Search by name across the site."""

from typing import Any, Final

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tournaments.selectors.operations.search import search

_MOST: Final = 20


class SearchQuerySerializer(serializers.Serializer):
    q = serializers.CharField(max_length=80, help_text="Part of a name, in upper or lower case.")


class FoundSerializer(serializers.Serializer):
    slug = serializers.CharField()
    name = serializers.CharField(help_text="Display name. User-supplied: escape it before display.")


class FoundPersonSerializer(serializers.Serializer):
    username = serializers.CharField()


class SearchSerializer(serializers.Serializer):
    """At most 20 of each kind, first those whose names begin with the text."""

    bots = FoundSerializer(many=True)
    people = FoundPersonSerializer(many=True, help_text="People who own a bot or belong to a team.")
    teams = FoundSerializer(many=True)
    events = FoundSerializer(many=True, help_text="Events that you may see.")


class SearchView(APIView):
    @extend_schema(parameters=[SearchQuerySerializer], responses=SearchSerializer)
    def get(self, request: Request, *args: Any) -> Response:
        """Find bots, people, teams and events by name: at most 20 of each."""
        asked = SearchQuerySerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        found = search(asked.validated_data["q"], request.user)
        return Response(SearchSerializer({kind: rows[:_MOST] for kind, rows in found.items()}).data)
