"""`manage.py selftest`: installs what the tests need, then runs the checks and the tests.

lint runs next to the tests: ruff, djLint, oxlint, mypy, import-linter, and scans for missing migrations, secrets and
vulnerable packages. sqlite: every test, on SQLite and the bundled Valkey, as in the demo. servers: on a temporary
PostgreSQL and redis-server, the tests whose result can depend on them, and those that play matches with real workers.
realtime: the tests that need the real clock, one at a time on an otherwise idle machine.

With --all also: every browser test, every example of the property tests, tests of other languages and programs, and
three parts. cgroup2: tests of the sandbox in a guest kernel with version 2 of cgroups. containers: docker-compose.yml,
with its images, on a private Docker daemon. faults: whole events under every fault listed in
docs/explanation/reliability.md.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tournaments.setup import embedded
from tournaments.setup.bootstrap import costs, environments, native, needs
from tournaments.setup.bootstrap.children import ChildFailed
from tournaments.setup.bootstrap.environment import NO_BOOTSTRAP, ROOT, CannotInstall
from tournaments.setup.bootstrap.packages import SEARCH_PATH, ensure_packages
from tournaments.setup.embedded import EmbeddedRedis, TemporaryPostgres

# The tests of a part, as pytest's expression of marks (pyproject.toml describes each mark).
MARKS = {
    "sqlite": "not needs_servers and not realtime and not faults_long",
    "servers": "(needs_servers or database or broker) and not realtime and not faults_long",
    "realtime": "realtime and not faults_long",
    "faults": "faults_long",
}
EVERY_DAY = "not thorough and (not browser or journey)"
# Parts that a script of their own runs, and the reason for skipping them if it exits with CANNOT.
APART = {
    "cgroup2": ("tests/sandbox/guest/boot.py", "needs user-mode-linux, and a machine that can run it"),
    "containers": ("tests/containers/run.py", "needs a container engine, Debian 12 and root"),
}
CANNOT = 77
PARTS = ("lint", *MARKS, *APART)
QUICK = ("lint", "sqlite")
DAILY = ("lint", "sqlite", "servers", "realtime")
# With CI=true, a skipped test is a failure unless its reason begins with one of these.
CI_CANNOT = ("needs a container engine", "needs cgroup v2", "needs cgroups", "needs network namespaces")


def main(arguments: Sequence[str]) -> int:
    """Run the selected parts. Returns 0 if nothing failed."""
    options = parse(arguments)
    os.chdir(ROOT)
    started = time.monotonic()
    packages = needs.packages(options.only, quick=options.quick, thorough=options.all)
    still_missing = ensure_packages(packages)
    installed = prepare(options)
    with tempfile.TemporaryDirectory() as scratch:
        books = costs.Books(Path(scratch))
        failed = ([] if installed else ["installation"]) + run_parts(options, books)
        skipped = read_skips(books.skips)
        print("\n".join(books.summary()))
        # With all examples, many tests are dear.
        failed += [] if options.all else [f"{name} ({seconds:.1f} s of processor time, needs the mark slow)"
                                          for name, seconds in books.too_dear().items()]
    for test, reason in skipped:
        print(f"Skipped: {test} — {reason}")
    if still_missing:
        print(f"Missing packages, which may be the cause: {', '.join(still_missing)}")
    if os.environ.get("CI") == "true":
        failed += inexcusable(skipped)
    seconds = time.monotonic() - started
    print(f"selftest {'failed: ' + ', '.join(failed) if failed else 'passed'} in {seconds:.0f} s", flush=True)
    return 1 if failed else 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="manage.py selftest", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="run lint and the fast tests on SQLite only")
    parser.add_argument("--all", action="store_true", help="run everything, which takes hours")
    parser.add_argument("--changed", action="store_true",
                        help="also run containers and cgroup2 if their files changed since they passed, as CI does")
    parser.add_argument("--only", action="append", choices=PARTS, help="run only this part (may be repeated)")
    parser.add_argument("--only-fault", metavar="NAME", help="of the part faults, run only this fault, such as "
                                                             "redis-paused")
    parser.add_argument("--seed", type=int, default=1, help="seed for the times and targets of the faults")
    parser.add_argument("pytest", nargs="*", metavar="-- pytest arguments", help="arguments for pytest")
    return parser


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the options: `only` is the list of parts, `pytest` the arguments after `--`."""
    options = parser().parse_args(arguments)
    options.only = options.only or list(PARTS if options.all else QUICK if options.quick else DAILY)
    if options.changed:
        options.only += [part for part in needs.changed() if part not in options.only]
    return options


def prepare(options: argparse.Namespace) -> bool:
    """Build the native engine and install the libraries that have wrappers, where tests need them."""
    with_tests = bool(set(MARKS) & set(options.only)) and not options.quick
    return not with_tests or (with_native() and (not options.all or with_environments()))


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


