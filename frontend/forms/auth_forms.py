"""The forms at the entrance, which are allauth's, with labels instead of placeholders that repeat them."""

from typing import Any

from allauth.account.forms import AddEmailForm, LoginForm, ResetPasswordForm, SignupForm
from django.forms import Form
from django.utils.translation import gettext_lazy as _

ADDRESS = _("E-mail address")


class SignInForm(LoginForm):
    """Name or address, and password."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        _label(self, login=_("Username or e-mail address"))


class SignUpForm(SignupForm):
    """A new account."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        _label(self, email=ADDRESS, password2=_("Password, again"))


class ResetForm(ResetPasswordForm):
    """Where to send a link that sets a new password."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        _label(self, email=ADDRESS)


class AddressForm(AddEmailForm):
    """Another address for the account."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        _label(self, email=_("New address"))


def _label(form: Form, **labels: str) -> None:
    for name, label in labels.items():
        form.fields[name].label = label
    for field in form.fields.values():
        field.widget.attrs.pop("placeholder", None)
