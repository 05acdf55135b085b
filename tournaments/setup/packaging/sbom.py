"""The release's bill of materials, in CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/).

The library contains no other project's code. The packages of its extras are listed as optional, without versions,
because pip chooses them at the installation.
"""

import json
import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from tournaments.setup.packaging.metadata import Project

_REQUIREMENT: Final = re.compile(r"([A-Za-z0-9._-]+)\s*([^;]*)")


def sbom(project: Project, files: Mapping[str, bytes]) -> tuple[str, bytes]:
    """Return the name and the contents of the bill of materials for these files of a release."""
    made = [{"type": "file", "name": name, "hashes": [{"alg": "SHA-256", "content": sha256(content).hexdigest()}]}
            for name, content in files.items()]
    needed = [_optional(extra, text) for extra, texts in project.requirements.items() for text in texts]
    reference = f"pkg:pypi/{project.name}@{project.version}"
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        # From the contents, because a random number would make two builds differ.
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, json.dumps(made, sort_keys=True))}",
        "metadata": {"component": {
            "type": "library", "bom-ref": reference, "name": project.name, "version": project.version,
            "purl": reference, "licenses": [{"license": {"id": project.licence}}], "components": made,
        }},
        "components": needed,
        "dependencies": [{"ref": reference, "dependsOn": [each["bom-ref"] for each in needed]}],
    }
    return f"{project.stem}.cdx.json", json.dumps(document, indent=1).encode() + b"\n"


def _optional(extra: str, text: str) -> dict[str, Any]:
    found = _REQUIREMENT.match(text)
    assert found is not None, "pyproject.toml has only requirements with a name"
    name = found[1].lower()
    return {"type": "library", "bom-ref": f"{extra}:{name}", "name": name, "purl": f"pkg:pypi/{name}",
            "scope": "optional" if extra else "required",
            "properties": [{"name": "squarefield:extra", "value": extra},
                           {"name": "squarefield:range", "value": found[2].strip()}]}
