"""The fields of an event's regulations: entrants that leave, come late or sit rounds out, and bots to keep apart."""

from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.formats.history import ANNUL, KEEP

_POLICIES: Final = ((KEEP, _("Keep their results")), (ANNUL, _("Annul below half of the games, as FIDE does")))


class RegulationsForm(forms.Form):
    """Fields with the defaults of an event; empty fields mean the defaults."""

    withdrawals = forms.ChoiceField(choices=_POLICIES, required=False, label=_("Entrants that leave"),
                                    help_text=_("Round-robins and gauntlets only."))
    late_rounds = forms.IntegerField(min_value=0, required=False, label=_("Rounds that late entrants can miss"),
                                     help_text=_("Swiss only. Leave empty for no late entries."))
    byes_allowed = forms.IntegerField(min_value=0, required=False, label=_("Byes that an entrant can request"),
                                      help_text=_("Swiss only. Leave empty for none."))
    bye_points = forms.TypedChoiceField(choices=(("0.0", "0"), ("0.5", "½")), coerce=float, empty_value=0.0,
                                        required=False, label=_("Points for a requested bye or a missed round"))
    apart_rounds = forms.IntegerField(
        min_value=0, required=False, label=_("First rounds without pairings of one owner or team"),
        help_text=_("Swiss only. Leave empty for no restriction. It is dropped for a round that cannot be paired "
                    "otherwise."))
    confirm_rounds = forms.BooleanField(required=False, label=_("Each round waits until I have confirmed its pairings"),
                                        help_text=_("Swiss only."))
    minutes = forms.IntegerField(min_value=1, required=False, label=_("Duration in minutes"),
                                 help_text=_("Arenas only. Leave empty for 60."))
    streaks = forms.BooleanField(required=False, label=_("Double points after two wins in a row (arenas only)"))

    REGULATIONS: Final[tuple[Any, ...]] = (
        (_("Regulations"), ("withdrawals", "late_rounds", "byes_allowed", "bye_points", "apart_rounds",
                            "confirm_rounds", "minutes", "streaks")),)
