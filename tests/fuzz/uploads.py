"""Fuzz the code that reads untrusted input: `python tests/fuzz/uploads.py --minutes 10`.

With atheris (`pip install atheris`, into any environment: nothing else is needed) the code reports which of its lines
an input has reached, and inputs that reach new ones are mutated further; otherwise they are mutated blindly. Each
target gets a share of the time, in a separate process with 1.5 GB of memory. An input with a finding is written to
--findings, and the exit status is 1.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
MEMORY = 1536 * 1024 * 1024
SLOW_SECONDS = 2.0
# Archives have the largest attack surface.
SHARES = {"archive": 0.6, "manifest": 0.2, "protocol": 0.2}


class Runner:
    """Runs inputs on a target and counts the results."""

    def __init__(self, target: str, findings: Path, seconds: float) -> None:
        from tests.fuzz.targets import TARGETS

        self.try_out, self.target, self.findings = TARGETS[target], target, findings
        self.counts: Counter[str] = Counter()
        # libFuzzer ends the process at once, so the report is printed just before.
        self.report_at = time.monotonic() + seconds
        self.scratch = Path(tempfile.mkdtemp(prefix="squarefield-fuzz-"))

    def __call__(self, data: bytes) -> None:
        began = time.process_time()
        try:
            self.counts[self.try_out(data, self.scratch)] += 1
        except BaseException as error:
            self._save(data, repr(error))
            raise
        if (took := time.process_time() - began) > SLOW_SECONDS:
            self._save(data, f"{took:.1f} s")
        if time.monotonic() > self.report_at:
            self.report_at = float("inf")
            print(f"{self.target}: {self.counts.total()} inputs, {dict(self.counts)}", flush=True)

    def _save(self, data: bytes, what: str) -> None:
        self.counts["finding"] += 1
        self.findings.mkdir(parents=True, exist_ok=True)
        (self.findings / f"{self.target}-{abs(hash(data)):x}").write_bytes(data)
        print(f"FINDING in {self.target}: {what}", file=sys.stderr, flush=True)


def run(target: str, seconds: float, seed: int, findings: Path) -> int:
    """Fuzz one target in this process."""
    try:
        import atheris
    except ImportError:
        runner = Runner(target, findings, seconds)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        blindly(runner, seed)
    else:
        with atheris.instrument_imports(include=["engines"]):
            runner = Runner(target, findings, seconds)
        guided(atheris, runner, seconds, seed)
    return 1 if runner.counts["finding"] else 0


def blindly(runner: Runner, seed: int) -> None:
    """Mutate the seeds repeatedly."""
    from tests.fuzz.mutations import mutant, seeds

    dice, corpus = Random(seed), seeds(runner.target)
    while runner.report_at < float("inf"):
        try:
            runner(mutant(runner.target, dice, corpus))
        except Exception:  # noqa: BLE001, S112 - it is kept, and the next one is tried
            continue


def guided(atheris: Any, runner: Runner, seconds: float, seed: int) -> None:
    """Let libFuzzer choose, and apply our own mutations to half of its choices."""
    from tests.fuzz.mutations import changed, mutant, seeds

    known = seeds(runner.target)
    corpus = Path(tempfile.mkdtemp())
    for number, each in enumerate(known):
        (corpus / f"seed-{number}").write_bytes(each)

    def custom(data: bytes, most: int, number: int) -> bytes:
        dice = Random(number)
        if dice.random() < 0.3:
            return mutant(runner.target, dice, known)[:most]
        return changed(data, dice, known)[:most] if dice.random() < 0.5 else atheris.Mutate(data, most)

    atheris.Setup([sys.argv[0], f"-max_total_time={seconds + 3:.0f}", f"-seed={seed}", "-max_len=65536", "-timeout=20",
                   f"-rss_limit_mb={MEMORY // 2**20}", "-print_final_stats=1", f"-artifact_prefix={runner.findings}-",
                   str(corpus)], runner, custom_mutator=custom)
    atheris.Fuzz()


def main() -> int:
    """Fuzz every target in its own process, one after the other; or, with --target, one in this process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target")
    parser.add_argument("--findings", type=Path, default=Path(tempfile.gettempdir()) / "squarefield-fuzz")
    options = parser.parse_args()
    if options.target:
        return run(options.target, options.minutes * 60, options.seed, options.findings)
    codes = [subprocess.run([sys.executable, __file__, "--target", target, "--minutes", str(options.minutes * share),
                             "--seed", str(options.seed), "--findings", str(options.findings)], check=False).returncode
             for target, share in SHARES.items()]
    print("findings" if any(codes) else "no findings")
    return 1 if any(codes) else 0


if __name__ == "__main__":
    sys.exit(main())
