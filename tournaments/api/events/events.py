"""Events: scheduling, entries, control and tables."""

from collections.abc import Callable
from typing import Any

import django_filters
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ReadOnlyModelViewSet

from tournaments.api.events.entries import (
    DisqualifyingSerializer,
    EnteringSerializer,
    EntrySerializer,
    InvitingSerializer,
    LeavingSerializer,
    ReturningSerializer,
)
from tournaments.api.events.settings import (
    FORMAT,
    ChangeableSerializer,
    HeldSerializer,
    HoldingSerializer,
    OmittingSerializer,
)
from tournaments.api.events.tables import (
    ArenaSerializer,
    BracketColumnSerializer,
    CrosstableRowSerializer,
    PrecisionSerializer,
    ProgressSerializer,
    StandingSerializer,
    crosstable_text,
)
from tournaments.api.plumbing.actions import Read, Verb, described
from tournaments.api.plumbing.fields import LARGEST_ID, Computed, SeedField
from tournaments.api.plumbing.slugs import BySlug
from tournaments.api.plumbing.waiting import WaitingSerializer
from tournaments.formats import registry
from tournaments.models import Bot, Event, Version
from tournaments.models.lifecycle import EventStatus
from tournaments.selectors.events import events as reads
from tournaments.selectors.events.arena import arena
from tournaments.selectors.events.openings import of_event
from tournaments.selectors.events.precision import precision
from tournaments.selectors.events.tables import tie_breaks_of
from tournaments.selectors.ladders.waiting import Waits
from tournaments.services.events import entries
from tournaments.services.events import events as verbs
from tournaments.services.events.editing import edit_event
from tournaments.services.events.regulations import REGULATIONS
from tournaments.services.events.room import note
from tournaments.services.events.rulings.disqualifying import disqualify


class EventSerializer(HeldSerializer, WaitingSerializer):
    series = serializers.SlugRelatedField(slug_field="slug", read_only=True, allow_null=True,
                                          help_text="Slug of the series that the event belongs to; null for a single "
                                                    "event.")
    tie_breaks = Computed(tie_breaks_of, serializers.ListField(child=serializers.CharField()),
                          help_text="Names of the tie-breaks, in the order in which they are applied.")
    distinct_openings = Computed(lambda event: of_event(event).distinct, serializers.IntegerField(),
                                 help_text="Number of distinct openings that the event has; 1 if all games begin from "
                                           "the empty board.")
    matches_per_pair = Computed(lambda event: of_event(event).needed, serializers.IntegerField(),
                                help_text="Maximum number of matches between the same two entrants, with all extra "
                                          "matches of a knockout; 0 if the format has no such limit. With fewer "
                                          "openings, openings repeat.")
    why = Waits.of_events
    note = Computed(note, serializers.CharField(), help_text="Reason why bots of the ladder were left out; empty if "
                                                             "none was.")

    class Meta(WaitingSerializer.Meta):
        model = Event
        read_only_fields = fields = ["slug", "name", "description", "ladder", "series", "division", *FORMAT,
                                     *REGULATIONS, "book", "distinct_openings", "matches_per_pair", "left_out",
                                     "note", "status", "seed", "registration_opens_at", "registration_closes_at",
                                     "starts_at", "started_at", "ended_at", "created_by", "created_at", "waiting"]


def _versions_field(**options: Any) -> serializers.ListField:
    return serializers.ListField(child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID), max_length=1000,
                                 **options)


class ScheduleSerializer(HoldingSerializer):
    versions = _versions_field(default=list, help_text="IDs of the versions to enter, at most one per bot.")
    runners = _versions_field(default=list, help_text="IDs of the versions that run the gauntlet; they need not be "
                                                      "listed in `versions`.")
    registration_opens_at = serializers.DateTimeField(default=None, allow_null=True,
                                                      help_text="Time from which authors can enter; null or omitted: "
                                                                "only you enter bots.")
    registration_closes_at = serializers.DateTimeField(default=None, allow_null=True,
                                                       help_text="Deadline for entries, not after the start; null or "
                                                                 "omitted for the start.")
    starts_at = serializers.DateTimeField(default=None, allow_null=True,
                                          help_text="Time at which the event starts automatically, not in the past; "
                                                    "null or omitted to start at once.")
    seed = SeedField(help_text="Seed of the random draw; chosen at random if omitted.")

    def validate_versions(self, ids: list[int]) -> list[Version]:
        """Return the versions in the order given, with one query. Raises ValidationError if any does not exist."""
        known = Version.objects.select_related("bot__team").in_bulk(ids)
        unknown = [str(pk) for pk in ids if pk not in known]
        if unknown:
            raise serializers.ValidationError(f"There is no version {', '.join(unknown)}.")
        return [known[pk] for pk in ids]

    validate_runners = validate_versions


class EditingSerializer(OmittingSerializer, ChangeableSerializer):
    starts_at = serializers.DateTimeField(help_text="Time at which the event starts automatically.")
    registration_opens_at = serializers.DateTimeField(allow_null=True,
                                                      help_text="Time from which authors can enter; null: only you "
                                                                "enter bots.")
    registration_closes_at = serializers.DateTimeField(allow_null=True,
                                                       help_text="Deadline for entries; null for the start.")


