"""Events: schedule them, enter them, run them, read their tables."""

from typing import Any, Final

import django_filters
from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ReadOnlyModelViewSet

from tournaments.api.events.entries import EnteringSerializer, EntrySerializer, InvitingSerializer, LeavingSerializer
from tournaments.api.events.tables import (
    BracketColumnSerializer,
    CrosstableRowSerializer,
    ProgressSerializer,
    StandingSerializer,
    crosstable_text,
)
from tournaments.api.plumbing.actions import Read, Verb, described
from tournaments.api.plumbing.fields import LARGEST_ID, Computed, LadderField, SeedField
from tournaments.api.plumbing.slugs import BySlug
from tournaments.api.plumbing.waiting import WaitingSerializer
from tournaments.formats import registry
from tournaments.formats.swiss import Swiss
from tournaments.models import Bot, Event, Version
from tournaments.models.lifecycle import EventStatus, Seeding
from tournaments.selectors.events import events as reads
from tournaments.selectors.events import permissions
from tournaments.selectors.events.tables import tie_breaks_of
from tournaments.selectors.ladders.waiting import Waits
from tournaments.services.events import entries, scheduling
from tournaments.services.events import events as verbs
from tournaments.services.events.editing import edit_event
from tournaments.services.events.entries import EntryRefused
from tournaments.services.events.room import note
from tournaments.services.events.series import LONGEST_NAME as LONGEST_SERIES_NAME

_FORMAT = ["format", "cycles", "swiss_rounds", "seeding", "tie_breaks", "openings", "rated", "private", "max_entries"]


class EventSerializer(WaitingSerializer):
    ladder = serializers.SlugRelatedField(slug_field="slug", read_only=True, help_text="Slug of the ladder.")
    series = serializers.SlugRelatedField(slug_field="slug", read_only=True, allow_null=True,
                                          help_text="Slug of the series that it is one of, if it recurs.")
    created_by = serializers.CharField(source="created_by.username", help_text="Its organiser.")
    tie_breaks = Computed(tie_breaks_of, serializers.ListField(child=serializers.CharField()),
                          help_text="Names of its tie-breaks, the first to decide first.")
    why = Waits.of_events
    note = Computed(note, serializers.CharField(), help_text="Why bots of the ladder were left out; empty when none "
                                                             "was.")

    class Meta(WaitingSerializer.Meta):
        model = Event
        read_only_fields = fields = ["slug", "name", "description", "ladder", "series", *_FORMAT, "left_out", "note",
                                     "status", "seed",
                                     "registration_opens_at", "registration_closes_at", "starts_at", "started_at",
                                     "ended_at", "created_by", "created_at", "waiting"]


_OTHERS: Final = "in an event that is not one of the site's organisers at most"


class FormatSerializer(serializers.Serializer):
    """How events are played: what one event and a series have in common."""

    name = serializers.CharField(help_text=f"As people call it: 1 to {scheduling.LONGEST_NAME} visible characters, a "
                                           f"series' to {LONGEST_SERIES_NAME}.")
    ladder = LadderField(help_text="Slug of the ladder that it is played on.")
    format = serializers.ChoiceField(registry.choices(), default=registry.DEFAULT, help_text="Who meets whom.")
    cycles = serializers.IntegerField(default=1, help_text="How often each pair meets, two games each time: 1 to "
                                                            f"{scheduling.MOST_CYCLES:,}, {_OTHERS} "
                                                            f"{permissions.MOST_CYCLES}.")
    swiss_rounds = serializers.IntegerField(default=None, allow_null=True,
                                            help_text=f"Rounds of a Swiss, 1 to {scheduling.MOST_SWISS_ROUNDS}; as "
                                                      "many as its entries need when left out. Other formats have "
                                                      "none.")
    seeding = serializers.ChoiceField(Seeding.choices, default=Seeding.RATING,
                                      help_text="The order of the draw: by rating, who has none last, or by lot.")
    tie_breaks = serializers.ListField(child=serializers.CharField(), default=list, max_length=10,
                                       help_text="Names, the first to decide first; those of the format when empty.")
    openings = serializers.BooleanField(default=True, help_text="Games begin from openings drawn by lot, each match's "
                                                                "two from the same; otherwise from the empty board.")
    private = serializers.BooleanField(default=False, help_text="Only who is invited may enter or see it.")
    max_entries = serializers.IntegerField(default=None, allow_null=True,
                                           help_text=f"How many may enter, 2 to {scheduling.MOST_ENTRIES:,}, {_OTHERS} "
                                                     f"{permissions.MOST_ENTRIES}, in a Swiss {Swiss.most_entrants}; "
                                                     "any number when left out.")


def _versions_field(**options: Any) -> serializers.ListField:
    return serializers.ListField(child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID), max_length=1000,
                                 **options)


class ScheduleSerializer(FormatSerializer):
    versions = _versions_field(default=list, help_text="Ids of the versions that enter, one a bot.")
    runners = _versions_field(default=list, help_text="Ids of the versions that run a gauntlet; they need not be among "
                                                      "the others.")
    rated = serializers.BooleanField(default=None, allow_null=True,
                                     help_text="Its games count for the ladder: for the site's organisers, whose "
                                               "events do so unless they say otherwise.")
    description = serializers.CharField(default="", allow_blank=True,
                                        help_text="What its organiser says about it: at most "
                                                  f"{scheduling.LONGEST_DESCRIPTION:,} characters.")
    registration_opens_at = serializers.DateTimeField(default=None, allow_null=True,
                                                      help_text="From when authors may enter; nobody but you enters "
                                                                "bots when left out.")
    registration_closes_at = serializers.DateTimeField(default=None, allow_null=True,
                                                       help_text="The deadline, not after the start; the start when "
                                                                 "left out.")
    starts_at = serializers.DateTimeField(default=None, allow_null=True,
                                          help_text="When it starts by itself, not in the past; at once when left out.")
    seed = SeedField(help_text="Decides the draw; by lot when left out.")

    def validate_versions(self, ids: list[int]) -> list[Version]:
        """The versions themselves, in the order given; one query, however many there are."""
        known = Version.objects.select_related("bot__team").in_bulk(ids)
        unknown = [str(pk) for pk in ids if pk not in known]
        if unknown:
            raise serializers.ValidationError(f"There is no version {', '.join(unknown)}.")
        return [known[pk] for pk in ids]

    validate_runners = validate_versions


