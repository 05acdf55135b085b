"""Submissions: uploads of bots, and their checks."""

from typing import Any

import django_filters
from django.core.files import File
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema_field
from rest_framework import parsers, serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.viewsets import ReadOnlyModelViewSet

from engines.check import Stage
from tournaments.api.bots.bots import VersionSerializer
from tournaments.api.plumbing.actions import Verb, described
from tournaments.api.plumbing.fields import Computed
from tournaments.models import Submission
from tournaments.models.lifecycle import SubmissionStatus, TokenScope
from tournaments.selectors.bots import submissions as reads
from tournaments.services.bots.submissions import accept_upload
from tournaments.web.uploads import small_enough


class StepSerializer(serializers.Serializer):
    stage = serializers.ChoiceField([stage.value for stage in Stage], help_text="Kind of step.")
    name = serializers.CharField(help_text="Display name of the step.")
    passed = serializers.BooleanField(allow_null=True, help_text="Whether the step passed; null while it is in "
                                                                 "progress.")
    note = serializers.CharField(help_text="Result of the step. Partly user-supplied: escape it before display.")
    seconds = serializers.FloatField(help_text="Duration in seconds.")


class SubmissionSerializer(serializers.ModelSerializer):
    owner = serializers.CharField(source="uploader.username", help_text="Username of the uploader.")
    version = VersionSerializer(read_only=True, allow_null=True, default=None,
                                help_text="Version created from the submission; null unless it was accepted.")

    class Meta:
        model = Submission
        read_only_fields = fields = ["id", "owner", "filename", "size", "sha256", "received_at", "name", "status",
                                     "judged_at", "step", "refusal", "line", "version"]


class CheckedSubmissionSerializer(SubmissionSerializer):
    steps = serializers.SerializerMethodField(help_text="Steps of the check so far.")
    log = Computed(reads.log_so_far, serializers.CharField(), help_text="Output of the build command, truncated; while "
                                                                        "the check is in progress, the latest output.")
    setback = Computed(reads.setback, serializers.CharField(), help_text="Service fault because of which the check is "
                       "repeated, never a fault of the bot; empty for none.")

    class Meta(SubmissionSerializer.Meta):
        read_only_fields = fields = [*SubmissionSerializer.Meta.fields, "steps", "setback", "log", "stderr"]

    @extend_schema_field(StepSerializer(many=True))
    def get_steps(self, submission: Submission) -> list[dict]:
        check = reads.newest_check(submission)
        return check.steps if check else []


class UploadSerializer(serializers.Serializer):
    archive = serializers.FileField(help_text="A .zip, .tar or .tar.gz archive with bot.toml at its top level.")

    def validate_archive(self, archive: File) -> File:
        """Return the file. Raises ValidationError if it is larger than the uploader's quota allows."""
        return small_enough(archive, self.context["request"].user)


class SubmissionFilter(django_filters.FilterSet):
    owner = django_filters.CharFilter("uploader__username", label="Username of the uploader.")
    bot = django_filters.CharFilter("slug", label="Slug of the bot that the submission names, accepted or not.")
    status = django_filters.ChoiceFilter(choices=SubmissionStatus.choices, label="Status of the submission.")


def _accept(*, archive: File, **facts: Any) -> Submission:
    return accept_upload(archive=archive.read(), filename=archive.name, **facts)


@described(
    list="List your own submissions in any status, newest first. Staff see all submissions.",
    retrieve="Return one of your own submissions, with the steps of its check and its logs. Staff can read any "
             "submission. `status` is received, checking, accepted or refused.",
)
class SubmissionViewSet(ReadOnlyModelViewSet):
    queryset = Submission.objects.all()
    serializer_class = SubmissionSerializer
    permission_classes = [IsAuthenticated]
    parser_classes = [parsers.MultiPartParser]
    throttle_scope = "uploads"
    token_scope = TokenScope.UPLOADS
    filterset_class = SubmissionFilter

    def get_serializer_class(self) -> type[SubmissionSerializer]:
        return CheckedSubmissionSerializer if self.action == "retrieve" else SubmissionSerializer

    def get_queryset(self) -> QuerySet[Submission]:
        rows = reads.submissions_for(self.request.user)
        # Lists do not show checks.
        return rows if self.action == "retrieve" else rows.prefetch_related(None).defer("log", "stderr")

    create = Verb(_accept, """
        Upload an archive. It is rejected at once, or a worker checks it: poll the submission until it is judged.

        The check builds the bot, completes the handshake, and has it play two games in each of its rulesets. A bot's
        first accepted upload takes the bot's name; later uploads, from the same account or the bot's team, become its
        next versions. Your remaining quota is at `/api/me/`.
        """, form=UploadSerializer, media_type="multipart/form-data", code=202, actor="uploader", located=True)
