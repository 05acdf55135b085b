"""Teams: who belongs to them, and which bots they have."""

from django.db.models import Prefetch
from rest_framework import serializers
from rest_framework.viewsets import ReadOnlyModelViewSet

from tournaments.api.plumbing.actions import Verb, described
from tournaments.api.plumbing.fields import PersonField
from tournaments.api.plumbing.slugs import BySlug
from tournaments.models import Membership, Team
from tournaments.services.accounts import teams as verbs


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
    username = PersonField(source="user", max_length=150, help_text="Who.")


@described(list="Teams, newest first.", retrieve="One team.")
class TeamViewSet(BySlug, ReadOnlyModelViewSet):
    queryset = Team.objects.prefetch_related(
        Prefetch("memberships", Membership.objects.select_related("user").order_by("joined_at", "id")), "bots")
    serializer_class = TeamSerializer
    fresh = True

    create = Verb(verbs.found_team, "Found a team. You are its captain.",
                  form=NewTeamSerializer, code=201, actor="founder")
    add_member = Verb(verbs.add_member, "Let a person act for the team's bots. For its captains.",
                      form=PersonSerializer)
    appoint_captain = Verb(verbs.appoint_captain, "Make a member a captain besides those there are. For its captains.",
                           form=PersonSerializer)
    remove_member = Verb(verbs.remove_member, "End a membership: your own, or as a captain anybody's. The last one to "
                                              "go disbands the team.", form=PersonSerializer, code=204)