class EditingSerializer(serializers.Serializer):
    name = serializers.CharField(required=False, help_text="As people call it; its address stays.")
    description = serializers.CharField(required=False, allow_blank=True, help_text="What its organiser says about it.")
    starts_at = serializers.DateTimeField(required=False, help_text="When it starts by itself.")
    registration_opens_at = serializers.DateTimeField(required=False, allow_null=True,
                                                      help_text="From when authors may enter; null for none.")
    registration_closes_at = serializers.DateTimeField(required=False, allow_null=True,
                                                       help_text="The deadline; null for the start.")
    cycles = serializers.IntegerField(required=False, help_text="How often each pair meets, two games each time.")
    swiss_rounds = serializers.IntegerField(required=False, allow_null=True,
                                            help_text="Rounds of a Swiss; null for as many as its entries need.")
    max_entries = serializers.IntegerField(required=False, allow_null=True,
                                           help_text="How many may enter; null for any number.")


class EventFilter(django_filters.FilterSet):
    status = django_filters.ChoiceFilter(choices=EventStatus.choices, label="Where it is in its life.")
    ladder = django_filters.CharFilter("ladder__slug", label="Slug of the ladder.")
    series = django_filters.CharFilter("series__slug", label="Slug of the series.")
    format = django_filters.ChoiceFilter(choices=registry.choices(), label="Who meets whom.")


def _leave(*, event: Event, bot: Bot, **facts: Any) -> None:
    entry = event.entries.select_related("event", "bot__team", "version__bot").filter(bot=bot).first()
    if entry is None:
        raise EntryRefused(f"{bot.name} is not entered in {event}.")
    entries.leave_event(entry=entry, **facts)


@described(list="Events, newest first.", retrieve="One event.")
class EventViewSet(BySlug, ReadOnlyModelViewSet):
    queryset = reads.events()
    serializer_class = EventSerializer
    filterset_class = EventFilter

    def get_queryset(self) -> QuerySet[Event]:
        # A private event is not there for who is not invited.
        return reads.visible_to(self.request.user)

    create = Verb(verbs.create_event, """
        Schedule an event. It starts by itself at its time.

        Everybody who is signed in may hold a few, unrated and of their own bots and those that others enter; the
        site's organisers hold rated ones, and enter whom they like.
        """, form=ScheduleSerializer, code=201, actor="created_by")
    partial_update = Verb(edit_event, "Change an event that has not started. For its organiser; the authors of bots "
                                      "entered are notified.", form=EditingSerializer)
    start = Verb(verbs.start_event, "Start a scheduled event now.")
    pause = Verb(verbs.pause_event, "Hold the matches that have not begun; running ones are played to their end.")
    resume = Verb(verbs.resume_event, "Go on after a pause.")
    cancel = Verb(verbs.cancel_event, "End it now. Finished games stay, running ones are discarded.")
    enter = Verb(entries.enter_event, "Enter a version of your bot, while registration is open.",
                 form=EnteringSerializer, answer=EntrySerializer, code=201)
    leave = Verb(_leave, "Take your bot out: before the start as if it had never entered, afterwards it is not paired "
                         "any more.", form=LeavingSerializer, code=204)
    invite = Verb(entries.invite, "Let somebody see a private event and enter it. For its organiser.",
                  form=InvitingSerializer, code=204)
    uninvite = Verb(entries.uninvite, "Take an invitation back, from somebody who has entered nothing. For its "
                                      "organiser.", form=InvitingSerializer, code=204)
    entries = Read(reads.entries, "Who takes part, in the order of the draw; before the start, in that of their "
                                  "entries.", EntrySerializer)
    standings = Read(reads.standings, "The event's table, best first.", StandingSerializer)
    progress = Read(lambda event: reads.progress(event, timezone.now()),
                    "How far it is, how fast it goes, and how long it will take.", ProgressSerializer, many=False)

    @extend_schema(responses=CrosstableRowSerializer(many=True))
    @action(detail=True, pagination_class=None, filterset_class=None)
    def crosstable(self, request: Request, slug: str) -> HttpResponse:
        """Who scored what against whom; rows and cells in the order of the standings."""
        return HttpResponse(crosstable_text(reads.crosstable(self.get_object())), content_type="application/json")

    @extend_schema(responses=BracketColumnSerializer(many=True))
    @action(detail=True, pagination_class=None, filterset_class=None)
    def bracket(self, request: Request, slug: str) -> Response:
        """A knockout, column by column; nothing of other formats, or before the start."""
        event = self.get_object()
        slugs = dict(event.entries.filter(place__isnull=False).values_list("place", "bot__slug"))
        return Response([{
            "section": column.section, "label": column.label,
            "ties": [{"sides": [slugs.get(side) for side in tie.sides], "winner": slugs.get(tie.winner),
                      "round": tie.stage} for tie in column.ties],
        } for column in reads.bracket(event)])
