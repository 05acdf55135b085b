"""`manage.py selftest`: installs what the tests need, then runs the checks and the tests.

The native engine is built first, if its sources have changed (native.py).

Five parts. **lint**: ruff, djLint, oxlint, mypy, import-linter, and a check for missing migrations. **embedded**: all
tests on SQLite and the bundled Valkey, as in the demo. **servers**: the service's tests again on a temporary PostgreSQL
and redis-server. **cgroup2**: those tests of the sandbox whose walls differ between the versions of cgroups, in a guest
kernel with a real version 2. **containers**: docker-compose.yml, with its images, on a private Docker daemon. With
--faults instead: whole events under every fault listed in docs/explanation/reliability.md, which takes about twenty
minutes.
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
from tournaments.setup.bootstrap import environments, native, scans, second_tries
from tournaments.setup.bootstrap.children import ChildFailed
from tournaments.setup.bootstrap.environment import NO_BOOTSTRAP, ROOT, CannotInstall
from tournaments.setup.bootstrap.packages import SEARCH_PATH, ensure_packages
from tournaments.setup.embedded import EmbeddedRedis, TemporaryPostgres

PACKAGES = {
    "bubblewrap": "bwrap",
    "caddy": "caddy",
    "chromium": "chromium",
    "cmake": "cmake",
    "default-jdk-headless": "javac",
    "g++": "g++",
    "gcc": "gcc",
    "gettext": "msgfmt",
    "gnugo": "gnugo",
    "golang-go": "go",
    "leela-zero": "leelaz",
    "libseccomp2": "/usr/lib/*/libseccomp.so.2",
    "make": "make",
    "nginx-light": "/usr/sbin/nginx",
    "ninja-build": "ninja",
    "nodejs": "node",
    "pgbouncer": "/usr/sbin/pgbouncer",
    "postgresql": "/usr/lib/postgresql/*/bin/initdb",
    "python3-numpy": "/usr/lib/python3/dist-packages/numpy",
    "redis-server": "redis-server",
    "rustc": "rustc",
    "systemd": "systemd-analyze",
}
# What only one part needs.
PACKAGES_OF = {
    "cgroup2": {"iproute2": "ip", "user-mode-linux": "linux.uml"},
    "containers": {"docker-compose": "/usr/bin/docker-compose", "docker.io": "/usr/sbin/dockerd", "iproute2": "ip",
                   "iptables": "iptables", "mmdebstrap": "mmdebstrap"},
}
PARTS = ("lint", "embedded", "servers", "cgroup2", "containers")
# Parts that a script of their own runs, and the reason for skipping them if it exits with CANNOT.
APART = {
    "cgroup2": ("tests/sandbox/guest/boot.py", "needs user-mode-linux, and a machine that can run it"),
    "containers": ("tests/containers/run.py", "needs a container engine, Debian 12 and root"),
}
CANNOT = 77
SCRIPTS = "frontend/static/frontend"
FAULT_TESTS = "tests/faults"
# Tests that depend on a database or a broker, and so run on both kinds of each.
SERVICE_TESTS = ("tests/ratings", "tests/tournaments", "tests/frontend", "tests/security", FAULT_TESTS,
                 "tests/journeys")
# With CI=true, a skipped test is a failure unless its reason begins with one of these.
CI_CANNOT = ("needs a container engine", "needs cgroup v2", "needs cgroups", "needs network namespaces")
# pytest's exit code for a complete run with failures, and the most failures that load alone can explain.
TESTS_FAILED = 1
MOST_TRIED_AGAIN = 8


def main(arguments: Sequence[str]) -> int:
    """Run the selected parts. Returns 0 if nothing failed."""
    options = parse(arguments)
    os.chdir(ROOT)
    started = time.monotonic()
    still_missing = ensure_packages(packages_for(options.only))
    with tempfile.TemporaryDirectory() as scratch:
        skips = Path(scratch) / "skips"
        skips.touch()
        failed = [part for part in options.only if not run_part(part, options, skips)]
        skipped = read_skips(skips)
    for test, reason in skipped:
        print(f"Skipped: {test} — {reason}")
    if still_missing:
        print(f"Missing packages, which may be the cause: {', '.join(still_missing)}")
    if os.environ.get("CI") == "true":
        failed += inexcusable(skipped)
    seconds = time.monotonic() - started
    print(f"selftest {'failed: ' + ', '.join(failed) if failed else 'passed'} in {seconds:.0f} s", flush=True)
    return 1 if failed else 0


def packages_for(parts: Sequence[str]) -> dict[str, str]:
    """Return the Debian packages that these parts need."""
    needed = PACKAGES if {"embedded", "servers", "cgroup2"} & set(parts) else {}
    return needed | {name: sign for part in parts for name, sign in PACKAGES_OF.get(part, {}).items()}


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="manage.py selftest", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="run lint and the fast embedded tests only")
    parser.add_argument("--faults", action="store_true", help="instead, run whole events under every fault")
    parser.add_argument("--only-fault", metavar="NAME", help="with --faults: run only this fault, such as redis-paused")
    parser.add_argument("--seed", type=int, default=1, help="with --faults: seed for the times and targets of the "
                                                            "faults")
    parser.add_argument("--only", action="append", choices=PARTS, help="run only this part (may be repeated)")
    parser.add_argument("pytest", nargs="*", metavar="-- pytest arguments", help="arguments for pytest")
    return parser


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the options: `only` is the list of parts, `pytest` the arguments after `--`."""
    options = parser().parse_args(arguments)
    options.only = options.only or (["servers"] if options.faults else list(PARTS[:2] if options.quick else PARTS))
    return options


