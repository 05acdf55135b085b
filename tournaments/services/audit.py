"""The audit log: who did what to what. Written in the transaction of the act."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Model

from tournaments.models import AuditEntry


def record(*, actor: Any, verb: str, target: Model, now: datetime, **detail: Any) -> AuditEntry:
    """Say that `actor` (a user, or None for the service itself) did `verb` to `target`.

    `detail` is what a reader needs beside: values that JSON takes. Nothing secret.
    """
    return AuditEntry.objects.create(
        at=now, actor=None if isinstance(actor, AnonymousUser) else actor, verb=verb,
        kind=target._meta.verbose_name,  # noqa: SLF001 - Django's documented way to a model's facts
        target=str(target.pk), name=str(target)[:200], detail=detail)
