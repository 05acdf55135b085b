"""Bots, versions, and the upload door for staff."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone

from tournaments.admin.forms import VerbForm, performed_by
from tournaments.admin.readonly import CreatedByVerbAdmin, ReadOnlyAdmin
from tournaments.models import Bot, Submission, Version
from tournaments.services.submissions import accept_upload


class VersionInline(admin.TabularInline):
    model = Version
    fields = readonly_fields = ["number", "rulesets", "trusted", "created_at"]
    extra = 0
    can_delete = False
    show_change_link = True

    def has_add_permission(self, request: HttpRequest, obj: object) -> bool:
        return False


@admin.register(Bot)
class BotAdmin(ReadOnlyAdmin):
    list_display = ["name", "owner", "created_at"]
    list_select_related = ["owner"]
    search_fields = ["name", "slug", "owner__username"]
    inlines = [VersionInline]


@admin.register(Version)
class VersionAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "rulesets", "trusted", "created_at"]
    list_select_related = ["bot"]
    list_filter = ["trusted"]
    search_fields = ["bot__name", "sha256"]
    exclude = ["archive"]


class UploadForm(VerbForm):
    archive = forms.FileField(help_text="A .zip, .tar or .tar.gz with bot.toml at its top.")
    user: Any = None

    class Meta:
        model = Submission
        fields: list[str] = []

    def perform(self) -> Submission:
        archive = self.cleaned_data["archive"]
        version = accept_upload(archive=archive.read(), filename=archive.name, uploader=self.user, now=timezone.now())
        return version.submission


@admin.register(Submission)
class SubmissionAdmin(CreatedByVerbAdmin):
    list_display = ["filename", "uploader", "received_at", "accepted", "refusal"]
    list_select_related = ["uploader"]
    list_filter = ["accepted"]
    search_fields = ["filename", "uploader__username", "sha256"]

    def get_form(self, request: HttpRequest, obj: object = None, change: bool = False, **kwargs: Any) -> Any:
        if obj is not None:
            return super().get_form(request, obj, change, **kwargs)
        return performed_by(UploadForm, request.user)

    def get_fields(self, request: HttpRequest, obj: object = None) -> Any:
        return ["archive"] if obj is None else super().get_fields(request, obj)
