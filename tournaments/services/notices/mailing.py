"""Notices as plain-text mails, from the subject and text of their kind."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.template import Context, Template
from django.template.loader import render_to_string

from tournaments.platform.text import visible
from tournaments.services.notices.kinds import KINDS

_LONGEST_SUBJECT: Final = 150


class Unmailable(ValueError):
    """The account has no e-mail address."""


def send(kind: str, payload: Mapping[str, Any], *, to: str, number: int, token: str = "") -> None:
    """Hand a mail to the mail server. `number` identifies it, so that a repeated mail can be recognised.

    `token` makes the address at which mail programs can unsubscribe the receiver (RFC 8058). Raises Unmailable,
    smtplib.SMTPException or OSError.
    """
    if not to:
        raise Unmailable("The account has no e-mail address.")
    ending = f"{settings.BASE_URL}/unsubscribe/{token}/" if token else ""
    headers = {"Message-ID": f"<notice-{number}@{urlsplit(settings.BASE_URL).hostname}>"}
    if ending:
        headers |= {"List-Unsubscribe": f"<{ending}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
    subject, body = text(kind, payload, ending)
    EmailMessage(subject, body, settings.DEFAULT_FROM_EMAIL, [to], headers=headers).send()


def text(kind: str, payload: Mapping[str, Any], ending: str = "") -> tuple[str, str]:
    """Return subject and body. User-supplied names are made visible and one-line, so that none can begin a header."""
    facts = {name: visible(value).replace("\n", " ") if isinstance(value, str) else value
             for name, value in payload.items()} | {"site": settings.SITE_NAME, "base": settings.BASE_URL}
    about = KINDS[kind]
    subject, said = (Template(part).render(Context(facts, autoescape=False)) for part in (about.subject, about.text))
    written = render_to_string("mail/notice.txt", {
        "subject": subject, "text": said, "chosen": about.when and not about.staff, "ending": ending,
        "site": facts["site"], "base": facts["base"]})
    subject, _, body = written.strip().partition("\n")
    return subject[:_LONGEST_SUBJECT], body.strip() + "\n"
