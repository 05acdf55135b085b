"""The door through which bots come."""

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins, parsers, serializers, status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from tournaments.api.bots import VersionSerializer
from tournaments.api.errors import refusable
from tournaments.models import Submission
from tournaments.services.submissions import accept_upload
from tournaments.validators import small_enough


class SubmissionSerializer(serializers.ModelSerializer):
    version = VersionSerializer(read_only=True, allow_null=True, default=None,
                                help_text="What became of it; null when it was refused.")

    class Meta:
        model = Submission
        read_only_fields = fields = ["id", "filename", "size", "sha256", "received_at", "accepted", "refusal",
                                     "version"]


class UploadSerializer(serializers.Serializer):
    archive = serializers.FileField(validators=[small_enough],
                                    help_text="A .zip, .tar or .tar.gz with bot.toml at its top.")


@extend_schema_view(
    list=extend_schema(description="Your own uploads, newest first, accepted or refused."),
    retrieve=extend_schema(description="One of your own uploads."),
)
class SubmissionViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, GenericViewSet):
    queryset = Submission.objects.select_related("version__bot")
    serializer_class = SubmissionSerializer
    permission_classes = [IsAuthenticated]
    parser_classes = [parsers.MultiPartParser]

    def get_queryset(self) -> QuerySet[Submission]:
        return super().get_queryset().filter(uploader=self.request.user.pk)

    @extend_schema(request={"multipart/form-data": UploadSerializer}, responses=refusable(created=SubmissionSerializer))
    def create(self, request: Request) -> Response:
        """Upload an archive: the answer has the version that it became, or says what is wrong with it.

        A bot's first upload takes its name; later ones, from the same account, become its next versions.
        """
        form = UploadSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        archive = form.validated_data["archive"]
        version = accept_upload(archive=archive.read(), filename=archive.name, uploader=request.user,
                                now=timezone.now())
        return Response(SubmissionSerializer(version.submission).data, status=status.HTTP_201_CREATED)
