"""The checks of `selftest --only lint`, which need neither a database nor a broker."""

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tournaments.setup.bootstrap import scans
from tournaments.setup.bootstrap.environment import NO_BOOTSTRAP

SCRIPTS = "frontend/static/frontend"
_BESIDE = Path(sys.executable).parent
_COMMANDS = {
    "ruff": [sys.executable, "-m", "ruff", "check", "."],
    "djlint": [sys.executable, "-m", "djlint", "--quiet", "--lint", "--check", "frontend", "tournaments"],
    "oxfmt": [str(_BESIDE / "oxfmt"), "--check", SCRIPTS],
    "oxlint": [str(_BESIDE / "oxlint"), "--deny-warnings", SCRIPTS],
    "mypy": [sys.executable, "-m", "mypy"],
    "lint-imports": [str(_BESIDE / "lint-imports")],
    "migrations": [sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"],
}
Verdict = tuple[bool, str]


def lint() -> bool:
    """Run every check, and print a line for each and the output of those that fail. Returns whether all passed."""
    checks: dict[str, Callable[[], Verdict]] = {name: partial(_run, command) for name, command in _COMMANDS.items()}
    checks |= {"secrets": scans.secrets, "vulnerabilities": scans.vulnerabilities}
    passed = True
    for name, check in checks.items():
        clean, said = check()
        print(f"{name}: {said}", flush=True)
        passed = passed and clean
    return passed


def _run(command: list[str]) -> Verdict:
    environment = {
        **os.environ, NO_BOOTSTRAP: "1", "SQUAREFIELD_SECRET_KEY": "unused", "DATABASE_URL": "sqlite://:memory:",
    }  # fmt: skip
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False)
    return (True, "ok") if done.returncode == 0 else (False, f"failed\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    sys.exit(0 if lint() else 1)
