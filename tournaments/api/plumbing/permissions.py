"""Permissions of API operations."""

from django.contrib.auth import get_permission_codename
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView


class StaffWithRight(BasePermission):
    """Permission for staff with Django's right to view, add or change such rows, as in the admin."""

    message = "Only the site's staff with the required permission can do this."

    def has_permission(self, request: Request, view: APIView) -> bool:
        model = view.queryset.model._meta  # noqa: SLF001 - Django's documented way to a model's facts
        verb = "view" if request.method in SAFE_METHODS else "add" if view.action == "create" else "change"
        return request.user.is_staff and request.user.has_perm(
            f"{model.app_label}.{get_permission_codename(verb, model)}")


class OrganiserOrReadOnly(StaffWithRight):
    """Permission for everyone to read, and for staff with the right to add or change such rows, as in the admin.

    Use it after DRF's IsAuthenticatedOrReadOnly, from which the schema learns that anonymous users can read.
    """

    message = "Only the site's organisers can do this."

    def has_permission(self, request: Request, view: APIView) -> bool:
        return request.method in SAFE_METHODS or super().has_permission(request, view)
