"""What a button's POST does: one verb of the service, and a sentence on the next page about what came of it."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest

from tournaments.operations.security_log import sentence_of
from tournaments.platform.refusals import Refused


def run_action(request: HttpRequest, verb: Callable[..., Any], done: str, **facts: Any) -> bool:
    """Call the verb with these facts; say that it is `done`, or why the service refuses. Whether it was done."""
    try:
        verb(**facts)
    except Refused as refusal:
        messages.error(request, sentence_of(refusal))
        return False
    messages.success(request, done)
    return True
