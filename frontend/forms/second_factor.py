"""The forms of the second factor: the code at sign-in, and password with code for changing it."""

from typing import Any

from allauth.account.forms import ReauthenticateForm
from allauth.core import context
from allauth.mfa.base.forms import AuthenticateForm
from allauth.mfa.models import Authenticator
from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tournaments.services.accounts.second_factor import SecondFactorRefused
from tournaments.web.accounts.second_factor import tell, try_code

_LONGEST_CODE = 40
_AS_TYPED = {"autocomplete": "one-time-code", "autocapitalize": "none", "spellcheck": "false"}


class SecondStepForm(AuthenticateForm):
    """A code from the app or a recovery code, asked for at sign-in."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["code"] = _code(_("Code"), _("The six-digit code from your app, or a recovery code."),
                                    autofocus="")

    def clean_code(self) -> str:
        """Check the code and mark it as used."""
        try:
            self.authenticator = try_code(context.request, user=self.user, code=self.cleaned_data["code"],
                                          now=timezone.now())
        except SecondFactorRefused as refusal:
            raise ValidationError(str(refusal)) from None
        return self.cleaned_data["code"]

    def save(self) -> None:
        """Record the authentication method, and notify the user if it was a recovery code."""
        super().save()
        if self.authenticator.type == Authenticator.Type.RECOVERY_CODES:
            tell(self.user, "recovered", left=len(self.authenticator.data["hashes"]))


class ChangeForm(ReauthenticateForm):
    """Password and code together, so that a stolen password or an unattended browser alone is not enough."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["password"].label = _("Your password")
        self.fields["password"].widget.attrs.pop("placeholder", None)
        self.fields["code"] = _code(_("Code"), _("From your app, or a recovery code."))


class SwitchOnForm(ChangeForm):
    """Password and code. The code proves that the app has the secret."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["code"] = _code(_("Code"), _("The six-digit code from your app."), inputmode="numeric")


def _code(label: Any, help_text: Any, **attributes: str) -> forms.CharField:
    return forms.CharField(label=label, help_text=help_text, max_length=_LONGEST_CODE,
                           widget=forms.TextInput(attrs={**_AS_TYPED, **attributes}))
