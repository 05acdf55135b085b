"""Who may do what through the API."""

from django.contrib.auth import get_permission_codename
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView


class StaffWithRight(BasePermission):
    """Staff with Django's right to view, add or change such rows, here as in the admin; nobody else."""

    message = "Only the site's staff may do this."

    def has_permission(self, request: Request, view: APIView) -> bool:
        model = view.queryset.model._meta  # noqa: SLF001 - Django's documented way to a model's facts
        verb = "view" if request.method in SAFE_METHODS else "add" if view.action == "create" else "change"
        return request.user.is_staff and request.user.has_perm(
            f"{model.app_label}.{get_permission_codename(verb, model)}")


class OrganiserOrReadOnly(StaffWithRight):
    """Everybody reads. Staff with the right to add or change such rows organises, here as in the admin.

    It stands behind DRF's IsAuthenticatedOrReadOnly, which the schema knows as "anybody reads".
    """

    message = "Only the site's organisers may do this."

    def has_permission(self, request: Request, view: APIView) -> bool:
        return request.method in SAFE_METHODS or super().has_permission(request, view)
