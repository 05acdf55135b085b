"""Events: scheduling, entries, control and tables."""

from collections.abc import Callable
from typing import Any, Final

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

from engines.rules.books import MOST_BYTES
from tournaments.api.events.entries import (
    ByeSerializer,
    DisqualifyingSerializer,
    EnteringSerializer,
    EntrySerializer,
    InvitingSerializer,
    LeavingSerializer,
    ReturningSerializer,
)
from tournaments.api.events.pairings import ChangedSerializer, ChangingSerializer, DraftSerializer
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
from tournaments.api.plumbing.fields import LARGEST_ID, Computed, LadderField, SeedField
from tournaments.api.plumbing.slugs import BySlug
from tournaments.api.plumbing.waiting import WaitingSerializer
from tournaments.formats import registry
from tournaments.formats.history import KEEP
from tournaments.formats.swiss.standard import Swiss
from tournaments.models import Bot, Event, Version
from tournaments.models.events import TARGETS
from tournaments.models.lifecycle import EventStatus, Seeding
from tournaments.models.rulings import WITHDRAWALS
from tournaments.selectors.events import events as reads
from tournaments.selectors.events import permissions
from tournaments.selectors.events.arena import arena
from tournaments.selectors.events.openings import of_event
from tournaments.selectors.events.precision import precision
from tournaments.selectors.events.tables import tie_breaks_of
from tournaments.selectors.ladders.waiting import Waits
from tournaments.services.events import entries, scheduling, targets
from tournaments.services.events import events as verbs
from tournaments.services.events.editing import edit_event
from tournaments.services.events.room import note
from tournaments.services.events.rulings.byes import request_bye
from tournaments.services.events.rulings.disqualifying import disqualify
from tournaments.services.events.rulings.drafts import preview_pairings
from tournaments.services.events.rulings.pairings import confirm_round, pair_by_hand
from tournaments.services.events.series import LONGEST_NAME as LONGEST_SERIES_NAME

_FORMAT = ["format", "cycles", "swiss_rounds", "target", "target_value", "max_matches", "max_hours",
           "seeding", "tie_breaks", "openings", "rated", "private", "max_entries"]
_REGULATIONS = ["withdrawals", "late_rounds", "byes_allowed", "bye_points", "apart_rounds", "confirm_rounds",
                "minutes", "streaks"]


class EventSerializer(WaitingSerializer):
    ladder = serializers.SlugRelatedField(slug_field="slug", read_only=True, help_text="Slug of the ladder.")
    series = serializers.SlugRelatedField(slug_field="slug", read_only=True, allow_null=True,
                                          help_text="Slug of the series that the event belongs to; null for a single "
                                                    "event.")
    created_by = serializers.CharField(source="created_by.username", help_text="Username of the organiser.")
    tie_breaks = Computed(tie_breaks_of, serializers.ListField(child=serializers.CharField()),
                          help_text="Names of the tie-breaks, in the order in which they are applied.")
    book = serializers.CharField(source="book.digest", read_only=True, default=None, allow_null=True,
                                 help_text="SHA-256 of the organiser's own openings, which the bundle contains; null "
                                           "if the event uses the ruleset's.")
    distinct_openings = Computed(lambda event: of_event(event).distinct, serializers.IntegerField(),
                                 help_text="Number of distinct openings that the event has; 1 if all games begin from "
                                           "the empty board.")
    matches_per_pair = Computed(lambda event: of_event(event).needed, serializers.IntegerField(),
                                help_text="Maximum number of matches between the same two entrants, with all extra "
                                          "matches of a knockout; 0 if the format has no such limit. With fewer "
                                          "openings, openings repeat.")
    # Declared, because a model's field that is only read has no empty choice in the schema.
    target = serializers.ChoiceField(TARGETS, allow_blank=True, read_only=True,
                                     help_text="Target of a precision event; empty for other formats.")
    why = Waits.of_events
    note = Computed(note, serializers.CharField(), help_text="Reason why bots of the ladder were left out; empty if "
                                                             "none was.")

    class Meta(WaitingSerializer.Meta):
        model = Event
        read_only_fields = fields = ["slug", "name", "description", "ladder", "series", "division", *_FORMAT,
                                     *_REGULATIONS, "book", "distinct_openings", "matches_per_pair", "left_out",
                                     "note", "status", "seed", "registration_opens_at", "registration_closes_at",
                                     "starts_at", "started_at", "ended_at", "created_by", "created_at", "waiting"]


