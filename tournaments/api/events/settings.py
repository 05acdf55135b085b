"""Serializers for the settings that single events and series have in common."""

from typing import Any, Final

from rest_framework import serializers

from engines.rules.books import MOST_BYTES
from tournaments.api.plumbing.fields import LadderField
from tournaments.formats import registry
from tournaments.formats.history import KEEP
from tournaments.formats.swiss.standard import Swiss
from tournaments.models.events import TARGETS
from tournaments.models.lifecycle import Seeding
from tournaments.models.rulings import WITHDRAWALS
from tournaments.selectors.events import permissions
from tournaments.services.events import scheduling, targets
from tournaments.services.events.series import LONGEST_NAME as LONGEST_SERIES_NAME

FORMAT: Final = ("format", "cycles", "swiss_rounds", "target", "target_value", "max_matches", "max_hours",
                 "seeding", "tie_breaks", "openings", "rated", "private", "max_entries")
_OTHERS: Final = "in events not created by a site organiser"


# Settings of a stored event or series. Here and below a comment, because subclasses would show a docstring in the
# schema.
class HeldSerializer(serializers.ModelSerializer):
    ladder = serializers.SlugRelatedField(slug_field="slug", read_only=True, help_text="Slug of the ladder.")
    created_by = serializers.CharField(source="created_by.username", help_text="Username of the organiser.")
    book = serializers.CharField(source="book.digest", read_only=True, default=None, allow_null=True,
                                 help_text="SHA-256 of the organiser's own openings, which bundles contain; null for "
                                           "the ruleset's openings.")
    # Declared, because a model's field that is only read has no empty choice in the schema.
    target = serializers.ChoiceField(TARGETS, allow_blank=True, read_only=True,
                                     help_text="Target of a precision event; empty for other formats.")


# Settings that can be changed later.
class ChangeableSerializer(serializers.Serializer):
    name = serializers.CharField(help_text=f"Name: 1 to {scheduling.LONGEST_NAME} visible characters, for a series 1 "
                                           f"to {LONGEST_SERIES_NAME}. A change does not affect the URL.")
    description = serializers.CharField(default="", allow_blank=True,
                                        help_text="Description by the organiser, with which each event of a series "
                                                  f"starts: at most {scheduling.LONGEST_DESCRIPTION:,} characters.")
    cycles = serializers.IntegerField(default=1, help_text="Number of matches per pairing, of two games each: 1 to "
                                                            f"{scheduling.MOST_CYCLES:,}; at most "
                                                            f"{permissions.MOST_CYCLES} {_OTHERS}.")
    swiss_rounds = serializers.IntegerField(default=None, allow_null=True,
                                            help_text="Number of rounds of a Swiss, 1 to "
                                                      f"{scheduling.MOST_SWISS_ROUNDS}; null: as many as the number "
                                                      "of entries requires. Not used by other formats.")
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
    max_entries = serializers.IntegerField(default=None, allow_null=True,
                                           help_text=f"Maximum number of entries, 2 to {scheduling.MOST_ENTRIES:,}; at "
                                                     f"most {Swiss.most_entrants} in a Swiss, and "
                                                     f"{permissions.MOST_ENTRIES} {_OTHERS}; null for no limit.")


class RegulationsSerializer(serializers.Serializer):
    withdrawals = serializers.ChoiceField(WITHDRAWALS, default=KEEP,
                                          help_text="Results of an entrant that leaves a round-robin or gauntlet: "
                                                    "kept, or as FIDE annulled below half of its games.")
    apart_rounds = serializers.IntegerField(default=0, help_text="Number of first rounds of a Swiss in which bots of "
                                                                 "one owner or team do not meet, if that can be "
                                                                 "avoided.")
    minutes = serializers.IntegerField(default=None, allow_null=True,
                                       help_text="Minutes for which an arena pairs its entrants, 1 to 10,080; null for "
                                                 "60. Not used by other formats.")
    streaks = serializers.BooleanField(default=False, help_text="Whether an arena doubles points after two wins in a "
                                                                "row.")


# Settings of a new event or series.
class HoldingSerializer(ChangeableSerializer, RegulationsSerializer):
    ladder = LadderField(help_text="Slug of the ladder whose ruleset, board size and time control are used.")
    format = serializers.ChoiceField(registry.choices(), default=registry.DEFAULT, help_text="Tournament format.")
    seeding = serializers.ChoiceField(Seeding.choices, default=Seeding.RATING,
                                      help_text="Seeding order: by ladder rating (unrated bots last), or at random.")
    tie_breaks = serializers.ListField(child=serializers.CharField(), default=list, max_length=10,
                                       help_text="Names of the tie-breaks, in the order in which they are applied; "
                                                 "empty for the format's default.")
    openings = serializers.BooleanField(default=True, help_text="Whether games begin from random openings, the same "
                                                                "for both games of a match; otherwise from the empty "
                                                                "board.")
    book = serializers.CharField(default="", allow_blank=True, trim_whitespace=False, max_length=MOST_BYTES,
                                 help_text="Text of an opening book: one opening per line, turns separated by spaces, "
                                           "`#` before a comment. Empty or omitted: the ruleset's openings.")
    rated = serializers.BooleanField(default=None, allow_null=True,
                                     help_text="Whether the games count towards the ladder's ratings; null or omitted: "
                                               "rated if you are a site organiser. Only site organisers can set true.")
    private = serializers.BooleanField(default=False, help_text="Whether only invited users can see and enter the "
                                                                "event.")


# Form whose fields can all be omitted; an omitted setting does not change.
class OmittingSerializer(serializers.Serializer):
    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        for field in fields.values():
            field.required, field.default = False, serializers.empty
        return fields
