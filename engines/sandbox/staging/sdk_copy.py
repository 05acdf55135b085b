"""Copies this package for bots, whose uid may not be able to read the original.

The copy is the package `squarefield`, as in its wheel, with the native engine if that is installed and fits the bots'
Python. Bots that were written before import `engines`: the copy has a package of that name whose modules are the same.
"""

import hashlib
import json
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Final

from engines import native
from engines.layout import PLACES, package_files
from engines.sandbox.isolation.bubblewrap import PATH, STAT, STAT_FILE
from engines.sandbox.isolation.errors import SandboxError

_SUFFIXES: Final = "import json, _imp; print(json.dumps(_imp.extension_suffixes()))"
# `engines.rules` becomes `squarefield._core.engines.rules`: the same module object, so that types are the same, too.
# It imports nothing that Python has not loaded already, because a bot's process starts again for every game.
ALIAS: Final = f'''"""The name that the package `squarefield` had for bots before version 1.0."""

import sys
from _frozen_importlib import ModuleSpec
from importlib import import_module

_PLACES = { {old: new for old, new in PLACES.items() if old.startswith("engines")}!r}


def _place(name):
    for old, new in _PLACES.items():
        if name == old or name.startswith(old + "."):
            return new + name[len(old):]
    return None


class _Names:
    """Finds and loads the modules under their old names."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if _place(name) is None else ModuleSpec(name, cls)

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        sys.modules[module.__name__] = import_module(_place(module.__name__))


sys.meta_path.insert(0, _Names)
sys.modules[__name__] = import_module(_place(__name__))
'''


def stage_sdk(directory: Path) -> Path:
    """Copy and compile the package to `directory/<digest>`, which is then on the bots' path; return that directory.

    The digest covers names, contents and the interpreter, so that an upgrade creates a new copy. The caller holds a
    lock.
    """
    python = shutil.which("python3", path=PATH)
    files = {name: content for name, content in package_files().items() if name.endswith(".py")}
    files |= {"engines/__init__.py": ALIAS.encode(), STAT_FILE: STAT.encode()}
    extension = _native(python)
    if extension is not None:
        files[f"squarefield/{extension.name}"] = extension.read_bytes()
    place = directory / _digest(files, python)
    if place.exists():
        return place
    work = directory / f"{place.name}.work"
    shutil.rmtree(work, ignore_errors=True)
    try:
        for name, content in files.items():
            target = work / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    except OSError as error:
        raise SandboxError(f"this package cannot be copied, in {work}: {error}") from None
    if python is not None:
        _compile(python, work)
    for path in (work, *work.rglob("*")):  # regardless of the umask
        path.chmod(0o755 if path.is_dir() else 0o644)
    work.rename(place)
    return place


def _native(python: str | None) -> Path | None:
    """Return the file of the native engine, if it is installed and the bots' interpreter can load it."""
    spec = native.find() if native.available() else None
    if python is None or spec is None or spec.origin is None:
        return None
    found = Path(spec.origin)
    return found if any(found.name == f"_native{suffix}" for suffix in _extension_suffixes(python)) else None


@cache
def _extension_suffixes(python: str) -> tuple[str, ...]:
    done = subprocess.run([python, "-I", "-S", "-c", _SUFFIXES], env={"PATH": PATH}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    return tuple(json.loads(done.stdout)) if done.returncode == 0 else ()


def _compile(python: str, work: Path) -> None:
    """Compile with the bots' interpreter; the copy never changes, so imports do not check the sources."""
    done = subprocess.run(
        [python, "-I", "-m", "compileall", "-q", "-s", str(work), "-p", "/opt/squarefield",
         "--invalidation-mode", "unchecked-hash", str(work)],
        env={"PATH": PATH}, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stdout + done.stderr).strip().rpartition("\n")[2]
        raise SandboxError(f"{python} cannot compile this package in {work}: {last}")


def _digest(files: dict[str, bytes], python: str | None) -> str:
    digest = hashlib.sha256()
    if python is not None:
        found = os.stat(python)
        digest.update(f"{os.path.realpath(python)} {found.st_size} {found.st_mtime_ns}\0".encode())
    for name, content in files.items():
        digest.update(f"{name} {len(content)}\0".encode() + content)
    return digest.hexdigest()[:32]
