"""Programs available to bots and their builds on the site's workers."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tournaments.operations.workers import tools


class ToolSerializer(serializers.Serializer):
    name = serializers.CharField(help_text="Name of the program, or `numpy`.")
    versions = serializers.ListField(child=serializers.CharField(), help_text="Versions found on the workers.")
    everywhere = serializers.BooleanField(help_text="Whether every worker has the program, so that bots can rely on "
                                                    "it.")


class ToolsSerializer(serializers.Serializer):
    workers = serializers.IntegerField(help_text="Number of workers that reported their tools; 0 if none has.")
    tools = ToolSerializer(many=True)


class ToolsView(APIView):
    @extend_schema(responses=ToolsSerializer)
    def get(self, request: Request) -> Response:
        """List the compilers and interpreters available to bots and their builds, in addition to a minimal Debian."""
        workers, found = tools(timezone.now())
        return Response(ToolsSerializer({"workers": workers, "tools": found}).data)
