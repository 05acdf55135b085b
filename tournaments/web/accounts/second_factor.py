"""Adapter between allauth, which asks for a code after the password, and `services.accounts.second_factor`.

Needed because docs/explanation/security.md promises that each code works once and that guessing is slow, even if the
cache is lost; allauth itself remembers used codes in the cache only (decision 0020).
"""

from datetime import datetime
from typing import Any, Final

from allauth.account.adapter import get_adapter
from allauth.core import ratelimit
from allauth.mfa import signals
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from django.utils.translation import gettext

from tournaments.platform.encryption import encrypt, unseal
from tournaments.services.accounts.second_factor import SecondFactorRefused, WrongCode, use_code

# A longer label makes the QR code too fine for cameras.
_LONGEST_LABEL: Final = 40
# Ten recovery codes are compared, each as slowly as a password.
_LONGEST_JUDGEMENT_SECONDS: Final = 60


class TooManyCodes(SecondFactorRefused):
    """Too many wrong codes were sent from this address, or for this account."""


class SecondFactorAdapter(DefaultMFAAdapter):
    """Adapter for the label of the account in authenticator apps, and for the encryption of its secret."""

    def get_totp_label(self, user: Any) -> str:
        """Return the username, and not the e-mail address, because apps display it."""
        return user.get_username()[:_LONGEST_LABEL]

    def get_totp_issuer(self) -> str:
        return settings.SITE_NAME

    def encrypt(self, text: str) -> str:
        return encrypt(text)

    def decrypt(self, encrypted_text: str) -> str:
        return unseal(encrypted_text)


def try_code(request: HttpRequest, *, user: Any, code: str, now: datetime) -> Authenticator:
    """Accept the code, or count a failure. Raises WrongCode and TooManyCodes.

    Failures count together with wrong passwords by address, and by account from any address: an attacker who gets here
    has the password, and could soon guess six digits from a thousand addresses. A correct code changes no count.
    """
    key = f"second-factor:{user.pk}"
    # One code at a time per account, so that each failure is counted before the next code is checked.
    if not cache.add(key, 1, _LONGEST_JUDGEMENT_SECONDS):
        raise _too_many()
    try:
        if not ratelimit.consume(request, action="login_failed", key=key, dry_run=True):
            raise _too_many()
        return use_code(user=user, code=code, now=now)
    except WrongCode:
        ratelimit.consume(request, action="login_failed", key=key)
        signals.authentication_failed.send(sender=Authenticator, request=request, user=user, authenticator=None,
                                           reauthentication=request.user.is_authenticated)
        raise
    finally:
        cache.delete(key)


def _too_many() -> TooManyCodes:
    return TooManyCodes(gettext("Too many wrong codes. Wait a few minutes, then try again."))


def tell(user: Any, what: str, **facts: Any) -> None:
    """Notify the account by mail that its second factor changed or was used (account/email/second_factor_*)."""
    get_adapter().send_notification_mail(f"account/email/second_factor_{what}", user, facts)
