"""The metadata of the distribution, from pyproject.toml.

Sources: "Core metadata specifications", version 2.4, https://packaging.python.org/specifications/core-metadata/; "Entry
points specification", https://packaging.python.org/specifications/entry-points/.
"""

import tomllib
from pathlib import Path
from typing import Any, Final, NamedTuple

from engines.version import VERSION

_README: Final = "README.md"
# Lists of dependencies in pyproject.toml that are not extras of the library: they belong to the service and its tests.
SERVICE_LISTS: Final = frozenset({"bench", "dev", "load", "s3", "service"})


class Project(NamedTuple):
    """The distribution: its name, version, licence, requirements by extra ("" for all), and both files of metadata."""

    name: str
    version: str
    licence: str
    requirements: dict[str, list[str]]
    metadata: str
    entry_points: str

    @property
    def stem(self) -> str:
        """The first part of file names, such as `squarefield-1.0.0`."""
        return f"{self.name}-{self.version}"


def read_project(checkout: Path) -> Project:
    """Return the distribution that the checkout's pyproject.toml describes."""
    project = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {name: each for name, each in project["optional-dependencies"].items() if name not in SERVICE_LISTS}
    requirements = {"": project["dependencies"], **extras}
    readme = (checkout / _README).read_text(encoding="utf-8")
    commands = "".join(f"{name} = {place}\n" for name, place in project["scripts"].items())
    return Project(project["name"], VERSION, project["license"], requirements,
                   "\n".join(_lines(project, requirements)) + f"\n\n{readme}",
                   f"[console_scripts]\n{commands}")


def _lines(project: dict[str, Any], requirements: dict[str, list[str]]) -> list[str]:
    return [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {VERSION}",
        f"Summary: {project['description']}",
        f"License-Expression: {project['license']}",
        *(f"License-File: {name}" for name in project["license-files"]),
        *(f"Keywords: {','.join(project['keywords'])}" for _ in range("keywords" in project)),
        *(f"Classifier: {each}" for each in project.get("classifiers", ())),
        *(f"Project-URL: {label}, {address}" for label, address in project.get("urls", {}).items()),
        f"Requires-Python: {project['requires-python']}",
        *(line for extra, needed in requirements.items() for line in _requirements(extra, needed)),
        "Description-Content-Type: text/markdown",
    ]


def _requirements(extra: str, needed: list[str]) -> list[str]:
    if not extra:
        return [f"Requires-Dist: {each}" for each in needed]
    lines = [f"Provides-Extra: {extra}"]
    for each in needed:
        requirement, _, marker = each.partition(";")
        condition = f"({marker.strip()}) and extra == '{extra}'" if marker else f"extra == '{extra}'"
        lines.append(f"Requires-Dist: {requirement.strip()}; {condition}")
    return lines
