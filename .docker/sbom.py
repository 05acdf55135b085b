# ruff: noqa: INP001 - a script of the build, not part of a package
"""Prints a software bill of materials (CycloneDX 1.5) of the Debian and Python packages of an image.

Usage: sbom.py ROOT SITE-PACKAGES, with the root directory of the image.
"""

import json
import sys
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path


def debian(root: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the name, version and package URL of each installed Debian package."""
    files = [root / "var/lib/dpkg/status", *sorted((root / "var/lib/dpkg/status.d").glob("*"))]
    for block in "\n\n".join(file.read_text() for file in files if file.is_file()).split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line and not line.startswith(" "))
        if fields.get("Status", "").endswith(" installed"):
            name, version, architecture = fields["Package"], fields["Version"], fields["Architecture"]
            yield name, version, f"pkg:deb/debian/{name}@{version.replace('+', '%2B')}?arch={architecture}"


def python(packages: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the name, version and package URL of each Python package."""
    for found in sorted(distributions(path=[str(packages)]), key=lambda found: found.name.lower()):
        yield found.name, found.version, f"pkg:pypi/{found.name.lower().replace('_', '-')}@{found.version}"


def main(root: str, packages: str) -> None:
    """Print the bill."""
    components = [{"type": "library", "bom-ref": url, "name": name, "version": version, "purl": url}
                  for name, version, url in [*debian(Path(root)), *python(Path(packages))]]
    bill = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "components": components}
    sys.stdout.write(json.dumps(bill, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
