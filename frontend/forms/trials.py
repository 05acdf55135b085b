"""What is filled in for a trial: which version, and what it has to show."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.models import Version
from tournaments.services.ladders import trials


class TrialForm(forms.Form):
    """A trial of one of these versions. What makes no test the service refuses, in a sentence."""

    version = forms.ModelChoiceField(Version.objects.none(), empty_label=None, label=_("Try"))
    elo0 = forms.FloatField(label=_("Fails at"), initial=trials.ELO0, required=False,
                            help_text=_("Normalized Elo above the current version that is too little."))
    elo1 = forms.FloatField(label=_("Passes at"), initial=trials.ELO1, required=False,
                            help_text=_("Normalized Elo above it that is enough."))
    alpha = forms.FloatField(label=_("Risk of passing wrongly"), initial=trials.RISK, required=False)
    beta = forms.FloatField(label=_("Risk of failing wrongly"), initial=trials.RISK, required=False)
    most_pairs = forms.IntegerField(label=_("Pairs at most"), initial=trials.PAIRS, required=False,
                                    help_text=_("Of two games; afterwards it ends without a verdict."))

    def __init__(self, *args: Any, versions: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["version"].queryset = versions

    def terms(self) -> dict[str, Any]:
        """What was filled in; the rest is as usual."""
        return {name: value for name, value in self.cleaned_data.items() if value is not None}
