"""Events: schedule them, enter them, run them, read their tables."""

import secrets
from collections.abc import Callable
from typing import Any, Final

import django_filters
from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field, extend_schema_view
from rest_framework import serializers, status
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
from tournaments.api.ladders.waiting import WaitingSerializer
from tournaments.api.plumbing.slugs import BySlug
from tournaments.formats import registry
from tournaments.formats.swiss import Swiss
from tournaments.models import Event, Ladder, Version
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
from tournaments.web.errors import refusable

LARGEST = 2**63 - 1
_FORMAT = ["format", "cycles", "swiss_rounds", "seeding", "tie_breaks", "openings", "rated", "private", "max_entries"]


class EventSerializer(WaitingSerializer):
    ladder = serializers.SlugRelatedField(slug_field="slug", read_only=True, help_text="Slug of the ladder.")
    series = serializers.SlugRelatedField(slug_field="slug", read_only=True, allow_null=True,
                                          help_text="Slug of the series that it is one of, if it recurs.")
    created_by = serializers.CharField(source="created_by.username", help_text="Its organiser.")
    tie_breaks = serializers.SerializerMethodField(help_text="Names of its tie-breaks, the first to decide first.")
    why = Waits.of_events
    note = serializers.SerializerMethodField(help_text="Why bots of the ladder were left out; empty when none was.")

    class Meta(WaitingSerializer.Meta):
        model = Event
        read_only_fields = fields = ["slug", "name", "description", "ladder", "series", *_FORMAT, "left_out", "note",
                                     "status", "seed",
                                     "registration_opens_at", "registration_closes_at", "starts_at", "started_at",
                                     "ended_at", "created_by", "created_at", "waiting"]

    def get_note(self, event: Event) -> str:
        return note(event)

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_tie_breaks(self, event: Event) -> list[str]:
        return tie_breaks_of(event)


_OTHERS: Final = "in an event that is not one of the site's organisers at most"


class FormatSerializer(serializers.Serializer):
    """How events are played: what one event and a series have in common."""

    name = serializers.CharField(help_text=f"As people call it: 1 to {scheduling.LONGEST_NAME} visible characters, a "
                                           f"series' to {LONGEST_SERIES_NAME}.")
    ladder = serializers.SlugField(help_text="Slug of the ladder that it is played on.")
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

    def validate_ladder(self, slug: str) -> Ladder:
        """The ladder itself."""
        ladder = Ladder.objects.filter(slug=slug).first()
        if ladder is None:
            raise serializers.ValidationError(f"There is no ladder {slug!r}.")
        return ladder


