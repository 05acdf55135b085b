"""System packages for the demo and the tests: found, installed with apt-get, or named for the user to install."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

# Debian installs games and servers in directories that are not in an ordinary user's PATH.
SEARCH_PATH = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/local/sbin", "/usr/sbin", "/usr/games"])


def missing_packages(packages: Mapping[str, str]) -> list[str]:
    """Return the packages whose program is missing; a value with a slash is a file pattern, not a program's name."""
    return [name for name, sign in packages.items() if not _is_present(sign)]


def _is_present(sign: str) -> bool:
    return any(Path("/").glob(sign.lstrip("/"))) if "/" in sign else shutil.which(sign, path=SEARCH_PATH) is not None


def ensure_packages(packages: Mapping[str, str]) -> list[str]:
    """Install the missing packages of `{Debian package: program}`. Returns the packages that are still missing.

    Root installs at once; a user at a terminal with sudo is asked first; all others are shown the command.
    """
    missing = missing_packages(packages)
    if not missing:
        return []
    prefix = _permission(missing)
    if prefix is None:
        _say(f"Not installed: {', '.join(missing)}. To install, run: sudo {_install_line(missing)}")
        return missing
    _say(f"Installing {', '.join(missing)} …")
    _apt_get(prefix, ["update"])
    _apt_get(prefix, ["install", "-y", "--no-install-recommends", *missing])
    return missing_packages(packages)


def _install_line(packages: list[str]) -> str:
    return "apt-get install -y --no-install-recommends " + " ".join(packages)


def _permission(missing: list[str]) -> list[str] | None:
    """Return a prefix for apt-get, or None if this user cannot install or declines."""
    if shutil.which("apt-get") is None:
        return None
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") is None or not sys.stdin.isatty():
        return None
    answer = input(f"Install {', '.join(missing)} with sudo apt-get? [Y/n] ")
    return ["sudo"] if answer.strip().lower() in ("", "y", "yes") else None


def _apt_get(prefix: list[str], arguments: list[str]) -> None:
    """Run apt-get quietly, printing its last line if it fails; the packages then stay missing."""
    command = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", *arguments]
    # sudo asks for the password on the terminal itself.
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        _say(f"apt-get {arguments[0]} failed: {' '.join(last)}")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
