"""The fields of an event's regulations: entrants that leave, bots to keep apart, and an arena's time."""

from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.formats.history import ANNUL, KEEP

_POLICIES: Final = ((KEEP, _("Keep their results")), (ANNUL, _("Annul below half of the games, as FIDE does")))


class RegulationsForm(forms.Form):
    """Fields with the defaults of an event; empty fields mean the defaults."""

    withdrawals = forms.ChoiceField(choices=_POLICIES, required=False, label=_("Entrants that leave"),
                                    help_text=_("Round-robins and gauntlets only."))
    apart_rounds = forms.IntegerField(
        min_value=0, required=False, label=_("First rounds without pairings of one owner or team"),
        help_text=_("Swiss only. Leave empty for no restriction. It is dropped for a round that cannot be paired "
                    "otherwise."))
    minutes = forms.IntegerField(min_value=1, required=False, label=_("Duration in minutes"),
                                 help_text=_("Arenas only. Leave empty for 60."))
    streaks = forms.BooleanField(required=False, label=_("Double points after two wins in a row (arenas only)"))

    REGULATIONS: Final[tuple[Any, ...]] = (
        (_("Regulations"), ("withdrawals", "apart_rounds", "minutes", "streaks")),)
