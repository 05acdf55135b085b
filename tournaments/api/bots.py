"""Bots, their versions, and the door through which both come: submissions."""

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, parsers, serializers, status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet, ReadOnlyModelViewSet

from tournaments.models import Bot, Submission, Version
from tournaments.selectors import bots as reads
from tournaments.services.submissions import accept_upload


class VersionSerializer(serializers.ModelSerializer):
    bot = serializers.SlugRelatedField(slug_field="slug", read_only=True)

    class Meta:
        model = Version
        fields = ["id", "bot", "number", "sha256", "rulesets", "created_at"]


class BotSerializer(serializers.ModelSerializer):
    owner = serializers.CharField(source="owner.username", read_only=True)

    class Meta:
        model = Bot
        fields = ["slug", "name", "owner", "created_at"]


class BotDetailSerializer(BotSerializer):
    versions = VersionSerializer(many=True, read_only=True)

    class Meta(BotSerializer.Meta):
        fields = [*BotSerializer.Meta.fields, "versions"]


class SubmissionSerializer(serializers.ModelSerializer):
    version = VersionSerializer(read_only=True, allow_null=True, default=None)

    class Meta:
        model = Submission
        fields = ["id", "filename", "size", "sha256", "received_at", "accepted", "refusal", "version"]


class UploadSerializer(serializers.Serializer):
    archive = serializers.FileField(help_text="A .zip, .tar or .tar.gz with bot.toml at its top.")

    def validate_archive(self, archive):  # type: ignore[no-untyped-def]
        """Refuse by size before anything is read into memory."""
        if archive.size > settings.MAX_ARCHIVE_BYTES:
            raise serializers.ValidationError(
                f"The archive has {archive.size:,} bytes; {settings.MAX_ARCHIVE_BYTES:,} are allowed.")
        return archive


class BotViewSet(ReadOnlyModelViewSet):
    """Competitors and their versions."""

    lookup_field = "slug"
    queryset = reads.bots()
    filterset_fields = {"owner__username": ["exact"]}

    def get_queryset(self) -> QuerySet[Bot]:
        bots = super().get_queryset()
        return bots.prefetch_related("versions") if self.action == "retrieve" else bots

    def get_serializer_class(self) -> type[BotSerializer]:
        return BotDetailSerializer if self.action == "retrieve" else BotSerializer


class SubmissionViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, GenericViewSet):
    """Your own uploads, and the way to make one."""

    queryset = Submission.objects.none()
    serializer_class = SubmissionSerializer
    permission_classes = [IsAuthenticated]
    parser_classes = [parsers.MultiPartParser]

    def get_queryset(self) -> QuerySet[Submission]:
        return (Submission.objects.filter(uploader=self.request.user.pk or 0)
                .select_related("version__bot").order_by("-id"))

    @extend_schema(request=UploadSerializer, responses={201: SubmissionSerializer, 409: None})
    def create(self, request: Request) -> Response:
        """Upload an archive. Answers 201 with the version that it became, or 409 with what is wrong with it."""
        upload = UploadSerializer(data=request.data)
        upload.is_valid(raise_exception=True)
        archive = upload.validated_data["archive"]
        version = accept_upload(archive=archive.read(), filename=archive.name, uploader=request.user,
                                now=timezone.now())
        return Response(SubmissionSerializer(version.submission).data, status=status.HTTP_201_CREATED)