def _versions_field(**options: Any) -> serializers.ListField:
    return serializers.ListField(child=serializers.IntegerField(min_value=1, max_value=LARGEST), max_length=1000,
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
    seed = serializers.IntegerField(required=False, min_value=0, max_value=LARGEST,
                                    help_text="Decides the draw; by lot when left out.")

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


@extend_schema_view(
    list=extend_schema(description="Events, newest first."),
    retrieve=extend_schema(description="One event."),
)
class EventViewSet(BySlug, ReadOnlyModelViewSet):
    queryset = reads.events()
    serializer_class = EventSerializer
    filterset_class = EventFilter

    def get_queryset(self) -> QuerySet[Event]:
        # A private event is not there for who is not invited.
        return reads.visible_to(self.request.user)

    @extend_schema(request=ScheduleSerializer, responses=refusable(created=EventSerializer))
    def create(self, request: Request) -> Response:
        """Schedule an event. It starts by itself at its time.

        Everybody who is signed in may hold a few, unrated and of their own bots and those that others enter; the
        site's organisers hold rated ones, and enter whom they like.
        """
        form = ScheduleSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        facts = {"seed": secrets.randbits(63), **form.validated_data}
        event = verbs.create_event(**facts, created_by=request.user, now=timezone.now())
        return Response(EventSerializer(event).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=EditingSerializer, responses=refusable(ok=EventSerializer))
    def partial_update(self, request: Request, slug: str) -> Response:
        """Change an event that has not started. For its organiser; the authors of bots entered are notified."""
        event, form = self.get_object(), EditingSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        event = edit_event(event=event, actor=request.user, now=timezone.now(), **form.validated_data)
        return Response(EventSerializer(event).data)

    @extend_schema(responses=StandingSerializer(many=True))
    @action(detail=True, pagination_class=None, filterset_class=None)
    def standings(self, request: Request, slug: str) -> Response:
        """The event's table, best first."""
        return Response(StandingSerializer(reads.standings(self.get_object()), many=True).data)

    @extend_schema(responses=CrosstableRowSerializer(many=True))
    @action(detail=True, pagination_class=None, filterset_class=None)
    def crosstable(self, request: Request, slug: str) -> HttpResponse:
        """Who scored what against whom; rows and cells in the order of the standings."""
        return HttpResponse(crosstable_text(reads.crosstable(self.get_object())), content_type="application/json")

    @extend_schema(responses=ProgressSerializer)
    @action(detail=True)
    def progress(self, request: Request, slug: str) -> Response:
        """How far it is, how fast it goes, and how long it will take."""
        return Response(ProgressSerializer(reads.progress(self.get_object(), timezone.now())).data)

    @extend_schema(request=None, responses=refusable(ok=EventSerializer, malformed=False))
    @action(detail=True, methods=["post"])
    def start(self, request: Request, slug: str) -> Response:
        """Start a scheduled event now."""
        return self._done(verbs.start_event)

    @extend_schema(request=None, responses=refusable(ok=EventSerializer, malformed=False))
    @action(detail=True, methods=["post"])
    def pause(self, request: Request, slug: str) -> Response:
        """Hold the matches that have not begun; running ones are played to their end."""
        return self._done(verbs.pause_event)

    @extend_schema(request=None, responses=refusable(ok=EventSerializer, malformed=False))
    @action(detail=True, methods=["post"])
    def resume(self, request: Request, slug: str) -> Response:
        """Go on after a pause."""
        return self._done(verbs.resume_event)

    @extend_schema(request=None, responses=refusable(ok=EventSerializer, malformed=False))
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, slug: str) -> Response:
        """End it now. Finished games stay, running ones are discarded."""
        return self._done(verbs.cancel_event)

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

    @extend_schema(responses=EntrySerializer(many=True))
    @action(detail=True, pagination_class=None, filterset_class=None)
    def entries(self, request: Request, slug: str) -> Response:
        """Who takes part, in the order of the draw, before the start in that of their entries."""
        return Response(EntrySerializer(reads.entries(self.get_object()), many=True).data)

    @extend_schema(request=EnteringSerializer, responses=refusable(created=EntrySerializer))
    @action(detail=True, methods=["post"])
    def enter(self, request: Request, slug: str) -> Response:
        """Enter a version of your bot, while registration is open."""
        event, form = self.get_object(), EnteringSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        entry = entries.enter_event(event=event, version=form.validated_data["version"], actor=request.user,
                                    now=timezone.now())
        return Response(EntrySerializer(entry).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=LeavingSerializer, responses=refusable(gone=None))
    @action(detail=True, methods=["post"])
    def leave(self, request: Request, slug: str) -> Response:
        """Take your bot out: before the start as if it had never entered, afterwards it is not paired any more."""
        event, form = self.get_object(), LeavingSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        bot = form.validated_data["bot"]
        entry = event.entries.select_related("event", "bot__team", "version__bot").filter(bot=bot).first()
        if entry is None:
            raise EntryRefused(f"{bot.name} is not entered in {event}.")
        entries.leave_event(entry=entry, actor=request.user, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=InvitingSerializer, responses=refusable(gone=None))
    @action(detail=True, methods=["post"])
    def invite(self, request: Request, slug: str) -> Response:
        """Let somebody see a private event and enter it. For its organiser."""
        return self._invited(entries.invite)

    @extend_schema(request=InvitingSerializer, responses=refusable(gone=None))
    @action(detail=True, methods=["post"])
    def uninvite(self, request: Request, slug: str) -> Response:
        """Take an invitation back, from somebody who has entered nothing. For its organiser."""
        return self._invited(entries.uninvite)

    def _invited(self, verb: Callable[..., Any]) -> Response:
        event, form = self.get_object(), InvitingSerializer(data=self.request.data)
        form.is_valid(raise_exception=True)
        verb(event=event, user=form.validated_data["username"], actor=self.request.user, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)

    def _done(self, verb: Callable[..., Event]) -> Response:
        event = verb(event=self.get_object(), actor=self.request.user, now=timezone.now())
        return Response(EventSerializer(event).data)
