"""Download of an event as a bundle that anyone can verify."""

from django.db.models import QuerySet
from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from tournaments.api.plumbing.slugs import BySlug
from tournaments.models import Event
from tournaments.selectors.events import events as reads
from tournaments.services.events.exports import event_bundle
from tournaments.web.errors import refusal
from tournaments.web.etags import tagged
from tournaments.web.problems import MEDIA_TYPE as PROBLEM

ZIP = "application/zip"


class ZipRenderer(BaseRenderer):
    """Renderer that only declares the media type; the view sends the zip file itself."""

    media_type = ZIP
    format = "zip"
    charset = None


class BundleView(BySlug, GenericAPIView):
    queryset = Event.objects.all()
    renderer_classes = [ZipRenderer]
    filter_backends = ()
    throttle_scope = "bundles"
    throttle_methods = ("GET",)

    def get_queryset(self) -> QuerySet[Event]:
        return reads.visible_to(self.request.user)

    @extend_schema(parameters=[OpenApiParameter("slug", str, OpenApiParameter.PATH, description="Slug of the event.")],
                   responses={(200, ZIP): OpenApiResponse(OpenApiTypes.BINARY, "A zip file."),
                              (409, PROBLEM): refusal("The event has not ended.")})
    def get(self, request: Request, slug: str) -> FileResponse:
        """Download the whole event as a zip file: games with their records, tables, rating changes, results as CSV.

        If SGF can represent the ruleset, the games are included as SGF as well. `squarefield verify` replays every
        game and recomputes the tables and ratings from the records. The bundle is available once the event has ended.
        """
        return self._bundle(request, slug)

    @tagged(reads.etag)
    def _bundle(self, request: Request, slug: str) -> FileResponse:
        return FileResponse(event_bundle(self.tagged_object), as_attachment=True, filename=f"{slug}.zip",
                            content_type=ZIP)
