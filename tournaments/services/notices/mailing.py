"""Notices as mails: plain text, by the kind's subject and text."""

from collections.abc import Mapping
from typing import Any, Final

from django.conf import settings
from django.core.mail import send_mail
from django.template import Context, Template
from django.template.loader import render_to_string

from tournaments.platform.text import visible
from tournaments.services.notices.kinds import KINDS

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
             for name, value in payload.items()} | {"site": settings.SITE_NAME, "base": settings.BASE_URL}
    about = KINDS[kind]
    subject, said = (Template(part).render(Context(facts, autoescape=False)) for part in (about.subject, about.text))
    written = render_to_string("mail/notice.txt", {
        "subject": subject, "text": said, "chosen": about.when, "site": facts["site"], "base": facts["base"]})
    subject, _, body = written.strip().partition("\n")
    return subject[:_LONGEST_SUBJECT], body.strip() + "\n"
