"""Second factor of an account: codes of an authenticator app (TOTP, RFC 6238), and recovery codes.

allauth has the rows and asks for a code at sign-in; whether a code is valid is decided here (decisions 0020 and 0025).
A code of the app is accepted once, in its own half-minute, the one before or the one after; a recovery code is accepted
once. The app's secret is encrypted; recovery codes are hashed like passwords.
"""

import logging
import re
import secrets
import string
from base64 import b32decode, b32encode
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from allauth.mfa.models import Authenticator
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.hotp import HOTP
from django.contrib.auth.hashers import check_password, make_password
from django.db import transaction
from django.utils.translation import gettext

from tournaments.platform.encryption import Unsealable, encrypt, reseal, unseal
from tournaments.platform.refusals import Refused
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.services.notices import outbox
from tournaments.services.shared import audit
from tournaments.services.shared.locks import holding_account

log = logging.getLogger(__name__)
RECOVERY_CODES: Final = 10
STEP_SECONDS: Final = 30
_SECRET_BYTES: Final = 20
_DIGITS: Final = 6
# Allows for a code typed as it changes, and for clocks that differ (RFC 6238, section 5.2).
_STEPS_EITHER_SIDE: Final = 1
# No characters that are easily confused; ten of these have 49 random bits.
_ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"
_HALF: Final = 5
_APPS_CODE: Final = re.compile(r"[0-9]{6}")
_RECOVERY_CODE: Final = re.compile(f"[{_ALPHABET}]{{{2 * _HALF}}}")
# Users type codes in groups and in capitals.
_BETWEEN: Final = str.maketrans("", "", string.punctuation + string.whitespace)
_TOTP, _RECOVERY = Authenticator.Type.TOTP, Authenticator.Type.RECOVERY_CODES


class SecondFactorRefused(Refused):
    """A second factor cannot be switched on, used or removed."""


class WrongCode(SecondFactorRefused):
    """The code is not one of this account's, or is no longer valid."""


@dataclass(frozen=True, slots=True)
class SecondFactor:
    """Facts about a second factor that its owner is shown."""

    since: datetime
    last_used_at: datetime | None
    codes_left: int


def is_on(user: Any) -> bool:
    """Return whether this account requires a code at sign-in."""
    return Authenticator.objects.filter(user=user.pk, type=_TOTP).exists()


def second_factor_of(user: Any) -> SecondFactor | None:
    """Return the account's second factor; None if it has none."""
    rows = {row.type: row for row in Authenticator.objects.filter(user=user.pk)}
    if _TOTP not in rows:
        return None
    used = [row.last_used_at for row in rows.values() if row.last_used_at]
    return SecondFactor(rows[_TOTP].created_at, max(used, default=None),
                        len(rows[_RECOVERY].data["hashes"]) if _RECOVERY in rows else 0)


def new_secret() -> str:
    """Return a secret for an authenticator app: 160 bits in base 32."""
    return b32encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def code_at(secret: str, step: int) -> str:
    """Return the six digits that an app with this secret shows in this half-minute since 1970."""
    return HOTP(b32decode(secret), _DIGITS, SHA1()).generate(step).decode()  # noqa: S303 - as RFC 6238 and apps require


def step_of(now: datetime) -> int:
    """Return the number of half-minutes since 1970."""
    return int(now.timestamp()) // STEP_SECONDS


def switch_on(*, user: Any, secret: str, code: str, password: str, now: datetime) -> list[str]:
    """Require codes of the app with this secret from now on; return recovery codes, which cannot be read later.

    `code` proves that the app has the secret. `password` is the account's, which the caller has checked: rehashing it
    ends all sessions that were opened without a second factor. Raises WrongCode and SecondFactorRefused.
    """
    step = _step_showing(_normalized(code), secret, now)
    if step is None:
        raise WrongCode(gettext("The code is not the one that the app shows for this secret now: check your device's "
                                "clock and enter the current code."))
    codes = _new_codes()
    hashes = _hashed(codes)
    with holding_account(user):
        if is_on(user):
            raise SecondFactorRefused(gettext("Your second factor is already on."))
        Authenticator.objects.create(user=user, type=_TOTP, created_at=now,
                                     data={"secret": encrypt(secret), "last_step": step})
        Authenticator.objects.create(user=user, type=_RECOVERY, created_at=now, data={"hashes": hashes})
        _end_sessions(user, password)
        audit.record(actor=user, verb="switch on the second factor of", target=user, now=now)
    return codes


def use_code(*, user: Any, code: str, now: datetime) -> Authenticator:
    """Accept a code of the app, or a recovery code, once; return the row that it belongs to. Raises WrongCode."""
    given = _normalized(code)
    row = None
    if _APPS_CODE.fullmatch(given):
        row = _use_apps_code(user, given, now)
    elif _RECOVERY_CODE.fullmatch(given):
        row = _use_recovery_code(user, given, now)
    if row is None:
        raise WrongCode(gettext("This code is wrong or was used before: enter another. The app shows a new one every "
                                "30 seconds."))
    return row


