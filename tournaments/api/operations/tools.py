"""The programs that bots and their builds find on the site's workers."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tournaments.operations.workers import tools


class ToolSerializer(serializers.Serializer):
    name = serializers.CharField(help_text="Name of the program, or numpy.")
    versions = serializers.ListField(child=serializers.CharField(), help_text="Its versions on the workers.")
    everywhere = serializers.BooleanField(help_text="Every worker has it: a bot may rely on it.")


class ToolsSerializer(serializers.Serializer):
    workers = serializers.IntegerField(help_text="Number of workers that were asked; 0: nothing is known.")
    tools = ToolSerializer(many=True)


class ToolsView(APIView):
    @extend_schema(responses=ToolsSerializer)
    def get(self, request: Request) -> Response:
        """The compilers and interpreters that bots and their builds find here, in addition to a minimal Debian."""
        workers, found = tools(timezone.now())
        return Response(ToolsSerializer({"workers": workers, "tools": found}).data)
