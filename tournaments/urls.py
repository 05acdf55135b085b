"""Addresses of the site: pages, API, admin."""

from django.contrib import admin
from django.urls import include, path

from tournaments.site import metrics

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/docs/", include("frontend.documents.urls")),
    path("api/", include("tournaments.api.urls")),
    path("metrics", metrics.page),
    path("", include("frontend.urls")),
]

# Below /api/ these answer with problem details, elsewhere with the pages' templates.
handler400 = "tournaments.api.errors.bad_request"
handler500 = "tournaments.api.errors.server_error"
