"""Base models for matches, submissions, questions and analyses: a worker claims one attempt at a time, under a lease.

`services/shared/leases.py` has the verbs. An attempt that the infrastructure spoiled is void, and the row waits again.
"""

from typing import ClassVar, Final

from django.db import models
from django.db.models import Q

from engines.sandbox.isolation.limits import Tier
from tournaments.models.lifecycle import AttemptStatus

# A sandbox with full isolation runs any bot; all others run only bots that the site's staff uploaded.
FULL_TIER: Final = Tier.STANDARD


class Leased(models.Model):
    """Work that waits for a worker or is claimed by one. Only the newest attempt may write."""

    # The status in which a worker may claim it, and the status while a worker has it.
    WAITING: ClassVar[str]
    TAKEN: ClassVar[str]
    # Reason recorded for an attempt that is void because its lease has expired.
    LEASE_LOST: ClassVar[str]
    # Condition under which a worker of any tier may claim it: the site's staff uploaded all bots in it. It never
    # changes for a row.
    TRUSTED: ClassVar[Q]

    # Each model defines its own choices.
    status = models.CharField(max_length=10, help_text="Current status.")
    attempt = models.PositiveSmallIntegerField(default=0,
                                               help_text="Number of claims so far, which is also the fencing token.")
    lease_until = models.DateTimeField(null=True, help_text="End of the lease unless it is renewed.")
    published_at = models.DateTimeField(null=True, help_text="Time at which its ID was last put on its queue.")
    due_at = models.DateTimeField(null=True,
                                  help_text="Earliest time of the next claim; null for immediately. Moved back after "
                                            "every void attempt.")

    class Meta:
        abstract = True


class Run(models.Model):
    """One numbered attempt under a lease. At most one attempt per row counts; the others are void."""

    number = models.PositiveSmallIntegerField(help_text="Attempt number of the job at the time of the claim.")
    worker = models.CharField(max_length=120, help_text="Host and process that claimed it.")
    tier = models.CharField(max_length=20, help_text="Sandbox tier of that worker.")
    status = models.CharField(max_length=10, choices=AttemptStatus, default=AttemptStatus.RUNNING,
                              help_text="Running, counted, or void (spoiled by the infrastructure, and never a "
                                        "result).")
    reason = models.TextField(blank=True, help_text="Reason why it is void.")
    started_at = models.DateTimeField(help_text="Time of the claim.")
    ended_at = models.DateTimeField(null=True, help_text="Time at which it was counted or declared void.")

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(name="a_void_%(class)s_says_why",
                                   condition=~Q(status=AttemptStatus.VOID) | ~Q(reason="")),
        ]