def run_parts(options: argparse.Namespace, books: costs.Books) -> list[str]:
    """Run the parts: lint next to the others, and the tests of time last and alone. Returns those that failed."""
    others = [part for part in options.only if part not in {"lint", "realtime"}]
    lint = start_lint(books) if "lint" in options.only else None
    failed = [part for part in others if not run_part(part, options, books)]
    if lint and not finish_lint(lint, books):
        failed.append("lint")
    if "realtime" in options.only and not run_part("realtime", options, books):
        failed.append("realtime")
    return failed


def start_lint(books: costs.Books) -> subprocess.Popen[bytes]:
    """Start the checks in a process of their own, whose output goes to a file until the tests have ended."""
    with books.lint.open("wb") as output:
        command = [sys.executable, "-m", "tournaments.setup.bootstrap.checks"]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)


def finish_lint(lint: subprocess.Popen[bytes], books: costs.Books) -> bool:
    """Wait for the checks, and print their output. Returns whether all passed."""
    status = books.wait("lint", lint)
    print(f"== lint\n{books.lint.read_text(encoding='utf-8')}", end="", flush=True)
    return status == 0


def run_part(part: str, options: argparse.Namespace, books: costs.Books) -> bool:
    """Run a part other than lint. Returns whether it passed."""
    print(f"== {part}", flush=True)
    try:
        passed = apart(part, options, books) if part in APART else test(part, options, books)
    except ChildFailed as reason:
        print(reason)
        return False
    if passed and not options.pytest:
        needs.store_passed(part)
    return passed


def apart(part: str, options: argparse.Namespace, books: costs.Books) -> bool:
    """Run a part's own script, recording a skip if this machine cannot. Returns whether no test failed."""
    script, reason = APART[part]
    environment = {**os.environ, "PATH": SEARCH_PATH, NO_BOOTSTRAP: "1"}
    status = books.run(part, ["nice", sys.executable, script, *options.pytest], environment)
    if status == CANNOT:
        with books.skips.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps([part, reason]) + "\n")
    return status in {0, CANNOT}


def read_skips(book: Path) -> list[tuple[str, str]]:
    """Return the skipped tests and their reasons, without duplicates, as recorded by tests/conftest.py."""
    noted = [json.loads(line) for line in book.read_text(encoding="utf-8").splitlines()]
    # xdist adds the group to a test's name.
    return sorted({(re.sub(r"@[\w ]+$", "", test), reason) for test, reason in noted})


def inexcusable(skipped: Sequence[tuple[str, str]]) -> list[str]:
    """Return the skipped tests that continuous integration could have run."""
    return [f"{test} (skipped)" for test, reason in skipped if not reason.startswith(CI_CANNOT)]


@contextmanager
def servers(part: str) -> Iterator[dict[str, str]]:
    """Start the broker and the database of a part, and yield the environment that names them."""
    outer = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    # The binaries are set explicitly, because the two parts must test different servers.
    binary = embedded.find_bundled_valkey() if part == "sqlite" else shutil.which("redis-server", path=SEARCH_PATH)
    with EmbeddedRedis(binary=binary) as redis:
        if part == "sqlite":
            yield {**outer, "REDIS_URL": redis.url}
            return
        with TemporaryPostgres() as postgres:
            yield {**outer, "REDIS_URL": redis.url, "DATABASE_URL": postgres.url}


def test(part: str, options: argparse.Namespace, books: costs.Books) -> bool:
    """Run pytest on the servers of a part. Returns whether all tests passed."""
    pytest = [sys.executable, "-m", "pytest", "-q"]
    command = [*pytest, "-m", marks_of(part, options), *paths_of(part, options)]
    # loadgroup keeps the tests marked `serial` in one process, which mostly waits, while the others run the rest.
    alone = part in {"realtime", "faults"}
    command += [] if alone else ["-n", str(min(4, os.cpu_count() or 1) + 1), "--dist", "loadgroup"]
    with servers(part) as addresses:
        environment = addresses | books.variables | {
            "PATH": SEARCH_PATH, NO_BOOTSTRAP: "1", "SQUAREFIELD_FAULTS_SEED": str(options.seed),
            "SQUAREFIELD_EXAMPLES": "all" if options.all else "few",
        }  # fmt: skip
        passed = books.run(part, command, environment) == 0
        if not options.all and (dear := books.too_dear()):
            print("Measured again, alone:", *dear, sep="\n    ", flush=True)
            passed &= books.run(part, [*pytest, *dear], environment) == 0
    return passed


def marks_of(part: str, options: argparse.Namespace) -> str:
    """Return pytest's expression for the tests of a part."""
    every_day = [] if options.all or part == "faults" else [EVERY_DAY]
    return " and ".join([MARKS[part], *every_day, *(["not slow and not serial"] if options.quick else [])])


def paths_of(part: str, options: argparse.Namespace) -> Sequence[str]:
    """Return pytest's arguments that select files or tests."""
    if part == "faults":
        return options.pytest or ["tests/faults", *(["-k", f"[{options.only_fault}]"] if options.only_fault else [])]
    return options.pytest or ["tests"]
