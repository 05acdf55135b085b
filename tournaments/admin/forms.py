"""Forms whose judge is the service: what it refuses is said beside the form, and nothing is saved."""

from typing import Any

from django import forms
from django.db.models import Model

from tournaments.services.errors import Refused


class VerbForm(forms.ModelForm):
    """A form that creates its object by a verb of the service instead of saving a row itself."""

    def perform(self) -> Model:
        """Call the verb with `self.cleaned_data`. May raise Refused."""
        raise NotImplementedError

    def is_valid(self) -> bool:
        """Fields first; then the verb itself, whose refusal is an error of the form."""
        if not super().is_valid():
            return False
        try:
            self.instance = self.perform()
        except Refused as refusal:
            self.add_error(None, str(refusal))
            return False
        return True

    def save(self, commit: bool = True) -> Any:
        self.save_m2m = lambda: None
        return self.instance


def performed_by(form: type[VerbForm], user: Any) -> type[VerbForm]:
    """The form class with the signed-in user at hand as `self.user`."""
    return type(form.__name__, (form,), {"user": user})
