"""Downloads of an event: the bundle that anyone can verify, and the FIDE report of a Swiss."""

from django.db.models import QuerySet
from django.http import FileResponse, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from tournaments.api.plumbing.slugs import BySlug
from tournaments.models import Event
from tournaments.selectors.events import events as reads
from tournaments.services.events.exports import event_bundle, event_trf
from tournaments.web.errors import refusal
from tournaments.web.etags import tagged
from tournaments.web.problems import MEDIA_TYPE as PROBLEM

ZIP = "application/zip"
TRF = "text/plain"


class ZipRenderer(BaseRenderer):
    """Renderer that only declares the media type; the view sends the zip file itself."""

    media_type = ZIP
    format = "zip"
    charset = None


class TrfRenderer(BaseRenderer):
    """Renderer that only declares the media type; the view sends the report itself."""

    media_type = TRF
    format = "trf"


class _Download(BySlug, GenericAPIView):
    queryset = Event.objects.all()
    filter_backends = ()
    throttle_scope = "bundles"
    throttle_methods = ("GET",)

    def get_queryset(self) -> QuerySet[Event]:
        return reads.visible_to(self.request.user)


_SLUG = OpenApiParameter("slug", str, OpenApiParameter.PATH, description="Slug of the event.")


class BundleView(_Download):
    renderer_classes = [ZipRenderer]

    @extend_schema(parameters=[_SLUG],
                   responses={(200, ZIP): OpenApiResponse(OpenApiTypes.BINARY, "A zip file."),
                              (409, PROBLEM): refusal("The event has not ended.")})
    def get(self, request: Request, slug: str) -> FileResponse:
        """Download the whole event as a zip file: games with their records, tables, results as CSV.

        If SGF can represent the ruleset, the games are included as SGF as well. `squarefield verify` replays every
        game and recomputes the tables from the records. The bundle is available once the event has ended.
        """
        return self._bundle(request, slug)

    @tagged(reads.etag)
    def _bundle(self, request: Request, slug: str) -> FileResponse:
        return FileResponse(event_bundle(self.tagged_object), as_attachment=True, filename=f"{slug}.zip",
                            content_type=ZIP)


class TrfView(_Download):
    renderer_classes = [TrfRenderer]

    @extend_schema(parameters=[_SLUG],
                   responses={(200, TRF): OpenApiResponse(OpenApiTypes.STR, "A report in UTF-8."),
                              (409, PROBLEM): refusal("The event is not a Swiss, or has not started.")})
    def get(self, request: Request, slug: str) -> HttpResponse:
        """Download a Swiss as a FIDE tournament report (TRF16): entrants, ratings, and the results of finished rounds.

        A pairing is one game with its match points. Programs such as bbpPairings pair the next round from this file.
        """
        return HttpResponse(event_trf(self.get_object()), content_type=f"{TRF}; charset=utf-8",
                            headers={"Content-Disposition": f'attachment; filename="{slug}.trf"'})
