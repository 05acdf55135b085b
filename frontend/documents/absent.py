"""Imports modules without packages that they need, to read their docstrings and signatures."""

import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


class _Names(type):
    """A class with every attribute, each of them such a class."""

    def __getattr__(cls, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return _class(name)


def _class(name: str) -> type:
    """Return a class whose values take any arguments and contain nothing."""
    return _Names(name, (), {"__init__": lambda *_, **__: None, "__iter__": lambda _: iter(())})


class _Absent(MetaPathFinder, Loader):
    """Finds empty modules under these packages' names, which have every attribute."""

    def __init__(self, packages: Collection[str]) -> None:
        self.packages = packages

    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        return ModuleSpec(name, self, is_package=True) if _top(name) in self.packages else None

    def exec_module(self, module: ModuleType) -> None:
        contents = _class(module.__name__)
        vars(module)["__getattr__"] = lambda name: getattr(contents, name)


def _top(name: str) -> str:
    return name.partition(".")[0]


@contextmanager
def without(packages: Collection[str], users: Collection[str]) -> Iterator[None]:
    """Let the modules `users` import these packages where they are not installed; at the end, forget their imports."""
    before, finder = set(sys.modules), _Absent(packages)
    sys.meta_path.append(finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in set(sys.modules) - before if name in users or _top(name) in packages]:
            parent, _, child = name.rpartition(".")
            if parent in sys.modules and getattr(sys.modules[parent], child, None) is sys.modules[name]:
                delattr(sys.modules[parent], child)
            del sys.modules[name]
