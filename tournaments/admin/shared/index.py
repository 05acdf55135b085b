"""The first page of the admin: live pages, then what staff work with. Internal rows are listed one page further."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse


def index(request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
    """Show the index without the models whose admin says `internal`; the page of their app lists them."""
    listed = []
    for app in admin.site.get_app_list(request):
        models = [model for model in app["models"]
                  if not getattr(admin.site.get_model_admin(model["model"]), "internal", False)]
        listed.append({**app, "models": models, "more": len(app["models"]) - len(models)})
    return admin.AdminSite.index(admin.site, request, {"app_list": listed, **(extra_context or {})})
