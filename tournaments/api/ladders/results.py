"""Download of the results of all games of a ladder."""

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from tournaments.api.plumbing.slugs import BySlug
from tournaments.models import Ladder
from tournaments.selectors.ladders.results import results_csv

CSV = "text/csv"


class CsvRenderer(BaseRenderer):
    """Renderer that only declares the media type; the view streams the file itself."""

    media_type = CSV
    format = "csv"


class LadderResultsView(BySlug, GenericAPIView):
    queryset = Ladder.objects.all()
    renderer_classes = [CsvRenderer]
    filter_backends = ()
    throttle_scope = "bundles"
    throttle_methods = ("GET",)

    @extend_schema(parameters=[OpenApiParameter("slug", str, OpenApiParameter.PATH, description="Slug of the ladder.")],
                   responses={(200, CSV): OpenApiResponse(OpenApiTypes.STR, "A CSV file in UTF-8.")})
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """Download the results of all games of the ladder as CSV: bots, versions, points, opening, rating period.

        `squarefield rate --official PERIOD` computes the ratings from this file. Games of private events are
        included only for those who can see the event.
        """
        return StreamingHttpResponse(
            results_csv(self.get_object(), request.user), content_type=f"{CSV}; charset=utf-8",
            headers={"Content-Disposition": f'attachment; filename="{slug}-results.csv"'})
