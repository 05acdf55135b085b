"""Switch on each planted fault, and run the tests that reach it, the cheapest first, until one fails."""

import json
import os
import re
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

# The cheap tests that run first, before those that take longer are started.
FIRST = 30


class Reach:
    """Notes of a run: the processor seconds of each test, and the tests that reach each fault."""

    def __init__(self, folder: Path) -> None:
        self.seconds: dict[str, float] = {}
        self.tests: dict[int, set[str]] = defaultdict(set)
        failed = set()
        for line in (line for book in folder.glob("tests-*.jsonl") for line in book.read_text().splitlines()):
            row = json.loads(line)
            if "failed" in row:
                failed.add(_name(row["failed"]))
                continue
            test = _name(row["test"])
            self.seconds[test] = row["seconds"]
            for number in row["reached"]:
                self.tests[number].add(test)
        for line in (line for book in folder.glob("child-*") for line in book.read_text().splitlines()):
            number, test = line.split("\t", 1)
            name = _name(test.rsplit(" (", 1)[0])
            if name in self.seconds:
                self.tests[int(number)].add(name)
        # A test that fails without a fault proves nothing.
        for tests in self.tests.values():
            tests.difference_update(failed)

    def groups(self, number: int, limit: float) -> list[list[str]]:
        """Return the tests to run, in two groups, within `limit` processor seconds for each."""
        tests = sorted(self.tests[number], key=lambda test: (self.seconds[test], test))
        groups = []
        for group in (tests[:FIRST], tests[FIRST:]):
            total, chosen = 0.0, []
            for test in group:
                total += self.seconds[test]
                if total <= limit or not chosen:
                    chosen.append(test)
            groups += [chosen] if chosen else []
        return groups


def judge(clone: Path, reach: Path, out: Path, *, limit: float, part: tuple[int, int]) -> None:
    """Write a verdict for each fault into `out`: killed (with the test), survived or unreached.

    `part` (k, n) selects every n-th fault, for several processes. Faults with a verdict are left out.
    """
    known, faults = Reach(reach), json.loads((clone / "faults.json").read_text())
    verdicts = json.loads(out.read_text()) if out.exists() else {}
    for fault in faults:
        number = fault["number"]
        if str(number) in verdicts or number % part[1] != part[0]:
            continue
        groups = known.groups(number, limit)
        verdict, by = ("survived", "") if groups else ("unreached", "")
        for group in groups:
            if by := _failure(clone, number, group, limit):
                verdict = "killed"
                break
        ran = sum(map(len, groups))
        verdicts[str(number)] = {"verdict": verdict, "by": by, "tests": len(known.tests[number]), "ran": ran, **fault}
        out.write_text(json.dumps(verdicts, indent=1))
        print(number, verdict, ran, fault["file"], fault["line"], by[:100], flush=True)


def _name(test: str) -> str:
    """Return the name of a test without the group that xdist adds."""
    return re.sub(r"@[\w ]+$", "", test)


def _failure(clone: Path, number: int, tests: list[str], limit: float) -> str:
    """Return the first failure of these tests with a fault switched on; empty if all pass."""
    python = str(clone / ".venv/bin/python")
    path = f"{clone}/.venv/bin:{os.environ['PATH']}:/usr/sbin:/usr/games"
    environment = {**os.environ, "SQF_FAULT": str(number), "SQUAREFIELD_NO_BOOTSTRAP": "1", "PATH": path}
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as names:
        names.write("\n".join(tests))
        names.flush()
        command = [python, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"@{names.name}"]
        try:
            done = subprocess.run(command, cwd=clone, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, timeout=limit * 5, check=False)
        except subprocess.TimeoutExpired:
            return "no end"
    if done.returncode == 0:
        return ""
    lines = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return (lines or [f"exit code {done.returncode}: {(done.stdout + done.stderr)[-200:]}"])[0][:300]
