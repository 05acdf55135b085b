"""Processor time of `selftest`: by part, and by test, as tests/conftest.py records it.

Processor time (user and system, of a process and the children that it waited for) depends less on other load than
elapsed time. Still, a busy machine needs up to twice as much, and one test pays for a module that many use, or for a
process that an earlier test left behind. So a test fails for its cost only if it is far above the limit, in the run and
once more alone; chance does not decide.
"""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

# Processor seconds above which a test must be marked `slow`.
LIMIT_SECONDS: Final = 0.4
_TOLERANCE: Final = 5
_DEAREST: Final = 10


class Books:
    """Files in which the parts record costs and skipped tests; `lint` receives the output of the checks."""

    def __init__(self, directory: Path) -> None:
        self.skips, self.lint, self._costs = (directory / name for name in ("skips", "lint", "costs"))
        for book in (self.skips, self.lint, self._costs):
            book.touch()
        self._seconds: dict[str, float] = {}

    @property
    def variables(self) -> dict[str, str]:
        """Environment by which tests/conftest.py finds the books."""
        return {"SQUAREFIELD_SKIPS": str(self.skips), "SQUAREFIELD_COSTS": str(self._costs)}

    def run(self, part: str, command: Sequence[str], environment: Mapping[str, str]) -> int:
        """Run a command of a part, and return its exit code."""
        return self.wait(part, subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL))

    def wait(self, part: str, process: subprocess.Popen[bytes]) -> int:
        """Wait for a process of a part, add its processor time, and return its exit code."""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self._seconds[part] = self._seconds.get(part, 0.0) + usage.ru_utime + usage.ru_stime
        return process.returncode

    def summary(self) -> list[str]:
        """Return lines with the processor seconds of each part and of the dearest tests."""
        parts = [f"{part} {seconds:.0f}" for part, seconds in self._seconds.items()]
        lines = [f"Processor seconds: {sum(self._seconds.values()):.0f} ({', '.join(parts)})"]
        tests = sorted(self._tests(), key=lambda test: -test["seconds"])[:_DEAREST]
        return lines + [f"{test['seconds']:8.2f} s {test['name']}" for test in tests]

    def too_dear(self) -> dict[str, float]:
        """Return the tests without the mark `slow` that need it, and their least seconds of all runs."""
        least: dict[str, float] = {}
        for test in self._tests():
            if not test["slow"]:
                least[test["name"]] = min(test["seconds"], least.get(test["name"], test["seconds"]))
        return {name: seconds for name, seconds in least.items() if seconds > _TOLERANCE * LIMIT_SECONDS}

    def _tests(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._costs.read_text(encoding="utf-8").splitlines()]
