"""The security log: a line for whatever somebody who looks into an attack would ask for.

Logger `squarefield.security`, in the log of the site. Each line has who (`user`, the account's id, and its `name`),
from where (`address`), what was asked (`method`, `view`, `of`), and the request's number. What was typed or sent is in
none of them: no password, token, key, or mail address; docs/reference/security-log.md lists the events.
"""

import logging
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Final

from allauth.account import signals as account
from allauth.account.authentication import get_authentication_records
from allauth.mfa import signals as second_factor
from django.contrib.auth import get_user_model
from django.contrib.auth import signals as auth
from django.db.models import Q
from django.dispatch import Signal
from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject
from django.views.csrf import csrf_failure

from tournaments.platform.addresses import address_of
from tournaments.platform.logs import about
from tournaments.platform.refusals import Forbidden, Refused

log = logging.getLogger("squarefield.security")

# What a line says of an answer with this status that nobody has told of.
_BY_STATUS: Final = {403: "refused", 413: "too large", 429: "too often"}
# Of what is in an address: these name a thing that there is. Keys and links' tokens are in addresses, too.
_NOUNS: Final = ("pk", "slug", "username", "number", "seat")
_request: ContextVar[HttpRequest | None] = ContextVar("request", default=None)


def tell(event: str, *, user: Any = None, **facts: Any) -> None:
    """Write a line about this event. `user` is whom it is about, by default who is known to ask."""
    request = _request.get()
    who = user if user is not None else _asker(request)
    named = {"user": who.pk, "name": who.get_username()} if who is not None and who.pk else {}
    with about(**_asked(request), **named, **facts):
        log.info(event)


def refused(reason: str) -> None:
    """Say that the one who asks may not do what they asked for. The answer's status is then told no more."""
    request = _request.get()
    if request is not None:
        request.refusal_was_told = True
    tell("refused", reason=reason)


def sentence_of(refusal: Refused) -> str:
    """What a page says of a refusal. One of a right is told, as its page may have any status."""
    if isinstance(refusal, Forbidden):
        refused(str(refusal))
    return str(refusal)


class SecurityLogMiddleware:
    """Lets `tell` know of the request, and tells of refused ones by their status."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        before = _request.set(request)
        try:
            response = self._get_response(request)
            event = _BY_STATUS.get(response.status_code)
            if event is not None and not getattr(request, "refusal_was_told", False):
                tell(event)
        finally:
            _request.reset(before)
        return response


def refuse_forged(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's page for a form without its token (settings.CSRF_FAILURE_VIEW)."""
    refused(reason)
    return csrf_failure(request, reason)


def sign_in_failed(credentials: dict[str, Any], *, event: str = "sign-in failed") -> None:
    """Tell of it by the account, if there is one. What was typed as a name may be a password in the wrong field."""
    typed = str(credentials.get("username") or credentials.get("email") or credentials.get("login") or "")
    users = get_user_model().objects
    known = Q(username__iexact=typed) | Q(email__iexact=typed)
    tell(event, user=users.filter(known).first() if typed and "\0" not in typed else None)


def _asker(request: HttpRequest | None) -> Any:
    """Who is known to ask. Nothing is read for it: a request that nobody has asked this may go without."""
    if request is None:
        return None
    user = getattr(request, "_cached_user", None) or getattr(request, "user", None)
    return None if isinstance(user, SimpleLazyObject) else user


def _asked(request: HttpRequest | None) -> dict[str, Any]:
    if request is None:
        return {}
    facts = {"address": address_of(request), "method": request.method}
    match = request.resolver_match
    if match is not None:
        of = [str(match.kwargs[noun]) for noun in _NOUNS if noun in match.kwargs]
        facts |= {"view": match.view_name or match.route} | ({"of": " ".join(of)} if of else {})
    return facts


def _tells(signal: Signal, event: str, **extra: Callable[[dict[str, Any]], Any]) -> None:
    """Have a line written for each of these signals."""
    def hear(**sent: Any) -> None:
        facts = {name: of(sent) for name, of in extra.items()}
        tell(event, user=sent.get("user"), **{name: value for name, value in facts.items() if value})
    signal.connect(hear, weak=False, dispatch_uid=f"squarefield.security: {event}")


def _ways(sent: dict[str, Any]) -> str:
    return "+".join(record["method"] for record in get_authentication_records(sent["request"], sent["user"]))


def listen() -> None:
    """Connect to the signals of Django and allauth; done once, when the site starts."""
    _tells(auth.user_logged_in, "signed in", by=_ways)
    _tells(auth.user_logged_out, "signed out")
    _tells(account.user_signed_up, "signed up")
    _tells(account.password_set, "password set")
    _tells(account.password_changed, "password changed")
    _tells(account.password_reset, "password reset")
    _tells(account.email_added, "address added")
    _tells(account.email_changed, "address changed")
    _tells(account.email_removed, "address removed")
    _tells(second_factor.authentication_failed, "second factor failed")
    auth.user_login_failed.connect(_hear_failure, weak=False, dispatch_uid="squarefield.security: failed")
    account.email_confirmed.connect(_hear_confirmation, weak=False, dispatch_uid="squarefield.security: confirmed")
    account.authentication_step_completed.connect(_hear_step, weak=False, dispatch_uid="squarefield.security: step")


def _hear_failure(credentials: dict[str, Any], **_: Any) -> None:
    sign_in_failed(credentials)


def _hear_confirmation(email_address: Any, **_: Any) -> None:
    tell("address confirmed", user=email_address.user)


def _hear_step(user: Any, method: str, *, reauthenticated: bool = False, **_: Any) -> None:
    if reauthenticated:
        tell("authenticated again", user=user, by=method)
