"""System packages that the demo and the tests use: found, or installed with apt-get, or named in one line."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

# Debian puts games and servers where a plain user's PATH does not look.
SEARCH_PATH = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/local/sbin", "/usr/sbin", "/usr/games"])


def missing_packages(packages: Mapping[str, str]) -> list[str]:
    """The packages whose program is not found; a value with a slash is a file pattern instead of a program's name."""
    return [name for name, sign in packages.items() if not _is_present(sign)]


def _is_present(sign: str) -> bool:
    return any(Path("/").glob(sign.lstrip("/"))) if "/" in sign else shutil.which(sign, path=SEARCH_PATH) is not None


def ensure_packages(packages: Mapping[str, str]) -> list[str]:
    """Install what is missing of `{Debian package: program}` and return what is missing still.

    Root installs at once; a terminal's user with sudo is asked first; anybody else reads the line to type.
    """
    missing = missing_packages(packages)
    if not missing:
        return []
    prefix = _permission(missing)
    if prefix is None:
        _say(f"Not installed: {', '.join(missing)}. To install, type: sudo {_install_line(missing)}")
        return missing
    _say(f"Installing {', '.join(missing)} …")
    _apt_get(prefix, ["update"])
    _apt_get(prefix, ["install", "-y", "--no-install-recommends", *missing])
    return missing_packages(packages)


def _install_line(packages: list[str]) -> str:
    return "apt-get install -y --no-install-recommends " + " ".join(packages)


def _permission(missing: list[str]) -> list[str] | None:
    """Words to put before apt-get, or None when this user may not, or does not want to, install."""
    if shutil.which("apt-get") is None:
        return None
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") is None or not sys.stdin.isatty():
        return None
    answer = input(f"Install {', '.join(missing)} with sudo apt-get? [Y/n] ")
    return ["sudo"] if answer.strip().lower() in ("", "y", "yes") else None


def _apt_get(prefix: list[str], arguments: list[str]) -> None:
    """Run apt-get quietly; what it says is shown when it fails, and what it failed to install stays missing."""
    command = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", *arguments]
    # sudo asks for its password on the terminal itself.
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        _say(f"apt-get {arguments[0]} failed: {' '.join(last)}")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