def run_part(part: str, options: argparse.Namespace, skips: Path) -> bool:
    """Run one part. Returns whether it passed."""
    print(f"== {part}", flush=True)
    try:
        if part == "lint":
            return lint()
        if part in APART:
            return apart(part, options, skips)
        if part == "embedded" and not (with_native() and with_environments()):
            return False
        with servers(part) as environment:
            return test(part, environment, options, skips)
    except ChildFailed as reason:
        print(reason)
        return False


def with_native() -> bool:
    """Build the native engine for the tests; without a compiler, they are skipped. Returns whether nothing failed."""
    if missing := native.missing_tools():
        print(f"The native engine is not built, for lack of {', '.join(missing)}")
        return True
    try:
        native.build(dict(os.environ))
    except native.CannotBuild as reason:
        print(reason)
        return False
    return True


def with_environments() -> bool:
    """Install the libraries that have wrappers in engines/env. Returns whether nothing failed."""
    try:
        environments.install()
    except CannotInstall as reason:
        print(f"Tests of wrappers will be skipped: {reason}")
        return os.environ.get("CI") != "true"
    return True


def lint() -> bool:
    """Run every check, and print the output of those that fail. Returns whether all passed."""
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


def apart(part: str, options: argparse.Namespace, skips: Path) -> bool:
    """Run a part's own script, recording in `skips` if this machine cannot. Returns whether no test failed."""
    script, reason = APART[part]
    command = ["nice", sys.executable, script, *options.pytest]
    environment = {**os.environ, "PATH": SEARCH_PATH, NO_BOOTSTRAP: "1"}
    status = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, check=False).returncode
    if status == CANNOT:
        with skips.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps([part, reason]) + "\n")
    return status in {0, CANNOT}


def read_skips(book: Path) -> list[tuple[str, str]]:
    """Return the skipped tests and their reasons, without duplicates, as recorded by tests/conftest.py."""
    noted = [json.loads(line) for line in book.read_text(encoding="utf-8").splitlines()]
    # xdist adds the group to a test's name.
    return sorted({(test.removesuffix("@serial"), reason) for test, reason in noted})


def inexcusable(skipped: Sequence[tuple[str, str]]) -> list[str]:
    """Return the skipped tests that continuous integration could have run."""
    return [f"{test} (skipped)" for test, reason in skipped if not reason.startswith(CI_CANNOT)]


