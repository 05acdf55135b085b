"""The form for a casual game: ruleset, board size, pace, seat and opening."""

import random
from typing import Any, Final

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from engines.rules.registry import RULESETS, find
from tournaments.models import Version
from tournaments.services.casual.games import Terms
from tournaments.services.casual.turns import PACES

_RANDOM: Final = "lot"


class PlayForm(forms.Form):
    """The terms of a game against one version."""

    ruleset = forms.ChoiceField(label=_("Ruleset"))
    size = forms.IntegerField(required=False, min_value=1, max_value=100, label=_("Board"),
                              help_text=_("Cells per side. Leave empty for the default size."))
    pace = forms.ChoiceField(label=_("Time"), choices=[(name, pace.words) for name, pace in PACES.items()],
                             initial="unhurried")
    seat = forms.ChoiceField(label=_("You play"), widget=forms.RadioSelect, initial="0",
                             choices=[("0", _("first")), ("1", _("second")), (_RANDOM, _("random"))])
    opening = forms.BooleanField(required=False, label=_("Start from a balanced opening"))

    def __init__(self, *args: Any, version: Version, **options: Any) -> None:
        super().__init__(*args, **options)
        slugs = [slug for slug in RULESETS if slug in version.rulesets]
        self.fields["ruleset"].choices = [(slug, _words(slug)) for slug in slugs]

    def terms(self) -> Terms:
        """The chosen terms, with a random seat already drawn."""
        facts = self.cleaned_data
        seat = random.randrange(2) if facts["seat"] == _RANDOM else int(facts["seat"])  # noqa: S311 - no secret
        return Terms(facts["ruleset"], facts["size"] or find(facts["ruleset"]).default_size, facts["pace"], seat,
                     facts["opening"])


def _words(slug: str) -> str:
    ruleset = find(slug)
    span = ruleset.span()
    if span is None:
        sizes = ", ".join(map(str, ruleset.sizes))
        return gettext("%(name)s (%(sizes)s; default %(usual)s)") % {
            "name": ruleset.name, "sizes": sizes, "usual": ruleset.default_size}
    facts = {"name": ruleset.name, "least": span[0], "most": span[-1], "usual": ruleset.default_size}
    if span.step == 2:
        return gettext("%(name)s (%(least)s to %(most)s, even; default %(usual)s)") % facts
    return gettext("%(name)s (%(least)s to %(most)s; default %(usual)s)") % facts
