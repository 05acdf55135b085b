"""What a POST does: one verb of the service, and a sentence about its result."""

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
    """A view to which a button or a form posts, for who is signed in."""
    return login_required(require_POST(view))


def run_action(request: HttpRequest, verb: Callable[..., Any], done: str, to: tuple[Any, ...], *,
               actor: str = "actor", names: dict[str, Any] | None = None, **facts: Any) -> HttpResponse:
    """Call the verb with these facts, `now`, and who asks as `actor`; lead on `to` an address, as `redirect` takes it.

    The page there says what is `done`, a sentence that names facts and `names`, or why the service refuses.
    """
    try:
        verb(**facts, **{actor: request.user}, now=timezone.now())
    except Refused as refusal:
        messages.error(request, sentence_of(refusal))
    else:
        messages.success(request, done % {**facts, **(names or {})})
    return redirect(*to)


def asked(request: HttpRequest, verb: Callable[..., Any], **facts: Any) -> Any:
    """What the verb returns, called with these facts and `now`. None if the service refuses: the next page says why."""
    try:
        return verb(**facts, now=timezone.now())
    except Refused as refusal:
        messages.error(request, sentence_of(refusal))
        return None


def attempt(form: Form, verb: Callable[..., Any], *, field: str | None = None, **facts: Any) -> Any:
    """What the verb returns, called with these facts and `now`. None if the service refuses: the form then says why."""
    try:
        return verb(**facts, now=timezone.now())
    except Refused as refusal:
        form.add_error(field, ValidationError(sentence_of(refusal), code=_REFUSED))
        return None


def status_of(form: Form) -> int:
    """The status of a page with this form: 409 with a refusal of the service, 400 with other errors, else 200."""
    if not form.errors:
        return 200
    return 409 if any(form.has_error(field, _REFUSED) for field in form.errors) else 400
