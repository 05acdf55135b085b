"""The release that the site offers for download."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from tournaments.operations.downloads import release


class DownloadSerializer(serializers.Serializer):
    name = serializers.CharField(help_text="File name.")
    kind = serializers.ChoiceField(["kit", "wheel", "native", "source", "sbom"], help_text=(
        "The author's kit in one file, a wheel, a wheel of the native engine, sources, or the list of components in "
        "CycloneDX's format."))
    size = serializers.IntegerField(help_text="Size in bytes.")
    sha256 = serializers.CharField(help_text="SHA-256 of the file, as 64 hexadecimal digits.")
    url = serializers.URLField(help_text="Address of the file on this site.")


class DownloadsSerializer(serializers.Serializer):
    version = serializers.CharField(help_text="Version of the site's rules and tools.")
    files = DownloadSerializer(many=True, help_text="Empty if the files were not built for this site.")


class DownloadsView(APIView):
    @extend_schema(responses=DownloadsSerializer)
    def get(self, request: Request) -> Response:
        """List the files of the site's own version: the author's kit, the wheel, the sources and the SBOM."""
        served = release()
        files = [{"name": file.name, "kind": file.kind, "size": file.size, "sha256": file.sha256,
                  "url": reverse("download", args=[file.name], request=request)} for file in served.files]
        return Response(DownloadsSerializer({"version": served.version, "files": files}).data)
