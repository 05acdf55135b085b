"""An attempt at what a worker has claimed: kept alive while it goes on, and void when the infrastructure spoils it."""

import logging
from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from engines.referee.host import HostStarved
from engines.sandbox import SandboxError
from tournaments.platform.clock import shared_now
from tournaments.services.matches.matches import LeaseLost
from tournaments.worker.backoff import SandboxBackoff
from tournaments.worker.heartbeat import Heartbeat

log = logging.getLogger(__name__)

Made = TypeVar("Made")


def attempt(what: str, run: str, work: Callable[[Heartbeat], Made], *, renew: Callable[[datetime], object],
            void: Callable[[str, datetime], object], rest: SandboxBackoff) -> Made | None:
    """What `work` makes, which is never None; None when the attempt is lost or void, and so nobody's result.

    `what` and `run` name it in the log, such as "match 7" and "attempt 2"; `renew` is given the time, `void` the reason
    and the time; `rest` is told when the sandbox has failed, or something of ours.
    """
    try:
        with Heartbeat(renew, what) as heartbeat:
            return work(heartbeat)
    except LeaseLost as lost:
        # Whoever took it has judged the attempt.
        log.warning("%s, %s: %s", what, run, lost)
    except HostStarved as starved:
        log.warning("%s, %s is void: %s", what, run, starved)
        void(f"the host was starved: {starved}", shared_now())
    except SandboxError as fault:
        log.warning("%s, %s is void: %s", what, run, fault)
        rest.failed()
        void(f"the sandbox failed: {fault}", shared_now())
    except Exception as error:
        # A fault of ours, whatever it is, must not be a result; Celery logs it with its traceback.
        rest.failed()
        void(f"the worker failed: {type(error).__name__}: {error}", shared_now())
        raise
    return None
