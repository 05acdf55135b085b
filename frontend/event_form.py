"""What is filled in for an event of one's own: what is played, who may enter, when, and the small print."""

from typing import Any, Final

from django import forms
from django.utils import timezone

from tournaments.lifecycle import EventFormat, Seeding, VersionStatus
from tournaments.models import Bot, Ladder, Version
from tournaments.scoring.standings import TIE_BREAKS
from tournaments.services.organising import organises_all
from tournaments.services.rights import own_bots
from tournaments.services.scheduling import LONGEST_DESCRIPTION, LONGEST_NAME

_MOMENT: Final = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")


class EventForm(forms.Form):
    """An event. `sections` has its fields in the order of the page; `facts` what `create_event` takes."""

    name = forms.CharField(max_length=LONGEST_NAME, label="Name")
    description = forms.CharField(required=False, max_length=LONGEST_DESCRIPTION, label="What it is about",
                                  widget=forms.Textarea(attrs={"rows": 3}), help_text="Shown on its page, as plain "
                                                                                      "text.")
    ladder = forms.ModelChoiceField(Ladder.objects.all(), to_field_name="slug", empty_label=None,
                                    label="What is played",
                                    help_text="Ruleset, size and time control.")
    format = forms.ChoiceField(choices=EventFormat.choices, label="Format", help_text="Who meets whom.")
    cycles = forms.IntegerField(min_value=1, max_value=1000, initial=1, label="Matches for each pairing",
                                help_text="Of two games each, seats exchanged.")
    swiss_rounds = forms.IntegerField(min_value=1, required=False, label="Rounds of a Swiss",
                                      help_text="As many as its entries need when left empty.")
    versions = forms.ModelMultipleChoiceField(Version.objects.none(), required=False, label="Your own bots",
                                              widget=forms.CheckboxSelectMultiple, help_text="Who is entered now.")
    runners = forms.ModelMultipleChoiceField(Version.objects.none(), required=False, label="Who runs a gauntlet",
                                             widget=forms.CheckboxSelectMultiple,
                                             help_text="Of a gauntlet alone: they meet all the others.")
    registration = forms.BooleanField(required=False, initial=True, label="Others may enter their bots, from now on")
    registration_closes_at = forms.DateTimeField(required=False, widget=_MOMENT, label="Deadline",
                                                 help_text="For others’ entries, UTC; the start when left empty.")
    max_entries = forms.IntegerField(min_value=2, required=False, label="At most so many entries")
    private = forms.BooleanField(required=False, label="Private: only who is invited may see it or enter")
    starts_at = forms.DateTimeField(required=False, widget=_MOMENT, label="Start",
                                    help_text="UTC; at once when left empty, which leaves others no time to enter.")
    seeding = forms.ChoiceField(choices=Seeding.choices, label="Seeding", help_text="The order of the entrants in the "
                                                                                    "draw.")
    tie_breaks = forms.MultipleChoiceField(required=False, choices=[(name, name) for name in TIE_BREAKS],
                                           widget=forms.CheckboxSelectMultiple, label="Tie-breaks",
                                           help_text="Those of the format when none is chosen.")
    openings = forms.BooleanField(required=False, initial=True, label="Games begin from openings drawn by lot")
    rated = forms.BooleanField(required=False, initial=True, label="Its games count for the ladder")

    SECTIONS = (
        ("What is played", ("name", "description", "ladder", "format", "cycles", "swiss_rounds")),
        ("Who takes part", ("versions", "runners", "registration", "registration_closes_at", "max_entries", "private")),
        ("When, and the small print", ("starts_at", "seeding", "tie_breaks", "openings", "rated")),
    )

    def __init__(self, *args: Any, user: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        mine = Version.objects.filter(bot__in=Bot.objects.filter(own_bots(user)).values("pk"),
                                      status=VersionStatus.ACTIVE).select_related("bot__team")
        for name in ("versions", "runners"):
            self.fields[name].queryset = mine.order_by("bot__slug", "-number")
        # Only the site's organisers hold rated events.
        if not organises_all(user, "add"):
            del self.fields["rated"]

    def sections(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The headings, each with its fields."""
        return [(heading, [self[name] for name in names if name in self.fields]) for heading, names in self.SECTIONS]

    def facts(self) -> dict[str, Any]:
        """What `create_event` takes, of a form that is valid."""
        facts = {**self.cleaned_data, "versions": list(self.cleaned_data["versions"]),
                 "runners": list(self.cleaned_data["runners"])}
        opens = facts.pop("registration")
        facts["registration_opens_at"] = timezone.now() if opens else None
        return facts
