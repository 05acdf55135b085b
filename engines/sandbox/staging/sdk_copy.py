"""Copies this package for bots, whose uid may not be able to read the original."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import engines
from engines.sandbox.isolation.bubblewrap import PATH
from engines.sandbox.isolation.errors import SandboxError


def stage_sdk(directory: Path) -> Path:
    """Copy and compile the package's Python files to `directory/<digest>/engines`; return `directory/<digest>`.

    The digest covers names, contents and the interpreter, so that an upgrade creates a new copy. The caller holds a
    lock.
    """
    python = shutil.which("python3", path=PATH)
    package = Path(engines.__file__).parent
    sources = {path.relative_to(package): path.read_bytes() for path in sorted(package.rglob("*.py"))}
    place = directory / _digest(sources, python)
    if place.exists():
        return place
    work = directory / f"{place.name}.work"
    shutil.rmtree(work, ignore_errors=True)
    for name, content in sources.items():
        target = work / "engines" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    if python is not None:
        _compile(python, work)
    for path in (work, *work.rglob("*")):  # regardless of the umask
        path.chmod(0o755 if path.is_dir() else 0o644)
    work.rename(place)
    return place


def _compile(python: str, work: Path) -> None:
    """Compile with the bots' interpreter; the copy never changes, so imports do not check the sources."""
    done = subprocess.run(
        [python, "-I", "-m", "compileall", "-q", "-s", str(work), "-p", "/opt/squarefield",
         "--invalidation-mode", "unchecked-hash", str(work)],
        env={"PATH": PATH}, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stdout + done.stderr).strip().rpartition("\n")[2]
        raise SandboxError(f"{python} cannot compile this package in {work}: {last}")


def _digest(sources: dict[Path, bytes], python: str | None) -> str:
    digest = hashlib.sha256()
    if python is not None:
        found = os.stat(python)
        digest.update(f"{os.path.realpath(python)} {found.st_size} {found.st_mtime_ns}\0".encode())
    for name, content in sources.items():
        digest.update(f"{name} {len(content)}\0".encode() + content)
    return digest.hexdigest()[:32]