class EventFilter(django_filters.FilterSet):
    status = django_filters.ChoiceFilter(choices=EventStatus.choices, label="Status of the event.")
    ladder = django_filters.CharFilter("ladder__slug", label="Slug of the ladder.")
    series = django_filters.CharFilter("series__slug", label="Slug of the series.")
    format = django_filters.ChoiceFilter(choices=registry.choices(), label="Tournament format.")


def _of_entry(verb: Callable[..., Any]) -> Callable[..., None]:
    """Return the verb on an entry as one on an event and a bot."""
    def of_bot(*, event: Event, bot: Bot, **facts: Any) -> None:
        verb(entry=entries.entry_of(event, bot), **facts)
    return of_bot


@described(list="List events, newest first.", retrieve="Return one event.")
class EventViewSet(BySlug, ReadOnlyModelViewSet):
    queryset = reads.events()
    serializer_class = EventSerializer
    filterset_class = EventFilter

    def get_queryset(self) -> QuerySet[Event]:
        # Private events are hidden from users who are not invited.
        return reads.visible_to(self.request.user)

    create = Verb(verbs.create_event, """
        Schedule an event. It starts automatically.

        Every signed-in user can hold a few events. They are unrated, and the user enters only their own bots; other
        authors enter theirs. The site's organisers can hold rated events and enter any bot.
        """, form=ScheduleSerializer, code=201, actor="created_by")
    partial_update = Verb(edit_event, "Change an event that has not started. The authors of the entered bots are "
                                      "notified. Only for its organiser.", form=EditingSerializer)
    start = Verb(verbs.start_event, "Start a scheduled event now.")
    pause = Verb(verbs.pause_event, "Put the matches that have not begun on hold. Matches in progress are played to "
                                    "the end.")
    resume = Verb(verbs.resume_event, "Resume a paused event.")
    cancel = Verb(verbs.cancel_event, "Cancel the event now. Finished games are kept; games in progress are discarded.")
    enter = Verb(entries.enter_event, "Enter a version of your bot while registration is open.",
                 form=EnteringSerializer, answer=EntrySerializer, code=201)
    leave = Verb(_of_entry(entries.leave_event), "Withdraw your bot. Before the start, this deletes its entry; after "
                                                 "the start, it is no longer paired.", form=LeavingSerializer, code=204)
    bring_back = Verb(_of_entry(entries.return_to_event), "Bring your bot back into a running arena that it has left. "
                                                          "It keeps its points.", form=ReturningSerializer, code=204)
    disqualify = Verb(_of_entry(disqualify), "Disqualify a bot of a running event, with a public reason. Only for its "
                                             "organiser.", form=DisqualifyingSerializer, code=204)
    invite = Verb(entries.invite, "Invite a user, who can then see a private event and enter it. Only for its "
                                  "organiser.",
                  form=InvitingSerializer, code=204)
    uninvite = Verb(entries.uninvite, "Withdraw the invitation of a user who has not entered a bot. Only for its "
                                      "organiser.", form=InvitingSerializer, code=204)
    entries = Read(reads.entries, "List the entries in the order of the draw; before the start, in the order of "
                                  "entering.", EntrySerializer)
    standings = Read(reads.standings, "Return the event's standings, best first.", StandingSerializer)
    progress = Read(lambda event: reads.progress(event, timezone.now()),
                    "Return the event's progress, its speed, and an estimate of the time "
                    "left.", ProgressSerializer, many=False)

    @extend_schema(responses=ArenaSerializer)
    @action(detail=True, pagination_class=None, filterset_class=None)
    def arena(self, request: Request, slug: str) -> Response:
        """Return the points, streaks and open matches of an arena; 404 for other formats and before the start."""
        found = arena(self.get_object(), timezone.now())
        if found is None:
            raise Http404
        return Response(ArenaSerializer(found).data)

    @extend_schema(responses=PrecisionSerializer)
    @action(detail=True, pagination_class=None, filterset_class=None)
    def precision(self, request: Request, slug: str) -> Response:
        """Return how far a precision event is from its target; 404 for other formats and before the start."""
        found = precision(self.get_object())
        if found is None:
            raise Http404
        return Response(PrecisionSerializer(found).data)

    @extend_schema(responses=CrosstableRowSerializer(many=True))
    @action(detail=True, pagination_class=None, filterset_class=None)
    def crosstable(self, request: Request, slug: str) -> HttpResponse:
        """Return the crosstable; its rows and cells are in the order of the standings."""
        return HttpResponse(crosstable_text(reads.crosstable(self.get_object())), content_type="application/json")

    @extend_schema(responses=BracketColumnSerializer(many=True))
    @action(detail=True, pagination_class=None, filterset_class=None)
    def bracket(self, request: Request, slug: str) -> Response:
        """Return the bracket of a knockout, column by column; empty for other formats and before the start."""
        event = self.get_object()
        slugs = dict(event.entries.filter(place__isnull=False).values_list("place", "bot__slug"))
        return Response([{
            "section": column.section, "label": column.label,
            "ties": [{"sides": [slugs.get(side) for side in tie.sides], "winner": slugs.get(tie.winner),
                      "points": tie.points, "walkover": tie.walkover, "round": tie.stage} for tie in column.ties],
        } for column in reads.bracket(event)])
