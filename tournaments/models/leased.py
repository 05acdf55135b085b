"""What matches, submissions and questions have in common: a worker takes them, one attempt at a time, under a lease.

`services/shared/leases.py` has the verbs. An attempt that the infrastructure spoiled is void, and the row waits again.
"""

from typing import ClassVar, Final

from django.db import models
from django.db.models import Q

from engines.sandbox.isolation.limits import Tier
from tournaments.models.lifecycle import AttemptStatus

# A sandbox with all its walls runs anybody's bot; any other only those that the site's staff uploaded.
FULL_TIER: Final = Tier.STANDARD


class Leased(models.Model):
    """Work that waits for a worker, or is in the hands of one. Only the newest attempt may write."""

    # The status in which a worker may take it, and the one in which a worker has it.
    WAITING: ClassVar[str]
    TAKEN: ClassVar[str]
    # Why an attempt is void that comes too late.
    LEASE_LOST: ClassVar[str]

    # Each model says which ones there are.
    status = models.CharField(max_length=10, help_text="Where it is in its life.")
    attempt = models.PositiveSmallIntegerField(default=0, help_text="How often it has been claimed: the fencing token.")
    lease_until = models.DateTimeField(null=True, help_text="Until when the claim holds without renewal.")
    published_at = models.DateTimeField(null=True, help_text="When its id was last put on its queue.")
    due_at = models.DateTimeField(null=True, help_text="Not to be claimed before; empty for at once. Later after each "
                                                       "attempt that was void.")

    class Meta:
        abstract = True


class Run(models.Model):
    """One numbered attempt under a lease. At most one of a row's counts; the others are void."""

    number = models.PositiveSmallIntegerField(help_text="The job's attempt number when it was claimed.")
    worker = models.CharField(max_length=120, help_text="Host and process that claimed it.")
    tier = models.CharField(max_length=20, help_text="The sandbox tier of that worker.")
    status = models.CharField(max_length=10, choices=AttemptStatus, default=AttemptStatus.RUNNING,
                              help_text="Running, counted, or void: spoiled by the infrastructure, never a result.")
    reason = models.TextField(blank=True, help_text="Why it is void.")
    started_at = models.DateTimeField(help_text="When it was claimed.")
    ended_at = models.DateTimeField(null=True, help_text="When it was counted or found void.")

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(name="a_void_%(class)s_says_why",
                                   condition=~Q(status=AttemptStatus.VOID) | ~Q(reason="")),
        ]
