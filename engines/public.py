"""Marks of public classes: the module that users import them from, and copies of exceptions."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

_Class = TypeVar("_Class", bound=type)
_INSTALLED: Final = __name__.startswith("squarefield.")


def public(module: str) -> Callable[[_Class], _Class]:
    """Name the public module of a class in an installed copy, in tracebacks and in pickles.

    So a pickle can be read after the class has moved. In a checkout, the class keeps its own module.
    """
    def mark(given: _Class) -> _Class:
        if _INSTALLED:
            given.__module__ = module
        return given
    return mark


class Copyable:
    """A base of exceptions whose `__init__` has other arguments than `args`: copies and pickles keep all attributes.

    Without it, a copy calls `__init__` with `args`, and `multiprocessing.Pool` waits for ever for the exception.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        made: Any = super().__reduce__()
        kind, arguments, *state = made
        return (_again, (kind, *arguments), *state)


def _again(kind: type[BaseException], *arguments: Any) -> BaseException:
    return kind.__new__(kind, *arguments)
