"""`make release`: all files of a release, with their hashes. `make wheel`: only the wheel."""

import argparse
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

from tournaments.setup.packaging.backend import CHECKOUT, sdist, wheel
from tournaments.setup.packaging.metadata import read_project
from tournaments.setup.packaging.pyz import NAME as PYZ
from tournaments.setup.packaging.pyz import pyz
from tournaments.setup.packaging.sbom import sbom

HASHES: Final = "SHA256SUMS"


def build_release(out: Path, *, checkout: Path = CHECKOUT) -> dict[str, str]:
    """Write the wheel, the sdist, squarefield.pyz, the bill of materials and SHA256SUMS to a directory.

    Return the SHA-256 of each file by its name, without SHA256SUMS itself. The same sources give the same bytes.
    """
    files = dict((wheel(checkout), sdist(checkout), pyz(checkout)))
    name, content = sbom(read_project(checkout), files)
    files[name] = content
    digests = {name: sha256(content).hexdigest() for name, content in files.items()}
    files[HASHES] = "".join(f"{digest}  {name}\n" for name, digest in digests.items()).encode()
    out.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        write(out / name, content)
    return digests


def write(path: Path, content: bytes) -> None:
    """Write a file, all of it or nothing; squarefield.pyz is executable."""
    unfinished = path.with_name(f".{path.name}.new")
    unfinished.write_bytes(content)
    unfinished.chmod(0o755 if path.name == PYZ else 0o644)
    unfinished.replace(path)


def main(argv: Sequence[str] | None = None) -> int:
    """Build, and print the names and hashes."""
    parser = argparse.ArgumentParser(prog="python3 -m tournaments.setup.packaging.release", description=__doc__)
    parser.add_argument("out", type=Path, nargs="?", default=CHECKOUT / "dist", help="directory (default: dist)")
    parser.add_argument("--wheel", action="store_true", help="build only the wheel")
    options = parser.parse_args(argv)
    if options.wheel:
        name, content = wheel(CHECKOUT)
        options.out.mkdir(parents=True, exist_ok=True)
        write(options.out / name, content)
        digests = {name: sha256(content).hexdigest()}
    else:
        digests = build_release(options.out)
    for name, digest in digests.items():
        print(f"{digest}  {name}")
    print(f"in {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
