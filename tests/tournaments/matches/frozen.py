"""Processes that are frozen (SIGSTOP) at one of their statements, with all locks that they hold."""

import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connections

# Connections of the parent, which a child must neither use nor close.
_inherited: list[Any] = []


@contextmanager
def frozen(act: Callable[[], object], statement: int, *, settings: str = "") -> Iterator[bool]:
    """Let another process do this, and freeze it after its statement with this number, from 1 on, until the end.

    Yields whether it has come to that statement; otherwise it has ended. `settings` are those of its session.
    """
    child = os.fork()
    if child == 0:
        try:
            _act(act, statement, settings)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, os.WUNTRACED)
    stopped = os.WIFSTOPPED(status)
    try:
        assert stopped or os.waitstatus_to_exitcode(status) == 0, "the act has failed: see the output"
        yield stopped
    finally:
        if stopped:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _act(act: Callable[[], object], statement: int, settings: str) -> None:
    for connection in connections.all():
        _inherited.append(connection.connection)
        connection.connection = None
    connection = connections["default"]
    with connection.cursor() as cursor:
        cursor.execute(settings or "SELECT 1")
    left = statement

    def freeze(execute: Callable[..., Any], *arguments: Any) -> Any:
        nonlocal left
        result = execute(*arguments)
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGSTOP)
        return result

    try:
        with connection.execute_wrapper(freeze):
            act()
    finally:
        # The parent's tests must not continue here.
        if error := sys.exc_info()[1]:
            traceback.print_exception(error)
        os._exit(2 if error else 0)
