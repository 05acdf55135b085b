"""allauth's forms for sign-in and sign-up, with labels instead of placeholders that repeat them."""

from typing import Any, ClassVar

from allauth.account.forms import AddEmailForm, LoginForm, ResetPasswordForm, SignupForm
from django.utils.translation import gettext_lazy as _

ADDRESS = _("E-mail address")


class _Labelled:
    labels: ClassVar[dict[str, Any]] = {}

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name, label in self.labels.items():
            self.fields[name].label = label
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)


class SignInForm(_Labelled, LoginForm):
    """Username or e-mail address, and password."""

    labels = {"login": _("Username or e-mail address")}


class SignUpForm(_Labelled, SignupForm):
    """A new account."""

    labels = {"email": ADDRESS, "password2": _("Repeat password")}


class ResetForm(_Labelled, ResetPasswordForm):
    """The e-mail address that receives a link for setting a new password."""

    labels = {"email": ADDRESS}


class AddressForm(_Labelled, AddEmailForm):
    """A new e-mail address for the account."""

    labels = {"email": _("New address")}
