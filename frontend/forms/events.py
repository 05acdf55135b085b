"""The forms for creating and editing an event."""

from datetime import datetime, timedelta
from typing import Any, Final

from django import forms
from django.utils import timezone
from django.utils.functional import lazy
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from engines.rules.books import MOST_BYTES, BookError, read_book
from engines.rules.registry import find as ruleset_of
from frontend.forms.challenges import own_versions
from frontend.forms.moments import MomentField, ZoneField, zone_named
from frontend.forms.regulations import RegulationsForm
from frontend.text.core_words import translated
from frontend.text.formats import NAMES
from tournaments.formats.contract import Format
from tournaments.formats.registry import FORMATS, find
from tournaments.models import Event, Ladder, Version
from tournaments.models.lifecycle import Seeding
from tournaments.scoring.standings import TIE_BREAKS
from tournaments.selectors.events.openings import of_ladder
from tournaments.selectors.events.permissions import is_site_organiser
from tournaments.services.events.editing import EDITABLE
from tournaments.services.events.scheduling import LONGEST_DESCRIPTION, LONGEST_NAME

# Fields that only some formats have, and what a format must have for them. The style sheet hides the others.
NEEDS: Final = {
    "cycles": "cycles", "swiss_rounds": "rounds", "target": "target", "target_value": "target",
    "max_matches": "target", "max_hours": "target", "runners": "runners", "weekly": "weekly", "tie_breaks": "points",
    "withdrawals": "annuls", "apart_rounds": "apart",
    "minutes": "time", "streaks": "time"}
_WEEKDAYS: Final = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")


def features(form: Format) -> set[str]:
    """Return what a format has, in the words of NEEDS."""
    has = {"cycles": not form.takes_target and not form.is_continuous, "rounds": form.takes_rounds,
           "target": form.takes_target, "runners": form.has_runners, "weekly": not form.has_runners,
           "points": not form.is_bracket and bool(form.tie_breaks), "annuls": form.annuls and not form.keeps_apart,
           "apart": form.keeps_apart, "time": form.is_continuous}
    has["regulations"] = has["annuls"] or has["apart"] or has["time"]
    return {feature for feature, is_there in has.items() if is_there}


class _Formats(forms.Select):
    """Formats that say what they have, so that the style sheet can hide the fields of the others."""

    def create_option(self, name: str, value: Any, *args: Any, **options: Any) -> dict[str, Any]:
        option = super().create_option(name, value, *args, **options)
        if value in FORMATS:
            option["attrs"]["data-has"] = " ".join(sorted(features(find(value))))
        return option  # type: ignore[no-any-return]


def _tie_breaks() -> list[tuple[str, str]]:
    """The tie-breaks with their names in the user's language."""
    return [(key, translated(tie_break.name)) for key, tie_break in TIE_BREAKS.items()]


def _tomorrow() -> datetime:
    """A default start, by the clock of any zone, that is still in the future when the user has filled in the form."""
    return (timezone.now() + timedelta(days=2)).replace(tzinfo=None, second=0, microsecond=0)


class _Versions(forms.ModelMultipleChoiceField):
    """Checkboxes whose labels are isolated from the surrounding text direction."""

    widget = forms.CheckboxSelectMultiple

    def label_from_instance(self, obj: Any) -> SafeString:
        return format_html("<bdi>{}</bdi>", obj)


class _Ladders(forms.ModelChoiceField):
    """Ladders with their numbers of openings."""

    def label_from_instance(self, obj: Any) -> str:
        count = of_ladder(obj)
        return f"{obj} · " + ngettext("%(count)s opening", "%(count)s openings", count) % {"count": count}


