"""Admin pages of bots, versions and submissions, with the upload form for staff."""

from django import forms
from django.contrib import admin
from django.core.files import File
from django.http import HttpRequest
from django.utils import timezone

from ratings.admin import ReadOnlyAdmin
from tournaments.admin.shared.service import FactsInline, ServiceAdmin, Verb, VerbForm
from tournaments.models import Bot, Check, Submission, Version
from tournaments.models.lifecycle import VERSION_TRANSITIONS
from tournaments.services.bots import versions
from tournaments.services.bots.submissions import accept_upload
from tournaments.web.uploads import small_enough


class VersionInline(FactsInline):
    model = Version
    fields = ["number", "status", "rulesets", "trusted", "created_at"]


@admin.register(Bot)
class BotAdmin(ReadOnlyAdmin):
    page = ("bot", "slug")
    list_display = ["name", "owner", "team", "created_at"]
    list_select_related = ["owner", "team"]
    search_fields = ["name", "slug", "owner__username"]
    inlines = [VersionInline]


@admin.register(Version)
class VersionAdmin(ServiceAdmin):
    verbs = {
        "rest": Verb(versions.rest, "Suspend", "suspended", VERSION_TRANSITIONS["rest"]),
        "withdraw": Verb(versions.withdraw, "Withdraw", "withdrawn", VERSION_TRANSITIONS["withdraw"],
                         warning="It no longer takes part anywhere, and leaves its ladders."),
        "bring_back": Verb(versions.bring_back, "Bring back", "brought back", VERSION_TRANSITIONS["bring_back"]),
    }
    list_display = ["__str__", "status", "rulesets", "trusted", "created_at"]
    list_select_related = ["bot"]
    list_filter = ["status", "trusted"]
    search_fields = ["bot__name", "sha256"]
    ordering = ["-id"]
    exclude = ["archive", "artefact"]


class UploadForm(VerbForm):
    archive = forms.FileField(help_text=".zip, .tar or .tar.gz archive with bot.toml at its top level.")

    class Meta:
        model = Submission
        fields: list[str] = []

    def clean_archive(self) -> File:
        """Return the file if it is within the uploader's size limit."""
        return small_enough(self.cleaned_data["archive"], self.user)

    def perform(self) -> Submission:
        archive = self.cleaned_data["archive"]
        return accept_upload(archive=archive.read(), filename=archive.name, uploader=self.user, now=timezone.now())


class CheckInline(FactsInline):
    model = Check
    fields = ["number", "worker", "tier", "status", "reason", "started_at", "ended_at"]


@admin.register(Submission)
class SubmissionAdmin(ServiceAdmin):
    add_form = UploadForm
    page = ("submission", "pk")
    list_display = ["filename", "name", "uploader", "received_at", "status", "step", "refusal"]
    list_select_related = ["uploader"]
    list_filter = ["status"]
    search_fields = ["filename", "name", "uploader__username", "sha256"]
    exclude = ["archive", "published_at"]
    inlines = [CheckInline]

    def get_inlines(self, request: HttpRequest, submission: Submission | None) -> list[type[FactsInline]]:
        """Return no inlines for the upload form."""
        return self.inlines if submission else []


@admin.register(Check)
class CheckAdmin(ReadOnlyAdmin):
    internal = True
    list_display = ["__str__", "worker", "tier", "status", "reason", "started_at"]
    list_select_related = ["submission"]
    list_filter = ["status", "tier"]
    search_fields = ["submission__filename", "submission__name", "worker"]
