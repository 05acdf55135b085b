"""Attempts at claimed work: kept alive by a heartbeat, and void if an infrastructure fault spoils them."""

import logging
from collections.abc import Callable
from typing import Any, TypeVar

from engines.referee.host import HostStarved
from engines.sandbox import SandboxError
from tournaments.services.shared.leases import Lease, LeaseLost
from tournaments.worker.backoff import SandboxBackoff
from tournaments.worker.heartbeat import Heartbeat

log = logging.getLogger(__name__)

Made = TypeVar("Made")


def attempt(lease: Lease[Any], work: Callable[[Heartbeat], Made], *, void: Callable[..., object],
            rest: SandboxBackoff) -> Made | None:
    """Return the result of `work`, which is never None; None if the attempt is lost or void, and so has no result.

    `void` is called with the lease and the reason; `rest` is notified if the sandbox or the worker failed.
    """
    what = name_of(lease)
    try:
        with Heartbeat(lease, what) as heartbeat:
            return work(heartbeat)
    except LeaseLost as lost:
        # The process that took the lease away has judged the attempt.
        log.warning("%s: %s", what, lost)
    except HostStarved as starved:
        log.warning("%s void: %s", what, starved)
        void(lease, f"the host was starved: {starved}")
    except SandboxError as fault:
        log.warning("%s void: %s", what, fault)
        rest.failed()
        void(lease, f"the sandbox failed: {fault}")
    except Exception as error:
        # An error of the worker must never count as a result; Celery logs it with its traceback.
        rest.failed()
        void(lease, f"the worker failed: {type(error).__name__}: {error}")
        raise
    return None


def name_of(lease: Lease[Any]) -> str:
    """Return the name of the attempt for the log, such as "match 7, attempt 2"."""
    return f"{lease.work._meta.verbose_name} {lease.work.pk}, attempt {lease.number}"  # noqa: SLF001 - documented API
