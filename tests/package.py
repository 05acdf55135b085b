"""The package `squarefield`, as its wheel installs it."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from engines.layout import files_of
from engines.sandbox.staging import sdk_copy

ROOT = Path(__file__).resolve().parents[1]


def write_package(directory: Path) -> None:
    """Write the package into this directory, for use on the path of another Python."""
    for name, content in files_of(ROOT).items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


@contextmanager
def package_read_once() -> Iterator[None]:
    """Let all runtime directories copy the package from memory; reading and renaming its files takes 0.2 s."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sdk_copy, "package_files", cache(sdk_copy.package_files))
        yield
