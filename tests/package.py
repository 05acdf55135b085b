"""The package `squarefield`, as its wheel installs it."""

from pathlib import Path

from engines.layout import files_of
from tests.documentation.pages import ROOT


def write_package(directory: Path) -> None:
    """Write the package into this directory, for use on the path of another Python."""
    for name, content in files_of(ROOT).items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
