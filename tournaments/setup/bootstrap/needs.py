"""Debian packages for the parts of `selftest`, and the files that decide whether a dear part must run again.

A dear part, of containers or of a guest kernel, takes minutes and depends on few files. After it has passed,
`selftest` stores a digest of these files in `tests/passed.json`. `selftest --changed`, which continuous integration
runs, adds each part whose digest is no longer the stored one.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import Final

from tournaments.setup.bootstrap import native
from tournaments.setup.bootstrap.environment import ROOT

PASSED: Final = ROOT / "tests/passed.json"
# The files that a dear part depends on; `**` stands for any number of directories.
DEPENDS: Final = {
    "containers": ("Dockerfile", "docker-compose.yml", ".dockerignore", ".docker/*", "manage.py",
                   "requirements/run.txt", "engines/sandbox/isolation/*", "tests/containers/**/*",
                   "tournaments/policy/*.py", "tournaments/settings.py", "tournaments/setup/bootstrap/environment.py"),
    "cgroup2": ("engines/sandbox/**/*.py", "engines/referee/*.py", "tests/sandbox/**/*.py"),
}
# The sign of a Debian package is a program's name, or a file pattern (packages.py).
_SERVERS: Final = {"postgresql": "/usr/lib/postgresql/*/bin/initdb", "redis-server": "redis-server"}
_TESTS: Final = {
    "bubblewrap": "bwrap", "chromium": "chromium", "cmake": "cmake", "g++": "g++", "gcc": "gcc",
    "gettext": "msgfmt", "libseccomp2": "/usr/lib/*/libseccomp.so.2", "make": "make", "ninja-build": "ninja",
    "python3-dev": str(native.HEADER),
}  # fmt: skip
_QUICK: Final = ("bubblewrap", "gettext", "libseccomp2")
_THOROUGH: Final = {
    "caddy": "caddy", "default-jdk-headless": "javac", "gnugo": "gnugo", "golang-go": "go", "iproute2": "ip",
    "leela-zero": "leelaz", "nginx-light": "/usr/sbin/nginx", "nodejs": "node",
    "pgbouncer": "/usr/sbin/pgbouncer", "python3-numpy": "/usr/lib/python3/dist-packages/numpy", "rustc": "rustc",
    "systemd": "systemd-analyze",
}  # fmt: skip
_PACKAGES: Final = {
    "sqlite": _TESTS,
    "servers": _TESTS | _SERVERS,
    "realtime": _TESTS | _SERVERS,
    "faults": _TESTS | _SERVERS | {"iproute2": "ip"},
    "cgroup2": _TESTS | {"iproute2": "ip", "user-mode-linux": "linux.uml"},
    "containers": {"docker-compose": "/usr/bin/docker-compose", "docker.io": "/usr/sbin/dockerd", "iproute2": "ip",
                   "iptables": "iptables", "mmdebstrap": "mmdebstrap"},
}  # fmt: skip


def packages(parts: Sequence[str], *, quick: bool, thorough: bool) -> dict[str, str]:
    """Return the Debian packages that these parts need, each with its sign."""
    if quick:
        return {} if set(parts) == {"lint"} else {name: _TESTS[name] for name in _QUICK}
    needed = {name: sign for part in parts for name, sign in _PACKAGES.get(part, {}).items()}
    return needed | (_THOROUGH if thorough else {})


def changed() -> list[str]:
    """Return the dear parts whose files have changed since they passed."""
    stored = json.loads(PASSED.read_text(encoding="utf-8"))
    return [part for part in DEPENDS if stored.get(part) != digest(part)]


def store_passed(part: str) -> None:
    """Store that a part passed with its files as they are now; other parts are left out."""
    if part in DEPENDS:
        stored = json.loads(PASSED.read_text(encoding="utf-8")) | {part: digest(part)}
        PASSED.write_text(json.dumps(stored, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def digest(part: str) -> str:
    """Return a digest of the names and contents of the files that a part depends on."""
    found = hashlib.sha256()
    for file in sorted({file for pattern in DEPENDS[part] for file in ROOT.glob(pattern) if file.is_file()}):
        if "__pycache__" not in file.parts:
            found.update(f"{file.relative_to(ROOT)}\0".encode() + file.read_bytes() + b"\0")
    return found.hexdigest()
