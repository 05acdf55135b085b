"""Two scans besides the linters: for secrets in the repository, and for packages with a known vulnerability."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

BASELINE: Final = Path(".secrets.baseline")
LOCK: Final = Path("requirements/run.txt")
_PATIENCE_SECONDS: Final = 120


def secrets() -> tuple[bool, str]:
    """Whether no file has a secret that is not in the baseline, where each has been looked at; and what was said."""
    files = [path for path in _files() if path != str(BASELINE)]
    done = _run("detect_secrets.pre_commit_hook", "--baseline", str(BASELINE), *files, patience=None)
    if done.returncode == 0:
        return True, "ok"
    return False, (f"failed\n{done.stdout}{done.stderr}\nWhat is no secret goes into the baseline: "
                   f"detect-secrets scan --baseline {BASELINE}")


def vulnerabilities() -> tuple[bool, str]:
    """Whether no locked package is known to be vulnerable; it is also true, and said, when nobody could be asked."""
    try:
        done = _run("pip_audit", "-r", str(LOCK), "--require-hashes", "--disable-pip", "--format", "json",
                    "--vulnerability-service", "pypi", "--progress-spinner", "off", "--timeout", "5")
        return verdict(done.stdout, done.stderr)
    except subprocess.TimeoutExpired:
        return True, "could not be asked: it took too long"


def verdict(answer: str, said: str) -> tuple[bool, str]:
    """What pip-audit's answer in JSON comes to; `said` is what it wrote beside it."""
    try:
        packages = json.loads(answer)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return True, f"could not be asked: {(said.strip().splitlines() or ['it said nothing'])[-1]}"
    found = [f"{package['name']} {package['version']}: {vulnerability['id']}, mended in "
             f"{', '.join(vulnerability['fix_versions']) or 'no release yet'}"
             for package in packages for vulnerability in package.get("vulns", [])]
    if found:
        return False, "\n".join(["failed", *found])
    unknown = [package["name"] for package in packages if "skip_reason" in package]
    if len(unknown) == len(packages):
        return True, "could not be asked: this package index knows nothing of vulnerabilities"
    return True, f"ok, but nothing is known of {', '.join(unknown)}" if unknown else "ok"


def _files() -> list[str]:
    """What git keeps, or would: what is ignored is nobody's to publish. Without git, what is here."""
    if shutil.which("git") and Path(".git").exists():
        listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
                                capture_output=True, text=True, check=True).stdout.split("\0")
        return [path for path in listed if path and Path(path).is_file()]
    return [str(path) for path in Path().rglob("*") if path.is_file() and not path.parts[0].startswith((".", "var"))]


def _run(module: str, *arguments: str, patience: float | None = _PATIENCE_SECONDS) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", module, *arguments], env={**os.environ, "PYTHONUTF8": "1"},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=patience,
                          check=False)
