"""Teams: who belongs to them, and which bots they have."""

from django.contrib.auth.models import User
from django.db.models import Prefetch
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ReadOnlyModelViewSet

from tournaments.api.plumbing.slugs import BySlug
from tournaments.models import Membership, Team
from tournaments.services.accounts import teams as verbs
from tournaments.web.errors import refusable


class MemberSerializer(serializers.ModelSerializer):
    username = serializers.CharField(source="user.username", help_text="Who.")

    class Meta:
        model = Membership
        read_only_fields = fields = ["username", "role", "joined_at"]


class TeamSerializer(serializers.ModelSerializer):
    members = MemberSerializer(source="memberships", many=True, read_only=True, help_text="Who belongs to it.")
    bots = serializers.SlugRelatedField(slug_field="slug", many=True, read_only=True, help_text="Slugs of its bots.")

    class Meta:
        model = Team
        read_only_fields = fields = ["slug", "name", "created_at", "members", "bots"]


class NewTeamSerializer(serializers.Serializer):
    name = serializers.CharField(max_length=verbs.LONGEST_NAME, help_text="As people will call it. You may be in "
                                           f"{verbs.MOST_TEAMS} teams, each of at most {verbs.MOST_MEMBERS}.")


class PersonSerializer(serializers.Serializer):
    username = serializers.CharField(max_length=150, help_text="Who.")

    def validate_username(self, username: str) -> User:
        """The person."""
        user = User.objects.filter(username=username).first()
        if user is None:
            raise serializers.ValidationError(f"There is no account {username!r}.")
        return user


@extend_schema_view(
    list=extend_schema(description="Teams, newest first."),
    retrieve=extend_schema(description="One team."),
)
class TeamViewSet(BySlug, ReadOnlyModelViewSet):
    queryset = Team.objects.prefetch_related(
        Prefetch("memberships", Membership.objects.select_related("user").order_by("joined_at", "id")), "bots")
    serializer_class = TeamSerializer

    @extend_schema(request=NewTeamSerializer, responses=refusable(created=TeamSerializer))
    def create(self, request: Request) -> Response:
        """Found a team. You are its captain."""
        form = NewTeamSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        team = verbs.found_team(name=form.validated_data["name"], founder=request.user, now=timezone.now())
        return Response(self._shown(team), status=status.HTTP_201_CREATED)

    @extend_schema(request=PersonSerializer, responses=refusable(ok=TeamSerializer))
    @action(detail=True, methods=["post"], url_path="add-member")
    def add_member(self, request: Request, slug: str) -> Response:
        """Let a person act for the team's bots. For its captains."""
        team = self.get_object()
        verbs.add_member(team=team, user=self._person(request), actor=request.user, now=timezone.now())
        return Response(self._shown(team))

    @extend_schema(request=PersonSerializer, responses=refusable(ok=TeamSerializer))
    @action(detail=True, methods=["post"], url_path="appoint-captain")
    def appoint_captain(self, request: Request, slug: str) -> Response:
        """Make a member a captain besides those there are. For its captains."""
        team = self.get_object()
        verbs.appoint_captain(team=team, user=self._person(request), actor=request.user, now=timezone.now())
        return Response(self._shown(team))

    @extend_schema(request=PersonSerializer, responses=refusable(gone=None))
    @action(detail=True, methods=["post"], url_path="remove-member")
    def remove_member(self, request: Request, slug: str) -> Response:
        """End a membership: your own, or as a captain anybody's. The last one to go disbands the team."""
        team = self.get_object()
        verbs.remove_member(team=team, user=self._person(request), actor=request.user, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)

    def _person(self, request: Request) -> User:
        form = PersonSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        return form.validated_data["username"]

    def _shown(self, team: Team) -> dict:
        return TeamSerializer(self.get_queryset().get(pk=team.pk)).data
