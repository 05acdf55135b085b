"""Account of the requesting user: profile, teams and quotas."""

from django.contrib.auth.models import User
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tournaments.api.plumbing.actions import facts_of
from tournaments.api.plumbing.fields import Computed
from tournaments.selectors.shared.quotas import quota_of
from tournaments.services.accounts.accounts import LONGEST_ABOUT, LONGEST_LINK, change_profile, profile_of
from tournaments.web.errors import refusable


class QuotaSerializer(serializers.Serializer):
    uploads_per_day = serializers.IntegerField(allow_null=True, help_text="Uploads allowed in 24 hours; null for no "
                                                                          "limit.")
    uploads_left = serializers.IntegerField(allow_null=True, help_text="Uploads left now; null for no limit.")
    next_upload_at = serializers.DateTimeField(allow_null=True, help_text="Time at which the next upload is allowed; "
                                                                          "null while uploads are left.")
    archive_bytes = serializers.IntegerField(help_text="Maximum size of an archive, in bytes.")
    games_per_day = serializers.IntegerField(allow_null=True, help_text="Games allowed in 24 hours for your bots, on "
                                                                        "ladders, in trials and in challenges; null "
                                                                        "for no limit.")
    games_left = serializers.IntegerField(allow_null=True, help_text="Games left now; null for no limit.")


class MeSerializer(serializers.ModelSerializer):
    email = serializers.CharField(read_only=True, help_text="Your e-mail address; empty for none.")
    is_staff = serializers.BooleanField(read_only=True, help_text="Whether you belong to the site's staff.")
    about = serializers.CharField(source="profile.about", help_text="Text about yourself, as plain text.")
    link = serializers.CharField(source="profile.link", help_text="URL of your own website; empty for none.")
    mail_on = serializers.ListField(source="profile.mail_on", child=serializers.CharField(),
                                    help_text="Kinds of notices that you also receive by e-mail.")
    teams = serializers.SlugRelatedField(slug_field="slug", many=True, read_only=True,
                                         help_text="Slugs of your teams.")
    quotas = Computed(lambda user: quota_of(user, timezone.now()), QuotaSerializer(),
                      help_text="Your quotas, and what is left of them now.")

    class Meta:
        model = User
        read_only_fields = fields = ["username", "email", "is_staff", "about", "link", "mail_on", "teams", "quotas"]


class ProfileSerializer(serializers.Serializer):
    about = serializers.CharField(required=False, allow_blank=True, trim_whitespace=False, max_length=LONGEST_ABOUT,
                                  help_text="Text about yourself, as plain text.")
    link = serializers.CharField(required=False, allow_blank=True, max_length=LONGEST_LINK,
                                 help_text="URL of your own website, http or https; empty for none.")
    mail_on = serializers.ListField(required=False, child=serializers.CharField(max_length=40), max_length=40,
                                    help_text="Kinds of notices that you also receive by e-mail.")


class MeView(APIView):
    permission_classes = [IsAuthenticated]

    @extend_schema(operation_id="me_retrieve", responses=MeSerializer)
    def get(self, request: Request) -> Response:
        """Return your account, with your remaining quotas."""
        return self._account(request)

    @extend_schema(operation_id="me_change", request=ProfileSerializer, responses=refusable(ok=MeSerializer))
    def patch(self, request: Request) -> Response:
        """Change your profile. Omitted fields keep their values."""
        change_profile(user=request.user, now=timezone.now(), **facts_of(ProfileSerializer, request.data))
        return self._account(request)

    def _account(self, request: Request) -> Response:
        profile_of(request.user)
        return Response(MeSerializer(User.objects.select_related("profile").get(pk=request.user.pk)).data)
