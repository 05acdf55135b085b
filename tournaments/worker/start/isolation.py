"""The sandbox of a worker: its tier decides whether the worker starts, and what it says that it will play."""

from collections.abc import Sequence
from typing import Final

from django.conf import settings

from engines.rules.registry import RULESETS
from engines.sandbox import Sandbox, SandboxError, SandboxUnavailable, Tier
from engines.sandbox.isolation.slots import AT_A_TIME, COUNT
from engines.sandbox.isolation.users import users
from tournaments.worker.start.errors import SPACE, CannotWork

# How many matches the bots of one machine can play at a time.
MOST_AT_A_TIME: Final = COUNT // AT_A_TIME


def open_sandbox() -> Sandbox:
    """Return the sandbox of this machine, after its test. Raises CannotWork, also if its tier is not permitted."""
    try:
        sandbox = Sandbox.open(unsafe_local=settings.UNSAFE_LOCAL)
    except SandboxUnavailable as reason:
        raise CannotWork(str(reason)) from None
    except (SandboxError, OSError) as fault:
        raise CannotWork(f"The worker cannot prepare its sandbox: {fault}. {SPACE}") from None
    if sandbox.tier is Tier.REDUCED and not settings.ALLOW_REDUCED:
        raise CannotWork(
            f"This worker may not play other authors' bots: the sandbox has only the tier reduced, because "
            f"{sandbox.reason}. Set SQUAREFIELD_ALLOW_REDUCED=1 to let it play only bots uploaded by the site's staff.")
    return sandbox


def matches_at_a_time(sandbox: Sandbox, wanted: int) -> int:
    """Return how many matches may run at a time: without cgroups, clocks charge wall-clock time, so only one.

    Raises CannotWork if this machine has no slots for the bots of so many.
    """
    if sandbox.tier is Tier.STANDARD and wanted > MOST_AT_A_TIME:
        raise CannotWork(f"--concurrency {wanted} needs {AT_A_TIME * wanted} slots for bots, and a machine has "
                         f"{COUNT}: set it to {MOST_AT_A_TIME} at most, for all workers of this machine together.")
    return 1 if sandbox.tier is Tier.REDUCED else wanted


def intention(sandbox: Sandbox, rulesets: Sequence[str], concurrency: int) -> str:
    """Return the line that says what the worker will play and what not, and why."""
    number = "1 match" if concurrency == 1 else f"{concurrency} matches"
    others = [slug for slug in RULESETS if slug not in rulesets]
    apart = f" It does not play {', '.join(others)}: --rulesets leaves them out." if others else ""
    return f"This worker plays {', '.join(rulesets)}, {number} at a time, {_bots(sandbox)}.{apart}"


def _bots(sandbox: Sandbox) -> str:
    if sandbox.tier is Tier.STANDARD:
        return f"with bots of all authors. Sandbox: standard tier; {users()}"
    why = f"the sandbox has only the tier {sandbox.tier}: {sandbox.reason}"
    return f"only with bots uploaded by the site's staff, because {why}"
