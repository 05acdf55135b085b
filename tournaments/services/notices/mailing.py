"""Notices as mails: plain text, a template for each kind whose first line is the subject."""

from collections.abc import Mapping
from typing import Any, Final

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import select_template

from tournaments.models.notices import NOTICES
from tournaments.services.notices.text import visible

# Beyond the kinds that people choose: what the service has to say of itself.
SWITCHED_OFF: Final = "webhook.switched_off"
SECOND_FACTOR_TAKEN: Final = "second_factor.taken"
_LONGEST_SUBJECT: Final = 150


class Unmailable(ValueError):
    """There is no address to send to."""


def send(kind: str, payload: Mapping[str, Any], *, to: str) -> None:
    """Hand a mail to the mail server. Raises Unmailable, smtplib.SMTPException or OSError."""
    if not to:
        raise Unmailable("The account has no address for mail.")
    subject, body = text(kind, payload)
    send_mail(subject, body, settings.DEFAULT_FROM_EMAIL, [to])


def text(kind: str, payload: Mapping[str, Any]) -> tuple[str, str]:
    """Subject and body. Strangers' names in the payload are made visible: no line of theirs begins a header."""
    facts = {name: visible(value).replace("\n", " ") if isinstance(value, str) else value
             for name, value in payload.items()}
    template = select_template([f"mail/{kind}.txt", "mail/notice.txt"])
    written = template.render({
        "kind": kind, "sentence": NOTICES.get(kind, kind), "facts": facts, "site": settings.SITE_NAME,
        "base": settings.BASE_URL})
    subject, _, body = written.strip().partition("\n")
    return subject[:_LONGEST_SUBJECT], body.strip() + "\n"
