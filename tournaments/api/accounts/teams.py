"""Teams, their members and their bots."""

from django.db.models import Prefetch
from rest_framework import serializers
from rest_framework.viewsets import ReadOnlyModelViewSet

from tournaments.api.plumbing.actions import Verb, described
from tournaments.api.plumbing.fields import PersonField
from tournaments.api.plumbing.slugs import BySlug
from tournaments.models import Membership, Team
from tournaments.services.accounts import teams as verbs


class MemberSerializer(serializers.ModelSerializer):
    username = serializers.CharField(source="user.username", help_text="Username of the member.")

    class Meta:
        model = Membership
        read_only_fields = fields = ["username", "role", "joined_at"]


class TeamSerializer(serializers.ModelSerializer):
    members = MemberSerializer(source="memberships", many=True, read_only=True, help_text="Members of the team.")
    bots = serializers.SlugRelatedField(slug_field="slug", many=True, read_only=True, help_text="Slugs of the team's "
                                                                                                "bots.")

    class Meta:
        model = Team
        read_only_fields = fields = ["slug", "name", "created_at", "members", "bots"]


class NewTeamSerializer(serializers.Serializer):
    name = serializers.CharField(max_length=verbs.LONGEST_NAME, help_text="Name of the team. You can be in "
                                           f"{verbs.MOST_TEAMS} teams, each with at most {verbs.MOST_MEMBERS} members.")


class PersonSerializer(serializers.Serializer):
    username = PersonField(source="user", max_length=150, help_text="Username of the account.")


@described(list="List teams, newest first.", retrieve="Return one team.")
class TeamViewSet(BySlug, ReadOnlyModelViewSet):
    queryset = Team.objects.prefetch_related(
        Prefetch("memberships", Membership.objects.select_related("user").order_by("joined_at", "id")), "bots")
    serializer_class = TeamSerializer
    fresh = True

    create = Verb(verbs.found_team, "Create a team. You become its captain.",
                  form=NewTeamSerializer, code=201, actor="founder")
    add_member = Verb(verbs.add_member, "Add a user to the team, who can then manage its bots. Only for its captains.",
                      form=PersonSerializer)
    appoint_captain = Verb(verbs.appoint_captain, "Make a member an additional captain. Only for its captains.",
                           form=PersonSerializer)
    remove_member = Verb(verbs.remove_member, "Remove a member: yourself, or as a captain any member. When the last "
                                              "member leaves, the team is disbanded.", form=PersonSerializer, code=204)
