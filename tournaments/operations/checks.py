"""System checks of the site's settings, which `manage.py check` and every start run."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

_HOW = ("Set SQUAREFIELD_PUSH_KEY to the output of `manage.py make_push_key` "
        "(docs/how-to/operator/push-notifications.md).")


@register
def push_key_is_valid(**_: Any) -> list[CheckMessage]:
    """Refuse a malformed key for push messages."""
    if not settings.PUSH_KEY:
        return []
    from tournaments.platform.web_push import private_key  # noqa: PLC0415 - cryptography takes time to load

    try:
        private_key(settings.PUSH_KEY)
    except ValueError as error:
        return [Error(f"SQUAREFIELD_PUSH_KEY is malformed: {error}.", hint=_HOW, id="squarefield.E001")]
    return []


@register(deploy=True)
def push_key_is_set(**_: Any) -> list[CheckMessage]:
    """Warn of a site without a key for push messages."""
    if settings.PUSH_KEY:
        return []
    return [Warning("Users cannot switch on push messages, because SQUAREFIELD_PUSH_KEY is not set.", hint=_HOW,
                    id="squarefield.W001")]