_OTHERS: Final = "in events not created by a site organiser"


# Settings that a single event and a series have in common. A comment, because subclasses would show a docstring in the
# schema.
class FormatSerializer(serializers.Serializer):
    name = serializers.CharField(help_text=f"Name: 1 to {scheduling.LONGEST_NAME} visible characters, for a series 1 "
                                           f"to {LONGEST_SERIES_NAME}.")
    ladder = LadderField(help_text="Slug of the ladder whose ruleset, board size and time control are used.")
    format = serializers.ChoiceField(registry.choices(), default=registry.DEFAULT, help_text="Tournament format.")
    cycles = serializers.IntegerField(default=1, help_text="Number of matches per pairing, of two games each: 1 to "
                                                            f"{scheduling.MOST_CYCLES:,}; at most "
                                                            f"{permissions.MOST_CYCLES} {_OTHERS}.")
    swiss_rounds = serializers.IntegerField(default=None, allow_null=True,
                                            help_text="Number of rounds of a Swiss, 1 to "
                                                      f"{scheduling.MOST_SWISS_ROUNDS}; null or omitted: as many as "
                                                      "the number of entries requires. Not used by other formats.")
    target = serializers.ChoiceField([("", "none"), *TARGETS], default="", allow_blank=True,
                                     help_text="Target of a precision event: every rating, or the first places; empty "
                                               "for other formats.")
    target_value = serializers.IntegerField(default=None, allow_null=True,
                                            help_text="For ratings, the half width of every 95 % interval in Elo, 1 to "
                                                      f"{targets.MOST_ELO}; for first places, their number; null for "
                                                      "other formats.")
    max_matches = serializers.IntegerField(default=None, allow_null=True,
                                           help_text="Maximum number of matches of a precision event, 1 to "
                                                     f"{targets.MOST_MATCHES:,}; null for other formats.")
    max_hours = serializers.IntegerField(default=None, allow_null=True,
                                         help_text="Maximum number of hours of a precision event, 1 to "
                                                   f"{targets.MOST_HOURS:,}; null for no limit.")
    seeding = serializers.ChoiceField(Seeding.choices, default=Seeding.RATING,
                                      help_text="Seeding order: by ladder rating (unrated bots last), or at random.")
    tie_breaks = serializers.ListField(child=serializers.CharField(), default=list, max_length=10,
                                       help_text="Names of the tie-breaks, in the order in which they are applied; "
                                                 "empty for the format's default.")
    openings = serializers.BooleanField(default=True, help_text="Whether games begin from random openings, the same "
                                                                "for both games of a match; otherwise from the empty "
                                                                "board.")
    private = serializers.BooleanField(default=False, help_text="Whether only invited users can see and enter the "
                                                                "event.")
    max_entries = serializers.IntegerField(default=None, allow_null=True,
                                           help_text=f"Maximum number of entries, 2 to {scheduling.MOST_ENTRIES:,}; at "
                                                     f"most {Swiss.most_entrants} in a Swiss, and "
                                                     f"{permissions.MOST_ENTRIES} {_OTHERS}; null or omitted for no "
                                                     "limit.")


def _versions_field(**options: Any) -> serializers.ListField:
    return serializers.ListField(child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID), max_length=1000,
                                 **options)


class RegulationsSerializer(serializers.Serializer):
    withdrawals = serializers.ChoiceField(WITHDRAWALS, default=KEEP,
                                          help_text="Results of an entrant that leaves a round-robin or gauntlet: "
                                                    "kept, or as FIDE annulled below half of its games.")
    late_rounds = serializers.IntegerField(default=0, help_text="Maximum number of rounds that a late entrant of a "
                                                                "Swiss can miss; 0 for no late entries.")
    byes_allowed = serializers.IntegerField(default=0, help_text="Maximum number of byes that an entrant of a Swiss "
                                                                 "can request.")
    bye_points = serializers.FloatField(default=0.0, help_text="Points for a requested bye, and for a round that a "
                                                               "late entrant missed: 0 or 0.5.")
    apart_rounds = serializers.IntegerField(default=0, help_text="Number of first rounds of a Swiss in which bots of "
                                                                 "one owner or team do not meet, if that can be "
                                                                 "avoided.")
    confirm_rounds = serializers.BooleanField(default=False, help_text="Whether each round of a Swiss waits until the "
                                                                       "organiser has confirmed its pairings.")
    minutes = serializers.IntegerField(default=None, allow_null=True,
                                       help_text="Minutes for which an arena pairs its entrants, 1 to 10,080; null for "
                                                 "60. Not used by other formats.")
    streaks = serializers.BooleanField(default=False, help_text="Whether an arena doubles points after two wins in a "
                                                                "row.")


