"""The optional native engine: the same rules in C++, for playouts, perft, replays and environments.

The distribution `squarefield-native` holds the extension `squarefield._native`. Without it, everything works in pure
Python, which is the law. The extension never reads a bot's text: it is given turns as cells, read by Python's notation.
"""

import sys
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, Final

from engines.rules.registry import versions
from engines.rules.ruleset import Position
from engines.version import VERSION

_INSTALL: Final = (f"pip install ./engines/native in the checkout, or in the unpacked squarefield-{VERSION}.tar.gz of "
                   "a site's downloads")


class NativeMissing(ImportError):
    """The native engine is not installed, or cannot be loaded."""


class NativeMismatch(ImportError):
    """The native engine is of another version, or knows other rules."""


def find() -> ModuleSpec | None:
    """Return where the extension is, in any `squarefield` on the path: squarefield.pyz hides the installed one."""
    return PathFinder.find_spec("squarefield._native", [f"{entry or '.'}/squarefield" for entry in sys.path])


@cache
def module() -> ModuleType:
    """Return the extension. Raises NativeMissing or NativeMismatch."""
    spec = find()
    if spec is None or spec.loader is None:
        raise NativeMissing(f"squarefield's native engine is not installed: {_INSTALL}")
    extension = sys.modules.get(spec.name)
    if extension is None:
        from importlib.util import module_from_spec
        try:
            extension = module_from_spec(spec)
            spec.loader.exec_module(extension)
        except ImportError as error:
            raise NativeMissing(f"squarefield's native engine cannot be loaded: {error}") from error
        sys.modules[spec.name] = extension
    check(extension.__version__, extension.RULES)
    return extension


def check(version: str, rules: dict[str, int]) -> None:
    """Raise NativeMismatch unless an extension of this version, with these versions of rules, is ours."""
    if version != VERSION:
        raise NativeMismatch(f"squarefield {VERSION} cannot use squarefield-native {version}: "
                             f"{_INSTALL}")
    ours = versions()
    for slug, number in rules.items():
        if ours.get(slug) != number:
            raise NativeMismatch(f"squarefield-native has version {number} of the rules of {slug}, and squarefield has "
                                 f"{ours.get(slug)}: {_INSTALL}")


@cache  # an import that fails is tried again every time, which would make fast loops slow
def available() -> bool:
    """Return whether the native engine can be used. Warns if it is installed but cannot be used."""
    try:
        module()
    except ImportError as error:
        if find() is not None:
            from warnings import warn
            warn(f"{error}. Everything works without it, but more slowly", RuntimeWarning, stacklevel=2)
        return False
    return True


def knows(slug: str) -> bool:
    """Return whether the native engine is there and has this ruleset."""
    return available() and slug in module().RULES


def native_position(position: Position, *, earlier_boards: bool = True) -> Any:
    """Return the extension's Position equal to Python's, which must be of a ruleset that `knows`.

    Without `earlier_boards`, a stone may repeat a board of the game before this position.
    """
    extension, outcome = module(), position.outcome
    facts: dict[str, Any] = {"passed": getattr(position, "passed", False)}
    facts["grown"] = getattr(position, "someone_has_grown", False)
    if record := getattr(position, "record", None):
        facts |= {"record": record.length, "record_seat": record.seat}
    if earlier_boards and (history := getattr(position, "history", None)):
        facts["history"] = [*history]
    if outcome is not None:
        winner = -1 if outcome.winner is None else outcome.winner
        facts |= {"winner": winner, "reason": outcome.reason.value}
    return extension.Position.setup(position.slug, position.size, position.stones, position.seat_to_move,
                                    extension.Facts.of(**facts))
