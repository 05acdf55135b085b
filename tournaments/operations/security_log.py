"""The security log: one line for each event that matters when an attack is investigated.

The logger is `squarefield.security`, in the site's log. Each line has the account (`user`, its ID, and `name`), the
client's address (`address`), the request (`method`, `view`, `of`) and the request's number. No line has anything that
was typed or sent: no password, token, key or e-mail address. docs/reference/security-log.md lists the events.
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

# Event logged for a response with this status that was not logged otherwise.
_BY_STATUS: Final = {403: "refused", 413: "too large", 429: "too often"}
# The parts of a URL that are logged: they identify a row. Other parts may be keys or the tokens of links.
_NOUNS: Final = ("pk", "slug", "username", "number", "seat")
_request: ContextVar[HttpRequest | None] = ContextVar("request", default=None)


def tell(event: str, *, user: Any = None, **facts: Any) -> None:
    """Log this event. `user` is the account concerned, by default the one known to make the request."""
    request = _request.get()
    who = user if user is not None else _asker(request)
    named = {"user": who.pk, "name": who.get_username()} if who is not None and who.pk else {}
    with about(**_asked(request), **named, **facts):
        log.info(event)


def refused(reason: str) -> None:
    """Log that the user may not do what they requested. The response's status is then not logged again."""
    request = _request.get()
    if request is not None:
        request.refusal_was_logged = True
    tell("refused", reason=reason)


def sentence_of(refusal: Refused) -> str:
    """Return a refusal's text for a page. A missing permission is logged here, as the page may have any status."""
    if isinstance(refusal, Forbidden):
        refused(str(refusal))
    return str(refusal)


class SecurityLogMiddleware:
    """Middleware that makes the request available to `tell`, and logs refused requests by their status."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        before = _request.set(request)
        try:
            response = self._get_response(request)
            event = _BY_STATUS.get(response.status_code)
            if event is not None and not getattr(request, "refusal_was_logged", False):
                tell(event)
        finally:
            _request.reset(before)
        return response


def refuse_forged(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Return Django's page for a form without a valid token (settings.CSRF_FAILURE_VIEW), and log the refusal."""
    refused(reason)
    return csrf_failure(request, reason)


def sign_in_failed(credentials: dict[str, Any], *, event: str = "sign-in failed") -> None:
    """Log the failure with the account, if it exists. The name as typed is not logged: it may be a password."""
    typed = str(credentials.get("username") or credentials.get("email") or credentials.get("login") or "")
    users = get_user_model().objects
    known = Q(username__iexact=typed) | Q(email__iexact=typed)
    tell(event, user=users.filter(known).first() if typed and "\0" not in typed else None)


def _asker(request: HttpRequest | None) -> Any:
    """Return the account known to make the request. Do not load it: the request may not need it at all."""
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


def _log_signal(signal: Signal, event: str, **extra: Callable[[dict[str, Any]], Any]) -> None:
    """Log this event for each of these signals."""
    def on_signal(**sent: Any) -> None:
        facts = {name: of(sent) for name, of in extra.items()}
        tell(event, user=sent.get("user"), **{name: value for name, value in facts.items() if value})
    signal.connect(on_signal, weak=False, dispatch_uid=f"squarefield.security: {event}")


def _ways(sent: dict[str, Any]) -> str:
    return "+".join(record["method"] for record in get_authentication_records(sent["request"], sent["user"]))


def listen() -> None:
    """Connect to the signals of Django and allauth. Called once, when the site starts."""
    _log_signal(auth.user_logged_in, "signed in", by=_ways)
    _log_signal(auth.user_logged_out, "signed out")
    _log_signal(account.user_signed_up, "signed up")
    _log_signal(account.password_set, "password set")
    _log_signal(account.password_changed, "password changed")
    _log_signal(account.password_reset, "password reset")
    _log_signal(account.email_added, "address added")
    _log_signal(account.email_changed, "address changed")
    _log_signal(account.email_removed, "address removed")
    _log_signal(second_factor.authentication_failed, "second factor failed")
    auth.user_login_failed.connect(_on_sign_in_failed, weak=False, dispatch_uid="squarefield.security: failed")
    account.email_confirmed.connect(_on_address_confirmed, weak=False, dispatch_uid="squarefield.security: confirmed")
    account.authentication_step_completed.connect(_on_step, weak=False, dispatch_uid="squarefield.security: step")


def _on_sign_in_failed(credentials: dict[str, Any], **_: Any) -> None:
    sign_in_failed(credentials)


def _on_address_confirmed(email_address: Any, **_: Any) -> None:
    tell("address confirmed", user=email_address.user)


def _on_step(user: Any, method: str, *, reauthenticated: bool = False, **_: Any) -> None:
    if reauthenticated:
        tell("authenticated again", user=user, by=method)
