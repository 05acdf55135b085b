"""Rounds of events, with their matches and byes."""

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from rest_framework import serializers
from rest_framework.viewsets import ReadOnlyModelViewSet

from tournaments.api.matches.matches import MatchSerializer
from tournaments.api.plumbing.actions import described
from tournaments.api.plumbing.fields import Computed
from tournaments.api.plumbing.slugs import ById
from tournaments.models import Round
from tournaments.selectors.matches import rounds as reads


class RoundSerializer(serializers.ModelSerializer):
    event = serializers.CharField(source="event.slug", help_text="Slug of the event.")
    matches_total = serializers.IntegerField(help_text="Number of matches in the round.")
    matches_ended = serializers.IntegerField(help_text="Number of its matches that are finished, void or cancelled.")
    byes = Computed(lambda each: [bye.entry.bot.slug for bye in each.byes.all()],
                    serializers.ListField(child=serializers.CharField()),
                    help_text="Slugs of the bots that have a bye.")
    byes_without_win = Computed(lambda each: {bye.entry.bot.slug: bye.points for bye in each.byes.all()
                                              if bye.points < 1},
                                serializers.DictField(child=serializers.FloatField()),
                                help_text="Points, 0.5 or 0, of those among them that requested the bye or entered "
                                          "later, which releases up to 1.0 allowed.")
    changes = Computed(lambda each: [change.reason for change in each.changes.all()],
                       serializers.ListField(child=serializers.CharField()),
                       help_text="Public reasons of the organiser's changes of pairings, which releases up to 1.0 "
                                 "allowed. User-supplied: escape them before display.")

    class Meta:
        model = Round
        read_only_fields = fields = ["id", "event", "number", "label", "matches_total", "matches_ended", "byes",
                                     "byes_without_win", "apart_relaxed", "changes"]


class RoundDetailSerializer(RoundSerializer):
    matches = MatchSerializer(many=True, help_text="Matches of the round, by number.")

    class Meta(RoundSerializer.Meta):
        read_only_fields = fields = [*RoundSerializer.Meta.fields, "matches"]


class RoundFilter(filters.FilterSet):
    event = filters.CharFilter("event__slug", label="Slug of the event.")
    number = filters.NumberFilter(label="Number of the round within the event, from "
                                        "1.", min_value=1, max_value=2**31 - 1)


@described(list="List rounds, newest first. Use `?event=` for the rounds of one "
                "event.", retrieve="Return one round with its matches.")
class RoundViewSet(ById, ReadOnlyModelViewSet):
    queryset = Round.objects.all()
    serializer_class = RoundSerializer
    filterset_class = RoundFilter

    def get_queryset(self) -> QuerySet[Round]:
        return reads.rounds(self.request.user) if self.action == "list" else reads.whole_rounds(self.request.user)

    def get_serializer_class(self) -> type[RoundSerializer]:
        return RoundSerializer if self.action == "list" else RoundDetailSerializer
