"""Helpers for POST views: each calls one service function and reports its result."""

from collections.abc import Callable
from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import Form, ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from tournaments.operations.security_log import sentence_of
from tournaments.platform.refusals import Refused

_REFUSED: Final = "refused"


def button(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Restrict a view to POST requests of signed-in users."""
    return login_required(require_POST(view))


def run_action(request: HttpRequest, verb: Callable[..., Any], done: str, to: tuple[Any, ...], *,
               actor: str = "actor", names: dict[str, Any] | None = None, **facts: Any) -> HttpResponse:
    """Call the verb with these facts, `now` and the user as `actor`, then redirect; `to` are arguments of `redirect`.

    The next page shows `done`, a sentence with placeholders for the facts and `names`, or the service's refusal.
    """
    try:
        verb(**facts, **{actor: request.user}, now=timezone.now())
    except Refused as refusal:
        messages.error(request, sentence_of(refusal))
    else:
        messages.success(request, done % {**facts, **(names or {})})
    return redirect(*to)


def asked(request: HttpRequest, verb: Callable[..., Any], **facts: Any) -> Any:
    """Call the verb with these facts and `now`, and return its result; None if refused: the next page says why."""
    try:
        return verb(**facts, now=timezone.now())
    except Refused as refusal:
        messages.error(request, sentence_of(refusal))
        return None


def attempt(form: Form, verb: Callable[..., Any], *, field: str | None = None, **facts: Any) -> Any:
    """Call the verb with these facts and `now`, and return its result; None if refused: the form then says why."""
    try:
        return verb(**facts, now=timezone.now())
    except Refused as refusal:
        form.add_error(field, ValidationError(sentence_of(refusal), code=_REFUSED))
        return None


def status_of(form: Form) -> int:
    """The HTTP status of a page with this form: 409 after a refusal of the service, 400 with other errors, else 200."""
    if not form.errors:
        return 200
    return 409 if any(form.has_error(field, _REFUSED) for field in form.errors) else 400
