"""Bots, versions, and the upload door for staff."""

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from ratings.admin import ReadOnlyAdmin
from tournaments.admin.service import FactsInline, ServiceAdmin, VerbForm
from tournaments.models import Bot, Check, Submission, Version
from tournaments.services.submissions import accept_upload
from tournaments.validators import small_enough


class VersionInline(FactsInline):
    model = Version
    fields = ["number", "rulesets", "trusted", "created_at"]


@admin.register(Bot)
class BotAdmin(ReadOnlyAdmin):
    list_display = ["name", "owner", "created_at"]
    list_select_related = ["owner"]
    search_fields = ["name", "slug", "owner__username"]
    inlines = [VersionInline]

    def view_on_site(self, bot: Bot) -> str:
        return reverse("bot", args=[bot.slug])


@admin.register(Version)
class VersionAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "rulesets", "trusted", "created_at"]
    list_select_related = ["bot"]
    list_filter = ["trusted"]
    search_fields = ["bot__name", "sha256"]
    ordering = ["-id"]
    exclude = ["archive", "artefact"]


class UploadForm(VerbForm):
    archive = forms.FileField(validators=[small_enough], help_text="A .zip, .tar or .tar.gz with bot.toml at its top.")

    class Meta:
        model = Submission
        fields: list[str] = []

    def perform(self) -> Submission:
        archive = self.cleaned_data["archive"]
        return accept_upload(archive=archive.read(), filename=archive.name, uploader=self.user, now=timezone.now())


class CheckInline(FactsInline):
    model = Check
    fields = ["number", "worker", "tier", "status", "reason", "started_at", "ended_at"]


@admin.register(Submission)
class SubmissionAdmin(ServiceAdmin):
    add_form = UploadForm
    list_display = ["filename", "name", "uploader", "received_at", "status", "step", "refusal"]
    list_select_related = ["uploader"]
    list_filter = ["status"]
    search_fields = ["filename", "name", "uploader__username", "sha256"]
    exclude = ["archive", "published_at"]
    inlines = [CheckInline]

    def get_inlines(self, request: HttpRequest, submission: Submission | None) -> list[type[FactsInline]]:
        """None on the form that uploads."""
        return self.inlines if submission else []

    def view_on_site(self, submission: Submission) -> str:
        return reverse("submission", args=[submission.pk])


@admin.register(Check)
class CheckAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "worker", "tier", "status", "reason", "started_at"]
    list_select_related = ["submission"]
    list_filter = ["status", "tier"]
    search_fields = ["submission__filename", "submission__name", "worker"]
