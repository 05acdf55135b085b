"""The form for a trial: the candidate and the parameters of the test."""

from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from frontend.text.wording import percent
from ratings.power import power
from ratings.sprt import Bounds
from tournaments.models import Version
from tournaments.services.ladders import trials


class TrialForm(forms.Form):
    """A trial of one of these versions. The service refuses parameters that do not make a valid test."""

    version = forms.ModelChoiceField(Version.objects.none(), empty_label=None, label=_("Candidate"))
    others = forms.ModelMultipleChoiceField(Version.objects.none(), required=False, label=_("More candidates"),
                                            help_text=_("Up to seven. The best candidate is selected first, and then "
                                                        "tried."))
    elo0 = forms.FloatField(label=_("Fails at"), initial=trials.ELO0, required=False,
                            help_text=_("Lead over the current version that is too small, in normalized Elo."))
    elo1 = forms.FloatField(label=_("Passes at"), initial=trials.ELO1, required=False,
                            help_text=_("Lead over the current version that is large enough, in normalized Elo."))
    alpha = forms.FloatField(label=_("Risk of a wrong pass"), initial=trials.RISK, required=False)
    beta = forms.FloatField(label=_("Risk of a wrong failure"), initial=trials.RISK, required=False)
    most_pairs = forms.IntegerField(label=_("Maximum pairs"), initial=trials.PAIRS, required=False)

    def __init__(self, *args: Any, versions: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name in ("version", "others"):
            self.fields[name].queryset = versions
        usual = power(Bounds(trials.ELO0, trials.ELO1, trials.RISK, trials.RISK), trials.PAIRS, trials.ELO1)
        self.fields["most_pairs"].help_text = gettext(
            "Pairs of two games; after the last, it ends without a verdict. With the default values, %(passed)s of the "
            "candidates with the larger lead pass, and %(undecided)s get no verdict.") % {
                "passed": percent(usual.passed), "undecided": percent(usual.inconclusive)}

    def terms(self) -> dict[str, Any]:
        """The values that were entered; the service has defaults for the rest."""
        return {name: value for name, value in self.cleaned_data.items() if value is not None}