class ScheduleSerializer(FormatSerializer, RegulationsSerializer):
    versions = _versions_field(default=list, help_text="IDs of the versions to enter, at most one per bot.")
    runners = _versions_field(default=list, help_text="IDs of the versions that run the gauntlet; they need not be "
                                                      "listed in `versions`.")
    rated = serializers.BooleanField(default=None, allow_null=True,
                                     help_text="Whether the games count towards the ladder's ratings; null or omitted: "
                                               "rated if you are a site organiser. Only site organisers can set true.")
    description = serializers.CharField(default="", allow_blank=True,
                                        help_text="Description by the organiser: at most "
                                                  f"{scheduling.LONGEST_DESCRIPTION:,} characters.")
    registration_opens_at = serializers.DateTimeField(default=None, allow_null=True,
                                                      help_text="Time from which authors can enter; null or omitted: "
                                                                "only you enter bots.")
    registration_closes_at = serializers.DateTimeField(default=None, allow_null=True,
                                                       help_text="Deadline for entries, not after the start; null or "
                                                                 "omitted for the start.")
    starts_at = serializers.DateTimeField(default=None, allow_null=True,
                                          help_text="Time at which the event starts automatically, not in the past; "
                                                    "null or omitted to start at once.")
    book = serializers.CharField(default="", allow_blank=True, trim_whitespace=False, max_length=MOST_BYTES,
                                 help_text="Text of an opening book: one opening per line, turns separated by spaces, "
                                           "`#` before a comment. Empty or omitted: the ruleset's openings.")
    seed = SeedField(help_text="Seed of the random draw; chosen at random if omitted.")

    def validate_versions(self, ids: list[int]) -> list[Version]:
        """Return the versions in the order given, with one query. Raises ValidationError if any does not exist."""
        known = Version.objects.select_related("bot__team").in_bulk(ids)
        unknown = [str(pk) for pk in ids if pk not in known]
        if unknown:
            raise serializers.ValidationError(f"There is no version {', '.join(unknown)}.")
        return [known[pk] for pk in ids]

    validate_runners = validate_versions


class EditingSerializer(serializers.Serializer):
    name = serializers.CharField(required=False, help_text="Name; the event's URL does not change.")
    description = serializers.CharField(required=False, allow_blank=True, help_text="Description by the organiser.")
    starts_at = serializers.DateTimeField(required=False, help_text="Time at which the event starts automatically.")
    registration_opens_at = serializers.DateTimeField(required=False, allow_null=True,
                                                      help_text="Time from which authors can enter; null: only you "
                                                                "enter bots.")
    registration_closes_at = serializers.DateTimeField(required=False, allow_null=True,
                                                       help_text="Deadline for entries; null for the start.")
    cycles = serializers.IntegerField(required=False, help_text="Number of matches per pairing, of two games each.")
    swiss_rounds = serializers.IntegerField(required=False, allow_null=True,
                                            help_text="Number of rounds of a Swiss; null: as many as the number of "
                                                      "entries requires.")
    target = serializers.ChoiceField(TARGETS, required=False, help_text="Target of a precision event.")
    target_value = serializers.IntegerField(required=False, help_text="Half width of every 95 % interval in Elo, or "
                                                                      "the number of first places.")
    max_matches = serializers.IntegerField(required=False, help_text="Maximum number of matches of a precision event.")
    max_hours = serializers.IntegerField(required=False, allow_null=True,
                                         help_text="Maximum number of hours of a precision event; null for no limit.")
    max_entries = serializers.IntegerField(required=False, allow_null=True,
                                           help_text="Maximum number of entries; null for no limit.")


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
    bye = Verb(_of_entry(request_bye), "Request a bye for your bot in a later round of a Swiss.", form=ByeSerializer,
               code=204)
    pair = Verb(pair_by_hand, "Let two bots meet in the last round of a running Swiss, and also their former "
                              "opponents. Their matches must not have begun. Only for its organiser.",
                form=ChangingSerializer, answer=ChangedSerializer)
    confirm = Verb(confirm_round, "Release the matches of the round that waits for a confirmation. Only for its "
                                  "organiser.")
    preview = Verb(preview_pairings, "Return the rounds that would be paired now; nothing is stored. Only for its "
                                     "organiser.", answer=DraftSerializer)
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
