"""Matches, with every attempt to play them."""

import django_filters
from django.db.models import Q, QuerySet
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.viewsets import ReadOnlyModelViewSet

from tournaments.api.bots.bots import SideSerializer
from tournaments.api.plumbing.actions import Verb, described
from tournaments.api.plumbing.fields import RowIdFilter
from tournaments.api.plumbing.permissions import OrganiserOrReadOnly
from tournaments.api.plumbing.slugs import ById
from tournaments.models import Attempt, Event, Match, Version
from tournaments.models.lifecycle import MatchKind, MatchStatus
from tournaments.selectors.matches import games as reads
from tournaments.services.events.requeueing import requeue_match


class AttemptSerializer(serializers.ModelSerializer):
    class Meta:
        model = Attempt
        read_only_fields = fields = ["number", "status", "reason", "tier", "started_at", "ended_at"]


class MatchSerializer(serializers.ModelSerializer):
    event = serializers.CharField(source="event.slug", allow_null=True, default=None,
                                  help_text="Slug of the event; null for a match outside events.")
    round = serializers.IntegerField(source="round.number", allow_null=True, default=None,
                                     help_text="Number of the round within the event, from 1; null for a match outside "
                                               "events.")
    candidacy = serializers.IntegerField(source="candidacy_id", allow_null=True, help_text="ID of the trial that "
                                            "the match is played for; null for none.")
    first = SideSerializer(help_text="Version that has seat 0 in the first game.")
    second = SideSerializer(help_text="Version that has seat 0 in the second game.")
    opening = serializers.ListField(child=serializers.CharField(), help_text="Turns with which both games begin.")
    attempts = AttemptSerializer(many=True, help_text="Attempts to play the match, one for each claim by a worker. At "
                                                      "most one counts.")
    games = serializers.PrimaryKeyRelatedField(many=True, read_only=True, help_text="IDs of the games.")

    class Meta:
        model = Match
        read_only_fields = fields = ["id", "kind", "rated", "event", "round", "candidacy", "number", "ruleset",
                                     "first", "second", "seed", "opening", "status", "held", "ended_at",
                                     "attempts", "games"]


class MatchFilter(django_filters.FilterSet):
    bot = django_filters.CharFilter(method="of_bot", label="Slug of either bot.")
    ladder = django_filters.CharFilter("ladder__slug", label="Slug of the ladder.")
    kind = django_filters.ChoiceFilter(choices=MatchKind.choices, label="Kind of match.")
    challenge = RowIdFilter(label="ID of the challenge that the match is played for.")
    candidacy = RowIdFilter(label="ID of the trial that the match is played for.")
    event = django_filters.CharFilter(method="of_event", label="Slug of the event.")
    ruleset = django_filters.CharFilter(label="Slug of the ruleset.")
    status = django_filters.ChoiceFilter(choices=MatchStatus.choices, label="Status of the match.")

    def of_event(self, matches: QuerySet[Match], name: str, slug: str) -> QuerySet[Match]:
        # By ID instead of a join, so that the database reads the newest from the index of an event's matches.
        return matches.filter(event=Event.objects.filter(slug=slug).values("pk")[:1])

    def of_bot(self, matches: QuerySet[Match], name: str, slug: str) -> QuerySet[Match]:
        versions = list(Version.objects.filter(bot__slug=slug).values_list("pk", flat=True))
        return matches.filter(Q(first__in=versions) | Q(second__in=versions))


@described(list="List matches, newest first. A match is two games with the seats swapped.", retrieve="Return one "
                                                                                                     "match.")
class MatchViewSet(ById, ReadOnlyModelViewSet):
    queryset = Match.objects.all()
    serializer_class = MatchSerializer
    permission_classes = [IsAuthenticatedOrReadOnly, OrganiserOrReadOnly]
    filterset_class = MatchFilter

    def get_queryset(self) -> QuerySet[Match]:
        return reads.matches(self.request.user)

    requeue = Verb(requeue_match, "Replay a match whose attempts are all void.")