@contextmanager
def servers(part: str) -> Iterator[dict[str, str]]:
    """Start the broker and the database of a part, and yield the environment that names them."""
    outer = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    # The binaries are set explicitly, because the two parts must test different servers.
    binary = embedded.find_bundled_valkey() if part == "embedded" else shutil.which("redis-server", path=SEARCH_PATH)
    with EmbeddedRedis(binary=binary) as redis:
        if part == "embedded":
            yield {**outer, "REDIS_URL": redis.url}
            return
        with TemporaryPostgres() as postgres:
            yield {**outer, "REDIS_URL": redis.url, "DATABASE_URL": postgres.url}


def test(part: str, environment: Mapping[str, str], options: argparse.Namespace, skips: Path) -> bool:
    """Run pytest in an environment, recording skipped tests in `skips`. Returns whether all tests passed."""
    markers = ["not once"] if part == "servers" else ["not needs_servers"]
    markers += ["not slow"] if options.quick else []
    markers += ["faults_long" if options.faults else "not faults_long"]
    paths = [path for path in SERVICE_TESTS if Path(path).exists()] if part == "servers" else ["tests"]
    paths = fault_tests(options.only_fault) if options.faults else paths
    command = [sys.executable, "-m", "pytest", "-q", "-m", " and ".join(markers)]
    # loadgroup keeps the tests marked `serial` in one process, while the others run the rest.
    beside = [] if options.faults else ["-n", str(min(4, os.cpu_count() or 1)), "--dist", "loadgroup"]
    inner = {**environment, "PATH": SEARCH_PATH, "SQUAREFIELD_SKIPS": str(skips), NO_BOOTSTRAP: "1",
             "SQUAREFIELD_FAULTS_SEED": str(options.seed)}  # fmt: skip
    return run_pytest(command, options.pytest or paths, beside, inner, cache=skips.with_name(f"failed-{part}"))


def fault_tests(only: str | None) -> list[str]:
    """Return pytest's arguments for all faults, or for the one of this name."""
    return [FAULT_TESTS, *(["-k", f"[{only}]"] if only else [])]


def run_pytest(command: Sequence[str], tests: Sequence[str], beside: Sequence[str], environment: Mapping[str, str], *,
               cache: Path) -> bool:
    """Run these tests with the options `beside`, then retry a few failures without them. Returns whether all passed.

    Tests that start real workers and browsers wait for them with a time limit, which can be too short on a busy
    machine. A test that fails again has failed. One that passes is reported; with CI=true it counts as failed unless
    it is listed (see second_tries.py).
    """
    ours = [*command, "-o", f"cache_dir={cache}"]
    first = subprocess.run([*ours, *tests, *beside], env=environment, stdin=subprocess.DEVNULL, check=False)
    failed = read_failures(cache)
    if first.returncode != TESTS_FAILED or not 0 < len(failed) <= MOST_TRIED_AGAIN:
        return first.returncode == 0
    print(f"== {len(failed)} failed in parallel; retrying them serially", flush=True)
    # By name, because pytest's --last-failed runs everything if one of the names is that of a group.
    second = subprocess.run([*ours, *failed], env=environment, stdin=subprocess.DEVNULL, check=False)
    if second.returncode != 0:
        return False
    for name in failed:
        print(f"Passed only at the second try: {name}")
    objections = second_tries.inexcusable(failed, datetime.now(UTC).date()) if environment.get("CI") == "true" else []
    for objection in objections:
        print(f"Not excused: {objection}")
    return not objections


def read_failures(cache: Path) -> list[str]:
    """Return the names of the failed tests from pytest's cache, without the groups that xdist adds."""
    book = cache / "v" / "cache" / "lastfailed"
    names = json.loads(book.read_text(encoding="utf-8")) if book.exists() else []
    return sorted({name.removesuffix("@serial") for name in names})
