"""An attempt at what a worker has claimed: kept alive while it goes on, and void when the infrastructure spoils it."""

import logging
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from engines.referee.host import HostStarved
from engines.sandbox import SandboxError
from tournaments.platform.clock import shared_now
from tournaments.services.shared.leases import Lease, LeaseLost, renew
from tournaments.worker.backoff import SandboxBackoff
from tournaments.worker.heartbeat import Heartbeat

log = logging.getLogger(__name__)

Made = TypeVar("Made")


def attempt(lease: Lease[Any], work: Callable[[Heartbeat], Made], *, void: Callable[..., object],
            rest: SandboxBackoff) -> Made | None:
    """What `work` makes, which is never None; None when the attempt is lost or void, and so nobody's result.

    `void` is given the lease, the reason and the time; `rest` is told when the sandbox has failed, or something of
    ours.
    """
    what = name_of(lease)
    try:
        with Heartbeat(partial(renew, lease), what) as heartbeat:
            return work(heartbeat)
    except LeaseLost as lost:
        # Whoever took it has judged the attempt.
        log.warning("%s: %s", what, lost)
    except HostStarved as starved:
        log.warning("%s is void: %s", what, starved)
        void(lease, f"the host was starved: {starved}", shared_now())
    except SandboxError as fault:
        log.warning("%s is void: %s", what, fault)
        rest.failed()
        void(lease, f"the sandbox failed: {fault}", shared_now())
    except Exception as error:
        # A fault of ours, whatever it is, must not be a result; Celery logs it with its traceback.
        rest.failed()
        void(lease, f"the worker failed: {type(error).__name__}: {error}", shared_now())
        raise
    return None


def name_of(lease: Lease[Any]) -> str:
    """The attempt in the log, such as "match 7, attempt 2"."""
    return f"{lease.work._meta.verbose_name} {lease.work.pk}, attempt {lease.number}"  # noqa: SLF001 - as Django documents
