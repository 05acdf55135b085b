"""Series of recurring events."""

from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.viewsets import ReadOnlyModelViewSet

from tournaments.api.events.settings import (
    FORMAT,
    ChangeableSerializer,
    HeldSerializer,
    HoldingSerializer,
    OmittingSerializer,
    RegulationsSerializer,
)
from tournaments.api.plumbing.actions import Read, Verb, described
from tournaments.api.plumbing.pagination import BySeason
from tournaments.api.plumbing.slugs import BySlug
from tournaments.api.plumbing.waiting import WaitingSerializer
from tournaments.models import Event, Series
from tournaments.selectors.events import events as reads
from tournaments.selectors.events import seasons
from tournaments.selectors.ladders.waiting import Waits
from tournaments.services.events import series as verbs
from tournaments.services.events.editing import edit_series
from tournaments.services.events.regulations import REGULATIONS


class SeriesSerializer(HeldSerializer, WaitingSerializer):
    why = Waits.of_series
    waiting = serializers.SerializerMethodField(
        help_text="Reasons why the next event is not announced; empty while one is, and when the series is paused or "
                  "has ended.")
    announced_run_at = serializers.DateTimeField(allow_null=True, help_text="Start of the announced event that has not "
                                                                            "started yet; null for none.")
    following_run_at = serializers.DateTimeField(allow_null=True, help_text="Start of the event that will be announced "
                                                                            "after it; null while the series is "
                                                                            "paused.")
    next_run_at = serializers.DateTimeField(allow_null=True, help_text="Same as `following_run_at`, but also set while "
                                                                       "the series is paused. Kept for older clients.")

    class Meta(WaitingSerializer.Meta):
        model = Series
        read_only_fields = fields = ["slug", "name", "description", "ladder", "cron", "time_zone", "enter_ladder",
                                     "division_size", "division_moves", *FORMAT, *REGULATIONS, "book", "active",
                                     "announced_run_at", "following_run_at", "next_run_at", "created_by", "created_at",
                                     "waiting"]


# Schedule of a series.
class TimesSerializer(serializers.Serializer):
    cron = serializers.CharField(max_length=100, help_text="Schedule as a cron expression: minute, hour, day of month, "
                                                           "month, day of week; for example 0 18 * * FRI.")
    time_zone = serializers.CharField(default="UTC", max_length=60,
                                      help_text="IANA time zone of the schedule, for example Europe/Berlin.")


class NewSeriesSerializer(HoldingSerializer, TimesSerializer):
    starts_at = serializers.DateTimeField(default=None, allow_null=True,
                                          help_text="Time before which no event starts; null or omitted for none.")
    enter_ladder = serializers.BooleanField(default=False, help_text="Whether every active bot of the ladder is "
                                                                     "entered automatically.")
    division_size = serializers.IntegerField(allow_null=True, default=None,
                                             help_text="Number of bots of each division of a league; null for a "
                                                       "series without divisions.")
    division_moves = serializers.IntegerField(allow_null=True, default=None,
                                              help_text="Number of bots that move up, and down, between two divisions "
                                                        "after each season; null for a series without divisions.")


class EditingSeriesSerializer(OmittingSerializer, ChangeableSerializer, RegulationsSerializer, TimesSerializer):
    pass


class LeagueLineSerializer(serializers.Serializer):
    place = serializers.IntegerField(source="standing.row.place", help_text="Place in the division.")
    bot = serializers.CharField(source="standing.entry.bot.slug", help_text="Slug of the bot.")
    move = serializers.ChoiceField(["up", "down", "stays", "leaves"],
                                   help_text="Move to the following season. Until that season starts, the move by the "
                                             "division's standings as they are now.")


class DivisionSerializer(serializers.Serializer):
    division = serializers.IntegerField(source="event.division", help_text="Division, from 1 for the highest.")
    event = serializers.CharField(source="event.slug", help_text="Slug of the division's event.")
    bots = LeagueLineSerializer(source="lines", many=True, help_text="Bots of the division, best first.")


class _Seasons(serializers.ListSerializer):
    def to_representation(self, data: Iterable[Event]) -> list[Any]:
        """Return the seasons of these events of the highest division."""
        found = seasons.seasons_of(list(data))
        return super().to_representation([
            {"number": season.number, "starts_at": season.starts_at, "is_over": season.is_over, "divisions": divisions}
            for season, divisions in zip(found, seasons.divisions_of(found), strict=True)])


class SeasonSerializer(serializers.Serializer):
    number = serializers.IntegerField(help_text="Number of the season, from 1.")
    starts_at = serializers.DateTimeField(help_text="Scheduled start.")
    is_over = serializers.BooleanField(help_text="Whether all divisions have ended.")
    divisions = DivisionSerializer(many=True, help_text="Divisions, highest first.")

    class Meta:
        list_serializer_class = _Seasons


@described(list="List series, newest first.", retrieve="Return one series. Its events are listed at "
                                                       "`/api/events/?series=`.")
class SeriesViewSet(BySlug, ReadOnlyModelViewSet):
    queryset = Series.objects.all()
    serializer_class = SeriesSerializer
    filterset_class = None
    fresh = True

    def get_queryset(self) -> QuerySet[Series]:
        return reads.series(self.request.user)

    seasons = Read(seasons.highest, "List the seasons of a league that have started, newest first, with the bots of "
                                    "each division and their moves. Empty for a series without divisions.",
                   SeasonSerializer, pagination=BySeason)
    create = Verb(verbs.create_series, "Create a series. Its first event is announced at once. Every signed-in user "
                                       "can have a few series with one unrated event per week; the site's organisers "
                                       "can choose any schedule.",
                  form=NewSeriesSerializer, code=201, actor="created_by")
    partial_update = Verb(edit_series, "Change a series. The change applies to the events that are not announced yet. "
                                       "Only for its organiser.", form=EditingSeriesSerializer)
    pause = Verb(verbs.pause_series, "Pause the series: no more events are announced until it is resumed. Only for its "
                                     "organiser.")
    resume = Verb(verbs.resume_series, "Resume the series at its next scheduled time; events missed during the pause "
                                       "are skipped. Only for its organiser.")
    end = Verb(verbs.end_series, "End the series permanently. An event already announced remains and can be cancelled. "
                                 "Only for its organiser.")
