"""Scans in addition to the linters: for secrets in the repository, and for packages with known vulnerabilities."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

BASELINE: Final = Path(".secrets.baseline")
LOCK: Final = Path("requirements/run.txt")
_PATIENCE_SECONDS: Final = 120
# Exit code if known secrets have moved to other lines.
_ONLY_MOVED: Final = 3


def secrets() -> tuple[bool, str]:
    """Scan for secrets that are not in the reviewed baseline. Returns whether there are none, and the output."""
    files = [path for path in _files() if path != str(BASELINE)]
    with tempfile.TemporaryDirectory() as scratch:
        # A copy, because the scan writes new line numbers into it.
        baseline = shutil.copy(BASELINE, scratch)
        done = _run("detect_secrets.pre_commit_hook", "--baseline", baseline, *files, patience=None)
    if done.returncode in {0, _ONLY_MOVED}:
        return True, "ok"
    return False, (f"failed\n{done.stdout}{done.stderr}\nRemove the secret. If it is not one, add it to the baseline: "
                   f"detect-secrets scan --baseline {BASELINE}")


def vulnerabilities() -> tuple[bool, str]:
    """Scan the locked packages. Returns whether none is known to be vulnerable (True if unknown), and the output."""
    try:
        done = _run("pip_audit", "-r", str(LOCK), "--require-hashes", "--disable-pip", "--format", "json",
                    "--vulnerability-service", "pypi", "--progress-spinner", "off", "--timeout", "5")
        return verdict(done.stdout, done.stderr)
    except subprocess.TimeoutExpired:
        return True, "skipped: the package index took too long"


def verdict(answer: str, said: str) -> tuple[bool, str]:
    """Interpret pip-audit's JSON answer; `said` is its standard error. Returns the same as `vulnerabilities`."""
    try:
        packages = json.loads(answer)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return True, f"skipped: {(said.strip().splitlines() or ['pip-audit gave no answer'])[-1]}"
    found = [f"{package['name']} {package['version']}: {vulnerability['id']}, fixed in "
             f"{', '.join(vulnerability['fix_versions']) or 'no release yet'}"
             for package in packages for vulnerability in package.get("vulns", [])]
    if found:
        return False, "\n".join(["failed", *found])
    unknown = [package["name"] for package in packages if "skip_reason" in package]
    if len(unknown) == len(packages):
        return True, "skipped: this package index has no data on vulnerabilities"
    return True, f"ok, but no data on {', '.join(unknown)}" if unknown else "ok"


def _files() -> list[str]:
    """Return the files that git tracks or would add; ignored files are never published. Without git, all files."""
    if shutil.which("git") and Path(".git").exists():
        listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
                                capture_output=True, text=True, check=True).stdout.split("\0")
        return [path for path in listed if path and Path(path).is_file()]
    return [str(path) for path in Path().rglob("*") if path.is_file() and not path.parts[0].startswith((".", "var"))]


def _run(module: str, *arguments: str, patience: float | None = _PATIENCE_SECONDS) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", module, *arguments], env={**os.environ, "PYTHONUTF8": "1"},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=patience,
                          check=False)
