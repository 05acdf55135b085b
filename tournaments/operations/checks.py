"""System checks of the site's settings, which `manage.py check` and every start run."""

from typing import Any

from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, register

_HOW = ("Set SQUAREFIELD_PUSH_KEY to the output of `manage.py make_push_key` "
        "(docs/how-to/operator/push-notifications.md).")


@register
def push_key_is_valid(**_: Any) -> list[CheckMessage]:
    """Refuse a malformed key for push messages."""
    if not settings.PUSH_KEY:
        return []
    from tournaments.platform.messaging.web_push import private_key

    try:
        private_key(settings.PUSH_KEY)
    except ValueError as error:
        return [checks.Error(f"SQUAREFIELD_PUSH_KEY is malformed: {error}.", hint=_HOW, id="squarefield.E001")]
    return []


@register(deploy=True)
def push_key_is_set(**_: Any) -> list[CheckMessage]:
    """Report a site without a key for push messages."""
    if settings.PUSH_KEY:
        return []
    return [checks.Info("Users cannot switch on push messages, because SQUAREFIELD_PUSH_KEY is not set.", hint=_HOW,
                        id="squarefield.I001")]
