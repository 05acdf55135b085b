"""`manage.py selftest`: everything the tests need, the checks, and the tests, on SQLite and on real servers.

Three parts. **lint**: ruff, djLint, oxlint, mypy, import-linter, and that no migration is missing. **embedded**: all
tests on SQLite and the Valkey that is among the packages, as in the demo. **servers**: the service's tests again on a
PostgreSQL and a redis-server, started for the occasion and stopped afterwards. Or, with --faults, whole
events under every fault that docs/explanation/reliability.md lists, which takes some twenty minutes.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from tournaments.setup import embedded
from tournaments.setup.bootstrap import scans, second_tries
from tournaments.setup.bootstrap.children import ChildFailed
from tournaments.setup.bootstrap.environment import NO_BOOTSTRAP, ROOT
from tournaments.setup.bootstrap.packages import SEARCH_PATH, ensure_packages
from tournaments.setup.embedded import EmbeddedRedis, TemporaryPostgres

PACKAGES = {
    "bubblewrap": "bwrap",
    "chromium": "chromium",
    "cmake": "cmake",
    "default-jdk-headless": "javac",
    "g++": "g++",
    "gcc": "gcc",
    "gettext": "msgfmt",
    "gnugo": "gnugo",
    "golang-go": "go",
    "libseccomp2": "/usr/lib/*/libseccomp.so.2",
    "make": "make",
    "nodejs": "node",
    "postgresql": "/usr/lib/postgresql/*/bin/initdb",
    "python3-numpy": "/usr/lib/python3/dist-packages/numpy",
    "redis-server": "redis-server",
    "rustc": "rustc",
}
PARTS = ("lint", "embedded", "servers")
SCRIPTS = "frontend/static/frontend"
FAULT_TESTS = "tests/faults"
# What depends on a database or a broker, and so is tested on both kinds of them.
SERVICE_TESTS = ("tests/ratings", "tests/tournaments", "tests/frontend", "tests/security", FAULT_TESTS,
                 "tests/journeys")
# With CI=true a skipped test is a failure, unless its reason begins with one of these.
CI_CANNOT = ("needs a container engine", "needs cgroup v2", "needs cgroups", "needs network namespaces")
# pytest's exit code when it ran to its end, and how many failures may come of the machine's load alone.
TESTS_FAILED = 1
MOST_TRIED_AGAIN = 8


def main(arguments: Sequence[str]) -> int:
    """Run the parts asked for; return 0 when nothing failed."""
    options = parse(arguments)
    os.chdir(ROOT)
    started = time.monotonic()
    still_missing = [] if options.only == ["lint"] else ensure_packages(PACKAGES)
    with tempfile.TemporaryDirectory() as scratch:
        skips = Path(scratch) / "skips"
        skips.touch()
        failed = [part for part in options.only if not run_part(part, options, skips)]
        skipped = read_skips(skips)
    for test, reason in skipped:
        print(f"Skipped: {test} — {reason}")
    if still_missing:
        print(f"Not installed, which may be why: {', '.join(still_missing)}")
    if os.environ.get("CI") == "true":
        failed += inexcusable(skipped)
    seconds = time.monotonic() - started
    print(f"selftest {'failed: ' + ', '.join(failed) if failed else 'passed'} in {seconds:.0f} s", flush=True)
    return 1 if failed else 0


def parser() -> argparse.ArgumentParser:
    """What reads the command line."""
    parser = argparse.ArgumentParser(prog="manage.py selftest", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="lint, and the embedded tests that are not slow")
    parser.add_argument("--faults", action="store_true", help="instead: whole events under every fault")
    parser.add_argument("--only-fault", metavar="NAME", help="with --faults: this one, such as redis-paused")
    parser.add_argument("--seed", type=int, default=1, help="with --faults: decides when and whom they strike")
    parser.add_argument("--only", action="append", choices=PARTS, help="this part alone (may be repeated)")
    parser.add_argument("pytest", nargs="*", metavar="-- pytest arguments", help="passed on to pytest")
    return parser


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line: `only` is the list of parts, `pytest` what follows `--`."""
    options = parser().parse_args(arguments)
    options.only = options.only or (["servers"] if options.faults else list(PARTS[:2] if options.quick else PARTS))
    return options


def run_part(part: str, options: argparse.Namespace, skips: Path) -> bool:
    """Run one part and say whether it passed."""
    print(f"== {part}", flush=True)
    try:
        if part == "lint":
            return lint()
        with servers(part) as environment:
            return test(part, environment, options, skips)
    except ChildFailed as reason:
        print(reason)
        return False


