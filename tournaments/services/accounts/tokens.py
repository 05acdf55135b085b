"""Personal API tokens: creating, using and revoking them. Only the hash of a token is stored."""

import hashlib
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext

from tournaments.models import Token
from tournaments.models.lifecycle import TokenScope
from tournaments.platform.keys import TOKEN
from tournaments.platform.refusals import Refused
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.services.shared import audit
from tournaments.services.shared.locks import holding_account

LONGEST_NAME: Final = 60
MOST: Final = 50
# Each includes those after it.
SCOPES: Final = (TokenScope.EVERYTHING, TokenScope.UPLOADS, TokenScope.READING)
_BETWEEN_NOTES: Final = timedelta(minutes=1)


class TokenRefused(Refused):
    """A token cannot be created, used or revoked."""


def make_token(*, user: Any, name: str, now: datetime, expires_at: datetime | None = None,
               scope: str = TokenScope.EVERYTHING) -> tuple[Token, str]:
    """Create a token; return it with its text, which cannot be read later. Raises TokenRefused."""
    label = name.strip()
    if not 1 <= len(label) <= LONGEST_NAME:
        raise TokenRefused(gettext(
            "A token's name must have 1 to %(longest_name)s characters, not %(count)s: say what it is for."),
            longest_name=LONGEST_NAME, count=len(label))
    if expires_at is not None and expires_at <= now:
        raise TokenRefused(gettext(
            "The expiry, %(expires_at)s, has already passed: choose a later time."),
            expires_at=f"{expires_at:%Y-%m-%d %H:%M %Z}")
    text = TOKEN.make()
    with holding_account(user):
        if tokens_in_force(user, now).count() >= MOST:
            raise TokenRefused(gettext(
                "You have %(most)s valid tokens, the most allowed: revoke one that you do not use."), most=MOST)
        token = Token.objects.create(user=user, name=label, prefix=TOKEN.start_of(text), digest=digest_of(text),
                                     scope=scope, created_at=now, expires_at=expires_at)
        audit.record(actor=user, verb="make", target=token, now=now, scope=scope)
    return token, text


def revoke_token(*, token: Token, actor: Any, now: datetime) -> Token:
    """Reject the token from now on. Its owner and staff can do this. Raises Forbidden and TokenRefused."""
    if token.user_id != actor.pk and not actor.is_staff:
        raise Forbidden(gettext("The token %(token)s… is not yours: only its owner can revoke it."), token=token.prefix)
    with transaction.atomic():
        if not Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now):
            raise TokenRefused(gettext("The token %(token)s has already been revoked."), token=token)
        token.refresh_from_db()
        audit.record(actor=actor, verb="revoke", target=token, now=now)
    return token


def use_token(*, text: str, now: datetime) -> Token:
    """Return the token with this text, with its user, if it is valid. Raises TokenRefused with the reason if not."""
    token = Token.objects.select_related("user").filter(digest=digest_of(text)).first()
    if token is None:
        raise TokenRefused(gettext("Unknown token: create one on your account page."))
    if token.revoked_at is not None:
        raise TokenRefused(gettext(
            "The token %(token)s… was revoked at %(revoked_at)s: create another on your account page."),
            token=token.prefix, revoked_at=f"{token.revoked_at:%Y-%m-%d %H:%M %Z}")
    if token.expires_at is not None and token.expires_at <= now:
        raise TokenRefused(gettext(
            "The token %(token)s… expired at %(expires_at)s: create another on your account page."), token=token.prefix,
            expires_at=f"{token.expires_at:%Y-%m-%d %H:%M %Z}")
    if not token.user.is_active:
        raise TokenRefused(gettext("The account of this token is closed."))
    # Not for every request: polling every second must not write every second.
    if token.last_used_at is None or token.last_used_at <= now - _BETWEEN_NOTES:
        Token.objects.filter(pk=token.pk).update(last_used_at=now)
        token.last_used_at = now
    return token


def refuse_beyond_scope(token: Token, wanted: str) -> None:
    """Raise Forbidden unless the token's scope includes the wanted one."""
    if SCOPES.index(token.scope) > SCOPES.index(wanted):
        raise Forbidden(f"The token {token.prefix}… has the scope {token.scope}: create one with the scope {wanted} on "
                        "your account page.")


def tokens_in_force(user: Any, now: datetime) -> Any:
    """Return the user's tokens that are neither revoked nor expired, newest first."""
    return Token.objects.filter(Q(expires_at=None) | Q(expires_at__gt=now), user=user, revoked_at=None)


def digest_of(text: str) -> str:
    """Return the hash of a token, to store. A token has 238 random bits, so a plain hash cannot be reversed."""
    return hashlib.sha256(text.encode()).hexdigest()
