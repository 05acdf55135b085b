"""URLs of the API documentation, included below the API's own path."""

from django.urls import path

from frontend.views.site import reference

urlpatterns = [
    path("", reference.index, name="api-docs"),
    path("<slug:name>/", reference.tag, name="api-docs-tag"),
]
