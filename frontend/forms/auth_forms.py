"""The forms at the entrance, which are allauth's, with labels instead of placeholders that repeat them."""

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
    """Name or address, and password."""

    labels = {"login": _("Username or e-mail address")}


class SignUpForm(_Labelled, SignupForm):
    """A new account."""

    labels = {"email": ADDRESS, "password2": _("Password, again")}


class ResetForm(_Labelled, ResetPasswordForm):
    """Where to send a link that sets a new password."""

    labels = {"email": ADDRESS}


class AddressForm(_Labelled, AddEmailForm):
    """Another address for the account."""

    labels = {"email": _("New address")}
