"""How allauth, which keeps the accounts, is told of this site's ways."""

import logging
from smtplib import SMTPException
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest
from django.utils import translation
from django.utils.translation import gettext

from tournaments.services.visitors import network_of
from tournaments.site.visitors import address_of

log = logging.getLogger(__name__)


class AccountAdapter(DefaultAccountAdapter):
    """Who may sign up, and what becomes of a mail that cannot be sent."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return settings.SIGN_UP_OPEN

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        # By account alone, five wrong passwords from anywhere would keep its owner out, as often as somebody likes.
        return f"{super()._get_login_attempts_cache_key(request, **credentials)}:{network_of(address_of(request))}"

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail, in English like all; what no mail server takes costs nobody the account just made."""
        try:
            with translation.override("en"):
                super().send_mail(template_prefix, email, context)
        except (SMTPException, OSError):
            log.exception("mail to %s could not be sent", email)
            messages.error(self.request, gettext(
                "The mail to %(address)s could not be sent: tell the site's staff.") % {"address": email})
