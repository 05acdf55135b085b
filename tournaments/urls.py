"""URLs of the site: pages, API, admin."""

from django.contrib import admin
from django.urls import include, path

from tournaments.operations import metrics

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/docs/", include("frontend.documents.urls")),
    path("api/", include("tournaments.api.urls")),
    path("metrics", metrics.page),
    path("", include("frontend.urls")),
]

# These answer with problem details below /api/, and with the pages' templates elsewhere.
handler400 = "tournaments.web.errors.bad_request"
handler500 = "tournaments.web.errors.server_error"
