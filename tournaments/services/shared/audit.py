"""Audit log: who did what to which object. Entries are written in the transaction of the action."""

import json
from datetime import datetime
from functools import partial
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import Model

from tournaments.models import AuditEntry
from tournaments.operations.security_log import tell

# Actions on these kinds of object, and these verbs, are also written to the security log.
_OF_SECURITY: Final = frozenset({"user", "group", "token", "webhook"})
_DEEDS_OF_SECURITY: Final = frozenset({"ban", "lift the ban of", "set quotas of"})


def record(*, actor: Any, verb: str, target: Model, now: datetime, **detail: Any) -> AuditEntry:
    """Record that `actor` (a user, or None for the service itself) did `verb` to `target`.

    `detail` is further JSON-compatible context for readers. It must not contain secrets.
    """
    entry = AuditEntry.objects.create(
        at=now, actor=None if isinstance(actor, AnonymousUser) else actor, verb=verb,
        # Always in English, regardless of the language of the page.
        kind=target._meta.verbose_name_raw,  # noqa: SLF001 - documented Django API
        target=str(target.pk), name=str(target)[:200], detail=detail)
    if entry.kind in _OF_SECURITY or entry.verb in _DEEDS_OF_SECURITY:
        # Names and details may contain data that must not be logged: a webhook's URL, the reason for a ban.
        changed = {"changed": json.dumps(detail["changed"])} if "changed" in detail else {}
        transaction.on_commit(partial(tell, f"{verb} {entry.kind}", user=entry.actor, target=entry.target, **changed))
    return entry