def lint() -> bool:
    """Run every check, and show what the failing ones say."""
    beside = Path(sys.executable).parent
    checks = {
        "ruff": [sys.executable, "-m", "ruff", "check", "."],
        "bandit": [sys.executable, "-m", "bandit", "-q", "-c", "pyproject.toml", "-r", "engines", "ratings",
                   "tournaments", "frontend"],
        "djlint": [sys.executable, "-m", "djlint", "--quiet", "--lint", "--check", "frontend", "tournaments"],
        "oxfmt": [str(beside / "oxfmt"), "--check", SCRIPTS],
        "oxlint": [str(beside / "oxlint"), "--deny-warnings", SCRIPTS],
        "mypy": [sys.executable, "-m", "mypy"],
        "lint-imports": [str(beside / "lint-imports")],
        "migrations": [sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"],
    }
    environment = {
        **os.environ, NO_BOOTSTRAP: "1", "SQUAREFIELD_SECRET_KEY": "unused", "DATABASE_URL": "sqlite://:memory:",
    }  # fmt: skip
    passed = True
    for name, command in checks.items():
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        print(f"{name}: {'ok' if done.returncode == 0 else 'failed'}", flush=True)
        if done.returncode != 0:
            print(done.stdout + done.stderr, flush=True)
            passed = False
    for name, scan in (("secrets", scans.secrets), ("vulnerabilities", scans.vulnerabilities)):
        clean, said = scan()
        print(f"{name}: {said}", flush=True)
        passed = passed and clean
    return passed


def read_skips(book: Path) -> list[tuple[str, str]]:
    """Skipped tests and their reasons, each once, as tests/conftest.py noted them."""
    noted = [json.loads(line) for line in book.read_text(encoding="utf-8").splitlines()]
    # xdist adds the group to a test's name.
    return sorted({(test.removesuffix("@serial"), reason) for test, reason in noted})


def inexcusable(skipped: Sequence[tuple[str, str]]) -> list[str]:
    """The skipped tests that continuous integration could have run."""
    return [f"{test} (skipped)" for test, reason in skipped if not reason.startswith(CI_CANNOT)]


@contextmanager
def servers(part: str) -> Iterator[dict[str, str]]:
    """Start the broker and the database of a part; the environment that names them."""
    outer = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    # The serving binaries are chosen, not looked up: the two parts are to differ.
    binary = embedded.find_bundled_valkey() if part == "embedded" else shutil.which("redis-server", path=SEARCH_PATH)
    with EmbeddedRedis(binary=binary) as redis:
        if part == "embedded":
            yield {**outer, "REDIS_URL": redis.url}
            return
        with TemporaryPostgres() as postgres:
            yield {**outer, "REDIS_URL": redis.url, "DATABASE_URL": postgres.url}


def test(part: str, environment: Mapping[str, str], options: argparse.Namespace, skips: Path) -> bool:
    """Run pytest in an environment and say whether all tests passed; skipped ones are noted in `skips`."""
    markers = ["not once"] if part == "servers" else ["not needs_servers"]
    markers += ["not slow"] if options.quick else []
    markers += ["faults_long" if options.faults else "not faults_long"]
    paths = [path for path in SERVICE_TESTS if Path(path).exists()] if part == "servers" else ["tests"]
    paths = fault_tests(options.only_fault) if options.faults else paths
    command = [sys.executable, "-m", "pytest", "-q", "-m", " and ".join(markers)]
    # loadgroup keeps the tests marked `serial` in one process, while the other process runs the rest.
    beside = [] if options.faults else ["-n", str(min(4, os.cpu_count() or 1)), "--dist", "loadgroup"]
    inner = {**environment, "PATH": SEARCH_PATH, "SQUAREFIELD_SKIPS": str(skips), NO_BOOTSTRAP: "1",
             "SQUAREFIELD_FAULTS_SEED": str(options.seed)}  # fmt: skip
    return run_pytest(command, options.pytest or paths, beside, inner, cache=skips.with_name(f"failed-{part}"))


def fault_tests(only: str | None) -> list[str]:
    """What pytest is told to run all faults, or one of them by its name."""
    return [FAULT_TESTS, *(["-k", f"[{only}]"] if only else [])]


def run_pytest(command: Sequence[str], tests: Sequence[str], beside: Sequence[str], environment: Mapping[str, str], *,
               cache: Path) -> bool:
    """Run these tests with the options `beside`, and the few that fail then once more alone; whether all passed.

    Tests that start real workers and browsers wait for them, for a time that a machine shared with others can exceed.
    One that fails alone too has failed; one that passes is named, so that nobody overlooks it. With CI=true it has
    failed as well, unless it is listed (see second_tries.py).
    """
    ours = [*command, "-o", f"cache_dir={cache}"]
    first = subprocess.run([*ours, *tests, *beside], env=environment, stdin=subprocess.DEVNULL, check=False)
    failed = read_failures(cache)
    if first.returncode != TESTS_FAILED or not 0 < len(failed) <= MOST_TRIED_AGAIN:
        return first.returncode == 0
    print(f"== {len(failed)} failed beside others; once more, alone", flush=True)
    # By name: pytest's own --last-failed runs everything where one of the names is that of a group.
    second = subprocess.run([*ours, *failed], env=environment, stdin=subprocess.DEVNULL, check=False)
    if second.returncode != 0:
        return False
    for name in failed:
        print(f"Passed only at the second try, alone: {name}")
    objections = second_tries.inexcusable(failed, datetime.now(UTC).date()) if environment.get("CI") == "true" else []
    for objection in objections:
        print(f"Not excused: {objection}")
    return not objections


def read_failures(cache: Path) -> list[str]:
    """The names of the tests that failed, as pytest keeps them in its cache, without the groups that xdist adds."""
    book = cache / "v" / "cache" / "lastfailed"
    names = json.loads(book.read_text(encoding="utf-8")) if book.exists() else []
    return sorted({name.removesuffix("@serial") for name in names})
