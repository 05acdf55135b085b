"""How allauth, which keeps the accounts, is told of this site's ways."""

import logging
from smtplib import SMTPException
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext

from tournaments.operations.security_log import sign_in_failed, tell
from tournaments.web.visitors import network_of_client

log = logging.getLogger(__name__)
# Mails to an account, and to an address that none has.
_ASKED_FOR_A_RESET = ("account/email/password_reset_key", "account/email/unknown_account")


class AccountAdapter(DefaultAccountAdapter):
    """Who may sign up, and what becomes of a mail that cannot be sent."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return settings.SIGN_UP_OPEN

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        # By account alone, five wrong passwords from anywhere would keep its owner out, as often as somebody likes.
        return f"{super()._get_login_attempts_cache_key(request, **credentials)}:{network_of_client(request)}"

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        # By the password only: a code of an app that lies about shows less. The second factor itself asks for both.
        if not (user.is_authenticated and user.has_usable_password()):
            return []
        return [{"id": "reauthenticate", "description": "", "url": reverse("account_reauthenticate")}]

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Let nobody try who has to wait. Raises ValidationError."""
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError:
            sign_in_failed(credentials, event="sign-in throttled")
            raise

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail, in English like all; what no mail server takes costs nobody the account just made."""
        if template_prefix in _ASKED_FOR_A_RESET:
            tell("password reset asked for", user=context.get("user"))
        try:
            with translation.override("en"):
                super().send_mail(template_prefix, email, context)
        except (SMTPException, OSError):
            log.exception("mail to %s could not be sent", email)
            messages.error(self.request, gettext(
                "The mail to %(address)s could not be sent: tell the site's staff.") % {"address": email})
