"""Adapter that configures allauth, which manages the accounts, for this site."""

import logging
from smtplib import SMTPException
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext

from ratings.names import looks
from tournaments.operations.security_log import sign_in_failed, tell
from tournaments.web.visitors import network_of_client

log = logging.getLogger(__name__)
# Mails to an account, and to an address without an account.
_ASKED_FOR_A_RESET = ("account/email/password_reset_key", "account/email/unknown_account")


class AccountAdapter(DefaultAccountAdapter):
    """Adapter for sign-up, throttling of sign-ins, reauthentication and failing mail."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return settings.SIGN_UP_OPEN

    def clean_username(self, username: str, shallow: bool = False) -> str:  # noqa: FBT001, FBT002 - allauth's
        """Return the username. Raises ValidationError if it is taken, or looks like that of another account."""
        name = super().clean_username(username, shallow=shallow)
        look = looks(name)
        if not shallow and any(looks(other) & look for other in User.objects.values_list("username", flat=True)):
            raise ValidationError(gettext("This username looks like that of another account: choose another one."))
        return name

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        # By account alone, anyone could lock the owner out with five wrong passwords, again and again.
        return f"{super()._get_login_attempts_cache_key(request, **credentials)}:{network_of_client(request)}"

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        # By password only: a code from an app left lying about proves less. The second factor itself asks for both.
        if not (user.is_authenticated and user.has_usable_password()):
            return []
        return [{"id": "reauthenticate", "description": "", "url": reverse("account_reauthenticate")}]

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Raise ValidationError if the user must wait before the next try."""
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError:
            sign_in_failed(credentials, event="sign-in throttled")
            raise

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail in English, like all mail. A failure is logged and shown, and does not undo a sign-up."""
        if template_prefix in _ASKED_FOR_A_RESET:
            tell("password reset asked for", user=context.get("user"))
        try:
            with translation.override("en"):
                super().send_mail(template_prefix, email, context)
        except (SMTPException, OSError):
            log.exception("could not send mail to %s", email)
            messages.error(self.request, gettext(
                "The mail to %(address)s could not be sent. Contact the site's staff.") % {"address": email})
