"""The audit log: who did what to what. Written in the transaction of the act."""

import json
from datetime import datetime
from functools import partial
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import Model

from tournaments.models import AuditEntry
from tournaments.operations.security_log import tell

# What is done to these, and these deeds, are told in the security log as well.
_OF_SECURITY: Final = frozenset({"user", "group", "token", "webhook"})
_DEEDS_OF_SECURITY: Final = frozenset({"ban", "lift the ban of", "set quotas of"})


def record(*, actor: Any, verb: str, target: Model, now: datetime, **detail: Any) -> AuditEntry:
    """Say that `actor` (a user, or None for the service itself) did `verb` to `target`.

    `detail` is what a reader needs beside: values that JSON takes. Nothing secret.
    """
    entry = AuditEntry.objects.create(
        at=now, actor=None if isinstance(actor, AnonymousUser) else actor, verb=verb,
        # In English, whatever language the page is in that this was done on.
        kind=target._meta.verbose_name_raw,  # noqa: SLF001 - Django's documented way to a model's facts
        target=str(target.pk), name=str(target)[:200], detail=detail)
    if entry.kind in _OF_SECURITY or entry.verb in _DEEDS_OF_SECURITY:
        # Names and details may have what is not for a log: a webhook's address, a ban's reason.
        changed = {"changed": json.dumps(detail["changed"])} if "changed" in detail else {}
        transaction.on_commit(partial(tell, f"{verb} {entry.kind}", user=entry.actor, target=entry.target, **changed))
    return entry