class EventForm(RegulationsForm):
    """An event. `sections` has its fields in the order of the page, `facts` the arguments of `create_event`."""

    name = forms.CharField(max_length=LONGEST_NAME, label=_("Name"))
    description = forms.CharField(required=False, max_length=LONGEST_DESCRIPTION, label=_("Description"),
                                  widget=forms.Textarea(attrs={"rows": 3}),
                                  help_text=_("Shown on the event page as plain text."))
    ladder = _Ladders(Ladder.objects.all(), to_field_name="slug", empty_label=_("Choose a ladder"), label=_("Ladder"),
                      help_text=_("Sets the ruleset, board size and time control."))
    format = forms.ChoiceField(choices=list(NAMES.items()), label=_("Format"), widget=_Formats,
                               help_text=_("Pairing system."))
    cycles = forms.IntegerField(min_value=1, max_value=1000, initial=1, label=_("Matches per pairing"),
                                help_text=_("Each match has two games, with seats swapped."))
    swiss_rounds = forms.IntegerField(min_value=1, required=False, label=_("Swiss rounds"),
                                      help_text=_("Leave empty to let the number of entries decide."))
    target = forms.ChoiceField(required=False, choices=[
        ("", _("none")), ("ratings", _("Every rating")), ("first", _("First places"))], label=_("Target"),
        help_text=_("Precision events only: what must be known before the event stops."))
    target_value = forms.IntegerField(min_value=1, required=False, label=_("Target value"),
                                      help_text=_("For ratings, the half width of every 95 % interval in Elo; for "
                                                  "first places, their number."))
    max_matches = forms.IntegerField(min_value=1, required=False, label=_("Maximum matches"),
                                     help_text=_("Precision events only: the event stops there at the latest."))
    max_hours = forms.IntegerField(min_value=1, required=False, label=_("Maximum hours"),
                                   help_text=_("Precision events only. Leave empty for no limit."))
    versions = _Versions(Version.objects.none(), required=False, label=_("Your bots"),
                         help_text=_("Versions to enter now."))
    runners = _Versions(Version.objects.none(), required=False, label=_("Gauntlet runners"),
                        help_text=_("Gauntlets only: each runner plays every entrant that is not a runner."))
    registration = forms.BooleanField(required=False, initial=True, label=_("Open registration to others now"))
    registration_closes_at = MomentField(required=False, label=_("Registration deadline"),
                                         help_text=_("Leave empty to close registration at the start."))
    max_entries = forms.IntegerField(min_value=2, required=False, label=_("Maximum entries"))
    private = forms.BooleanField(required=False, label=_("Private: invitation only, to view or enter"))
    time_zone = ZoneField()
    starts_at = MomentField(required=False, initial=_tomorrow, label=_("Start"),
                            help_text=_("Leave empty to start now; others then cannot enter."))
    weekly = forms.BooleanField(required=False, label=_("Repeat every week at this time, until I end the series"))
    seeding = forms.ChoiceField(choices=Seeding.choices, label=_("Seeding"),
                                help_text=_("Order of the entrants in the draw."))
    tie_breaks = forms.MultipleChoiceField(required=False, choices=_tie_breaks, label=_("Tie-breaks"),
                                           widget=forms.CheckboxSelectMultiple,
                                           help_text=_("Select none to use the format's own tie-breaks."))
    openings = forms.BooleanField(required=False, initial=True, label=_("Games begin from random openings"))
    # Its lines are numbered in refusals, so blank lines at its beginning are kept.
    book = forms.CharField(required=False, strip=False, max_length=MOST_BYTES, label=_("Opening book"),
                           widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
                           help_text=_("Your own openings, one per line, turns separated by spaces. Leave empty to use "
                                       "the ruleset's openings."))
    rated = forms.BooleanField(required=False, initial=True, label=_("Rated: games count towards the ladder"))

    SECTIONS = (
        (_("Event"), ("name", "description", "ladder", "format", "cycles", "swiss_rounds", "target", "target_value",
                       "max_matches", "max_hours")),
        (_("Entrants"),
         ("versions", "runners", "registration", "registration_closes_at", "max_entries", "private")),
        (_("Schedule and options"), ("time_zone", "starts_at", "weekly", "seeding", "tie_breaks", "openings", "book",
                                       "rated")),
        *RegulationsForm.REGULATIONS,
    )

    def __init__(self, *args: Any, user: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name in ("versions", "runners"):
            self.fields[name].queryset = own_versions(user)
        _set_zone(self)
        if self.is_bound:
            # The script replaces only a zone that the user has not chosen.
            self.fields["time_zone"].widget.attrs.pop("data-zone")
        self.fields["ladder"].error_messages |= dict.fromkeys(("required", "invalid_choice"), _which_ladder)
        # Only site organisers can create rated events.
        if not is_site_organiser(user, "add"):
            del self.fields["rated"]

    def clean_book(self) -> str:
        """The book; each of its bad lines is an error of its own."""
        book, ladder = self.cleaned_data["book"], self.cleaned_data.get("ladder")
        if ladder is not None and book.strip():
            try:
                read_book(book, ruleset_of(ladder.ruleset), ladder.size)
            except BookError as error:
                raise forms.ValidationError([*error.faults]) from None
        return str(book)

    def clean(self) -> dict[str, Any]:
        """Ignore the fields that the chosen format does not have, and check that the event can be weekly."""
        facts = self.cleaned_data
        if "format" in facts:
            for name in NEEDS.keys() & self.fields.keys():
                if NEEDS[name] not in features(find(facts["format"])):
                    self._errors.pop(name, None)
                    facts[name] = _NOTHING.get(name)
        if facts.get("weekly") and "starts_at" in facts:
            if facts["starts_at"] is None:
                self.add_error("starts_at", _("A weekly series needs the start of its first event."))
            if facts.get("registration_closes_at"):
                self.add_error("registration_closes_at", _(
                    "Registration for the events of a series closes at the start: leave the deadline empty."))
            if not facts.get("registration"):
                self.add_error("registration", _("Authors can always enter the events of a series: open registration."))
        ladder = facts.get("ladder")
        for version in facts.get("versions", ()):
            if ladder is not None and ladder.ruleset not in version.rulesets:
                self.add_error("ladder", forms.ValidationError(
                    _("%(version)s does not play %(ladder)s: choose one of %(ladders)s."), params={
                        "version": version, "ladder": ladder,
                        "ladders": _names(Ladder.objects.filter(ruleset__in=version.rulesets))}))
        return facts

    def sections(self) -> list[tuple[str, str, list[tuple[str, forms.BoundField]]]]:
        """The headings, each with what a format needs for it, and its fields, each with what a format needs for it."""
        return [(heading, "regulations" if names == RegulationsForm.REGULATIONS[0][1] else "",
                 [(NEEDS.get(name, ""), self[name]) for name in names if name in self.fields])
                for heading, names in self.SECTIONS]

    def facts(self) -> dict[str, Any]:
        """The arguments of `create_event`, from a valid form."""
        facts = {**self.cleaned_data, "versions": list(self.cleaned_data["versions"]),
                 "runners": list(self.cleaned_data["runners"])}
        zone, weekly, opens = facts.pop("time_zone"), facts.pop("weekly"), facts.pop("registration")
        if weekly:
            for name in ("runners", "registration_closes_at"):
                del facts[name]
            wall = facts["starts_at"].astimezone(zone_named(zone))
            return {**facts, "cron": f"{wall.minute} {wall.hour} * * {_WEEKDAYS[wall.weekday()]}", "time_zone": zone}
        facts["registration_opens_at"] = timezone.now() if opens else None
        return facts


# Values of fields that are ignored.
_NOTHING: Final[dict[str, Any]] = {"cycles": 1, "target": "", "runners": (), "tie_breaks": (), "weekly": False}


def _names(ladders: Any) -> str:
    return ", ".join(str(ladder) for ladder in ladders)


def _list_ladders() -> str:
    """The refusal of a form without a ladder, which lists them."""
    return gettext("Choose the ladder that the event is played on: %(ladders)s.") % {
        "ladders": _names(Ladder.objects.all()[:30])}


_which_ladder = lazy(_list_ladders, str)()


def _set_zone(form: forms.Form) -> None:
    """Let the form's times be in the zone that it names."""
    name = form.data.get("time_zone") if form.is_bound else form.get_initial_for_field(
        form.fields["time_zone"], "time_zone")
    for field in form.fields.values():
        if isinstance(field, MomentField):
            field.zone = zone_named(name)


class EventEditForm(forms.Form):
    """The fields of an event that can change until it starts. `changes` has the arguments of `edit_event`."""

    (name, description, cycles, swiss_rounds, target, target_value, max_matches, max_hours, max_entries, registration,
     registration_closes_at) = (EventForm.base_fields[name] for name in (
         "name", "description", "cycles", "swiss_rounds", "target", "target_value", "max_matches", "max_hours",
         "max_entries", "registration", "registration_closes_at"))
    time_zone = ZoneField(widget=forms.TextInput(attrs={"spellcheck": "false"}))
    starts_at = MomentField(label=_("Start"))

    def __init__(self, *args: Any, event: Event, **options: Any) -> None:
        initial = {name: getattr(event, name) for name in EDITABLE}
        # The browser's field has minutes only. Without seconds here, an unedited value is not taken for a change.
        for name in ("starts_at", "registration_closes_at"):
            initial[name] = initial[name] and initial[name].replace(second=0, microsecond=0)
        super().__init__(*args, initial={**initial, "registration": event.registration_opens_at is not None}, **options)
        _set_zone(self)
        for name in NEEDS.keys() & self.fields.keys():
            if NEEDS[name] not in features(find(event.format)):
                del self.fields[name]

    def changes(self) -> dict[str, Any]:
        """The changed fields, from a valid form."""
        changes = {name: self.cleaned_data[name] for name in self.changed_data if name != "time_zone"}
        if "registration" in changes:
            opens = changes.pop("registration")
            changes["registration_opens_at"] = timezone.now() if opens else None
            if not opens:
                changes["registration_closes_at"] = None
        return changes
