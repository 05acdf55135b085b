"""The door through which bots come."""

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
    stage = serializers.ChoiceField([stage.value for stage in Stage], help_text="What kind of step it is.")
    name = serializers.CharField(help_text="The step as a page names it.")
    passed = serializers.BooleanField(allow_null=True, help_text="null while it is under way.")
    note = serializers.CharField(help_text="What came of it: in part a stranger's text.")
    seconds = serializers.FloatField(help_text="How long it took.")


class SubmissionSerializer(serializers.ModelSerializer):
    owner = serializers.CharField(source="uploader.username", help_text="Who uploaded it.")
    version = VersionSerializer(read_only=True, allow_null=True, default=None,
                                help_text="What it became; null unless it was accepted.")

    class Meta:
        model = Submission
        read_only_fields = fields = ["id", "owner", "filename", "size", "sha256", "received_at", "name", "status",
                                     "judged_at", "step", "refusal", "line", "version"]


class CheckedSubmissionSerializer(SubmissionSerializer):
    steps = serializers.SerializerMethodField(help_text="The steps of its check so far.")
    log = Computed(reads.log_so_far, serializers.CharField(), help_text="What the build command wrote, cut; while the "
                                                                        "check is under way, the end of it so far.")
    setback = Computed(reads.setback, serializers.CharField(), help_text="Why its check is repeated: a fault of the "
                       "service, never of the bot; empty when there was none.")

    class Meta(SubmissionSerializer.Meta):
        read_only_fields = fields = [*SubmissionSerializer.Meta.fields, "steps", "setback", "log", "stderr"]

    @extend_schema_field(StepSerializer(many=True))
    def get_steps(self, submission: Submission) -> list[dict]:
        check = reads.newest_check(submission)
        return check.steps if check else []


class UploadSerializer(serializers.Serializer):
    archive = serializers.FileField(help_text="A .zip, .tar or .tar.gz with bot.toml at its top.")

    def validate_archive(self, archive: File) -> File:
        """The file, if it is no larger than its sender's quota."""
        return small_enough(archive, self.context["request"].user)


class SubmissionFilter(django_filters.FilterSet):
    owner = django_filters.CharFilter("uploader__username", label="Name of the account that uploaded it.")
    bot = django_filters.CharFilter("slug", label="Slug of the bot that it names, accepted or not.")
    status = django_filters.ChoiceFilter(choices=SubmissionStatus.choices, label="How far it is.")


def _accept(*, archive: File, **facts: Any) -> Submission:
    return accept_upload(archive=archive.read(), filename=archive.name, **facts)


@described(
    list="Your own uploads, newest first, whatever became of them; for staff everybody's.",
    retrieve="One of your own uploads, for staff anybody's, with the steps of its check and what was written. `status` "
             "is received, checking, accepted or refused.",
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
        # A list does not show checks.
        return rows if self.action == "retrieve" else rows.prefetch_related(None).defer("log", "stderr")

    create = Verb(_accept, """
        Upload an archive. It is refused at once, or a worker checks it: ask for the submission until it is judged.

        The check builds it, shakes hands with it, and has it play two games in each of its rulesets. A bot's first
        accepted upload takes its name; later ones, from the same account or the bot's team, become its next versions.
        What your quota leaves you is at `/api/me/`.
        """, form=UploadSerializer, media_type="multipart/form-data", code=202, actor="uploader", located=True)
