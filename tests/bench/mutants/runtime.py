"""Switch of the planted faults, in every Python process of a clone: `_fault(7)` says whether fault 7 is on.

SQF_FAULT is the number of the fault that is on. SQF_REACH is a directory for notes of the faults that are reached.
"""

import builtins
import contextlib
import os

_ACTIVE = int(os.environ.get("SQF_FAULT", "0"))
_FOLDER = os.environ.get("SQF_REACH")
# In a process that a test starts: the test's name. The process of the tests itself uses plugin.py.
_TEST = os.environ.get("PYTEST_CURRENT_TEST", "")
reached: set[int] = set()


def _fault(number: int) -> bool:
    if number == _ACTIVE:
        return True
    if _FOLDER and number not in reached:
        reached.add(number)
        if _TEST:
            # A bot's user may not write there.
            with contextlib.suppress(OSError), open(f"{_FOLDER}/child-{os.getpid()}-{os.getuid()}", "a") as notes:  # noqa: PTH123
                notes.write(f"{number}\t{_TEST}\n")
    return False


if _FOLDER or _ACTIVE:
    builtins._fault = _fault
