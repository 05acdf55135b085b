"""Addresses of the API's documentation, which lie below the API's."""

from django.urls import path

from frontend.views.site import reference

urlpatterns = [
    path("", reference.index, name="api-docs"),
    path("<slug:name>/", reference.tag, name="api-docs-tag"),
]
