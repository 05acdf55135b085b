"""Termination with the parent process, which Linux offers and Python does not."""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def follow_parent(parent: int, **_: object) -> None:
    """Make the kernel kill this process when its parent, process `parent`, ends. Takes a Celery signal's arguments."""
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) failed")
    # The parent may already have ended.
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