def renew_codes(*, user: Any, now: datetime) -> list[str]:
    """Replace the recovery codes; return the new ones, which cannot be read later. Raises SecondFactorRefused."""
    codes = _new_codes()
    hashes = _hashed(codes)
    with holding_account(user):
        _refuse_without(user)
        Authenticator.objects.update_or_create(user=user, type=_RECOVERY,
                                               defaults={"data": {"hashes": hashes}, "created_at": now})
        audit.record(actor=user, verb="renew the recovery codes of", target=user, now=now)
    return codes


def switch_off(*, user: Any, password: str, now: datetime) -> None:
    """Require no code from now on. `password`, which the caller has checked, is rehashed: other sessions end.

    Raises SecondFactorRefused.
    """
    with holding_account(user):
        _refuse_without(user)
        Authenticator.objects.filter(user=user).delete()
        _end_sessions(user, password)
        audit.record(actor=user, verb="switch off the second factor of", target=user, now=now)


def take_away(*, user: Any, actor: Any, now: datetime) -> None:
    """Remove the second factor of a user who has lost it, and notify them by mail.

    `actor` is None for the operator. Raises Forbidden and SecondFactorRefused.
    """
    if actor is not None and user.is_superuser and not actor.is_superuser:
        raise Forbidden(gettext("Only a superuser can remove a superuser's second factor."))
    with holding_account(user):
        if not Authenticator.objects.filter(user=user).delete()[0]:
            raise SecondFactorRefused(gettext("%(user)s has no second factor."), user=user)
        audit.record(actor=actor, verb="take away the second factor of", target=user, now=now)
        outbox.mail("second_factor.taken", user, payload={}, now=now)


def reseal_all() -> tuple[int, list[str]]:
    """Re-encrypt every secret with the newest key.

    Return how many were re-encrypted, and the names of accounts whose secret no key decrypts.
    """
    done, lost = 0, []
    for pk in Authenticator.objects.filter(type=_TOTP).order_by("pk").values_list("pk", flat=True):
        with transaction.atomic():
            # Switched off in the meantime: nothing to encrypt.
            row = Authenticator.objects.select_for_update(of=("self",)).select_related("user").filter(pk=pk).first()
            if row is None:
                continue
            try:
                row.data["secret"] = reseal(row.data["secret"])
            except Unsealable:
                lost.append(row.user.get_username())
                continue
            row.save(update_fields=["data"])
            done += 1
    return done, lost


def _use_apps_code(user: Any, given: str, now: datetime) -> Authenticator | None:
    with transaction.atomic():
        row = Authenticator.objects.select_for_update().filter(user=user, type=_TOTP).first()
        if row is None:
            return None
        try:
            secret = unseal(row.data["secret"])
        except Unsealable:
            log.exception("second factor of account %s not decrypted: is its key among the fallbacks?", user.pk)
            return None
        step = _step_showing(given, secret, now, after=row.data["last_step"])
        if step is None:
            return None
        # It only grows: no code up to this one is accepted again.
        row.data["last_step"] = step
        row.last_used_at = now
        row.save(update_fields=["data", "last_used_at"])
    return row


def _use_recovery_code(user: Any, given: str, now: datetime) -> Authenticator | None:
    row = Authenticator.objects.filter(user=user, type=_RECOVERY).first()
    # Compared before the row is locked: this takes as long as checking ten passwords.
    found = next((each for each in row.data["hashes"] if check_password(given, each)), None) if row else None
    if found is None:
        return None
    with transaction.atomic():
        row = Authenticator.objects.select_for_update().filter(user=user, type=_RECOVERY).first()
        if row is None or found not in row.data["hashes"]:
            return None
        row.data["hashes"].remove(found)
        row.last_used_at = now
        row.save(update_fields=["data", "last_used_at"])
        audit.record(actor=user, verb="use a recovery code of", target=user, now=now, left=len(row.data["hashes"]))
    return row


def _step_showing(given: str, secret: str, now: datetime, after: int = -1) -> int | None:
    """Return the half-minute near now, and later than `after`, in which the app shows this code, or None."""
    step = step_of(now)
    return next((near for near in range(step - _STEPS_EITHER_SIDE, step + _STEPS_EITHER_SIDE + 1)
                 if near > after and _is_same(code_at(secret, near), given)), None)


def _normalized(code: str) -> str:
    """Return a code without spaces and punctuation, in lower case."""
    return code.translate(_BETWEEN).lower()


def _is_same(expected: str, given: str) -> bool:
    return secrets.compare_digest(expected.encode(), given.encode("utf-8", "surrogatepass"))


def _new_codes() -> list[str]:
    halves = ["".join(secrets.choice(_ALPHABET) for _ in range(_HALF)) for _ in range(2 * RECOVERY_CODES)]
    return [f"{first}-{second}" for first, second in zip(halves[::2], halves[1::2], strict=True)]


def _hashed(codes: Iterable[str]) -> list[str]:
    return [make_password(_normalized(code)) for code in codes]


def _refuse_without(user: Any) -> None:
    if not is_on(user):
        raise SecondFactorRefused(gettext("Your second factor is off: switch it on first."))


def _end_sessions(user: Any, password: str) -> None:
    """Rehash the password: a session is valid for the hash that it was opened with, and a password has many."""
    user.set_password(password)
    user.save(update_fields=["password"])
