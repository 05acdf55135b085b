"""Building of the native engine (engines/native) into `.venv`, for the tests. Only they need a compiler.

A stamp records the digest of its sources, so that a later run builds it only if they have changed.
"""

import hashlib
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from tournaments.setup.bootstrap.environment import ROOT, Environment, installer_environment, say
from tournaments.setup.bootstrap.packages import SEARCH_PATH

SOURCES = ROOT / "engines/native"
TOOLS = ("c++", "cmake", "ninja")
# Debian's package python3-dev brings it for Debian's Python.
HEADER = Path(sysconfig.get_path("include"), "Python.h")


class CannotBuild(Exception):
    """The native engine cannot be built; the message has the compiler's own words."""


def missing_tools() -> list[str]:
    """Return the programs, and the header of Python, that the build needs and that this machine lacks."""
    missing = [tool for tool in TOOLS if shutil.which(tool, path=SEARCH_PATH) is None]
    return missing if HEADER.exists() else [*missing, HEADER.name]


def digest() -> str:
    """Return a digest of all that the extension is built from: its sources, this Python, and the build's tools."""
    found = hashlib.sha256(f"{sys.version} {(ROOT / 'requirements/dev.txt').read_text(encoding='utf-8')}".encode())
    files = [SOURCES / "pyproject.toml", SOURCES / "CMakeLists.txt", *(SOURCES / "include").rglob("*.hpp"),
             *(SOURCES / "src").rglob("*.[ch]pp")]
    for file in sorted(files):
        found.update(str(file.relative_to(SOURCES)).encode() + b"\0" + file.read_bytes())
    return found.hexdigest()


def build(environ: dict[str, str]) -> None:
    """Build and install the extension, unless it is there and up to date. Raises CannotBuild."""
    environment = Environment(ROOT)
    stamp, wanted = environment.venv / "native", digest()
    if _installed(environment.venv) and stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    say("Building the native engine …")
    stamp.unlink(missing_ok=True)
    install(environ, ["--reinstall", "--python", str(environment.python)], {"build-dir": str(ROOT / "var/native")})
    stamp.write_text(wanted, encoding="utf-8")


def install(environ: dict[str, str], where: list[str], settings: dict[str, str]) -> None:
    """Build the extension, with warnings as errors, and install it `where` uv's options say. Raises CannotBuild.

    `settings` are those of scikit-build.
    """
    environment = Environment(ROOT)
    settings = {"cmake.define.CMAKE_COMPILE_WARNING_AS_ERROR": "ON", **settings}
    options = [f"--config-setting={name}={value}" for name, value in settings.items()]
    command = [str(environment.uv), "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-cache",
               *options, *where, str(SOURCES)]
    path = f"{environment.venv / 'bin'}:{SEARCH_PATH}"
    done = subprocess.run(command, env=installer_environment({**environ, "PATH": path}), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)  # fmt: skip
    if done.returncode != 0:
        raise CannotBuild(f"the native engine could not be built:\n{(done.stderr + done.stdout)[-4000:]}")


def _installed(venv: Path) -> bool:
    return any(venv.glob("lib/python3.*/site-packages/squarefield/_native.*"))
