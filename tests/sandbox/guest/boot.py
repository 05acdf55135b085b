"""Runs tests in a guest kernel with a real cgroup version 2, on this machine's own files.

    python tests/sandbox/guest/boot.py [--as KIND …] [pytest arguments]

The guest is user-mode-linux: it boots in two seconds, has one core, and is slow in system calls and page faults. Each
kind of worker, as listed in `enter`, has a guest of its own. Without arguments, those tests run whose walls differ
between the versions of cgroups: with the games of the acceptance list as root, without them as the other kinds.
"""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[3]
HERE: Final = Path(__file__).resolve().parent
KINDS: Final = ("root", "capabilities", "user", "container")
PROGRAM: Final = "linux.uml"
CANNOT_BOOT: Final = 77
_WALLS: Final = ("tests/sandbox/test_cgroups.py", "tests/sandbox/test_tiers.py", "tests/sandbox/test_walls.py")
# The reduced tier uses no cgroups.
_CHOICE: Final = ("-m", "cgroup2", "-k", "not reduced")
# This kernel cannot tell a 32-bit system call from a 64-bit one: the host's kernel sees it first. And bots have too
# little memory for the third one, because to touch 400 MB takes ten seconds here. CPU time is counted in ticks of 10
# ms: too coarse for turns of 20 ms.
_ACCEPTANCE: Final = "tests/sandbox/acceptance/test_acceptance.py"
_NOT_IN_A_GUEST: Final = (
    "tests/sandbox/test_walls.py::TestABot::test_is_killed_by_a_32_bit_system_call",
    f"{_ACCEPTANCE}::TestAHostileBot::test_gets_the_listed_verdict[row 27",
    f"{_ACCEPTANCE}::TestAnHonestButAwkwardBot::test_gets_the_listed_verdict[awkward: allocates",
    f"{_ACCEPTANCE}::TestABotThatUses99PercentOfItsTime",
)
_MEMORY: Final = "4G"
_FIRST_LINE: Final = "== Linux"


def main(arguments: Sequence[str]) -> int:
    """Run the tests as each kind of worker. Returns 0 if all passed, and CANNOT_BOOT if a guest did not boot."""
    parser = argparse.ArgumentParser(prog="boot.py", description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--as", dest="kinds", action="append", choices=KINDS, help="only as this kind of worker")
    parser.add_argument("--seconds", type=int, default=3600, help="longest time of a guest (default: 3600)")
    options, chosen = parser.parse_known_args(arguments)
    if shutil.which(PROGRAM) is None:
        parser.exit(CANNOT_BOOT, f"{PROGRAM} is missing. Install it: apt-get install user-mode-linux\n")
    kinds = options.kinds or KINDS
    with ThreadPoolExecutor(max(1, min(2, os.cpu_count() or 1))) as guests:
        statuses = list(guests.map(partial(run, chosen, options.seconds), kinds))
    if None in statuses:
        sys.stdout.write("The guest kernel does not boot on this machine.\n")
        return CANNOT_BOOT
    failed = [kind for kind, status in zip(kinds, statuses, strict=True) if status != "0"]
    sys.stdout.write(f"Failed in the guest: {', '.join(failed)}\n" if failed else "All tests passed in the guest.\n")
    return 1 if failed else 0


def run(chosen: Sequence[str], seconds: int, kind: str) -> str | None:
    """Run the tests in a guest as this kind of worker. Return pytest's exit status; None if the guest did not boot."""
    with tempfile.TemporaryDirectory(prefix="squarefield-guest-") as directory:
        job = Path(directory)
        job.chmod(0o755)
        job.joinpath("job").write_text(script(kind, chosen or (*_CHOICE, *tests_of(kind))))
        command = ["timeout", "--kill-after", "10", str(seconds), PROGRAM, "root=/dev/root", "rootfstype=hostfs",
                   "rootflags=/", "rw", f"mem={_MEMORY}", f"init={HERE / 'init'}", f"JOB={job}", "con=null",
                   "con0=null,fd:1", "quiet", "loglevel=0"]
        # It writes a control socket into its home.
        environment = {**os.environ, "HOME": str(job)}
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=environment) as guest:
            booted = show(kind, guest)
        status = job / "status"
        if not booted:
            return None
        return status.read_text().strip() if status.exists() else ""


def tests_of(kind: str) -> Sequence[str]:
    """Return the tests that run by default."""
    return ("tests/sandbox",) if kind == "root" else _WALLS


def script(kind: str, chosen: Sequence[str]) -> str:
    """Return the guest's shell script; its exit status is pytest's."""
    command = [sys.executable, "-m", "pytest", "-q", "--color=no", "-p", "no:cacheprovider",
               *(f"--deselect={test}" for test in _NOT_IN_A_GUEST), *chosen]
    settings = {"SQUAREFIELD_NO_BOOTSTRAP": "1", "PYTHONDONTWRITEBYTECODE": "1", "ACCEPTANCE_IN_A_GUEST": "1"}
    return "\n".join([*openings(), f"cd {shlex.quote(str(ROOT))}",
                      *(f"export {name}={value}" for name, value in settings.items()),
                      f"sh {shlex.quote(str(HERE / 'enter'))} {kind} {shlex.join(command)}", ""])


def openings() -> list[str]:
    """Return commands that let user 1000 reach the checkout and Python, in the guest only.

    A private directory above them, such as /root, is covered by an empty one in memory, with them at their places.
    """
    needed = sorted({ROOT, Path(sys.prefix), Path(sys.base_prefix)})
    lines = []
    for number, top in enumerate(sorted({top for path in needed for top in first_closed(path)})):
        places = [(f"/run/open-{number}-{index}", shlex.quote(str(path)))
                  for index, path in enumerate(needed) if path.is_relative_to(top)]
        lines += [f"mkdir {place} && mount --bind {path} {place}" for place, path in places]
        lines.append(f"mount -t tmpfs -o mode=755 open {shlex.quote(str(top))}")
        lines += [f"mkdir -p {path} && mount --bind {place} {path}" for place, path in places]
    return lines


def first_closed(path: Path) -> list[Path]:
    """Return the topmost directory on this path that other users may not enter, if there is one."""
    return [part for part in (*reversed(path.parents), path) if not part.stat().st_mode & 0o001][:1]


def show(kind: str, guest: "subprocess.Popen[bytes]") -> bool:
    """Print the guest's output from the first line of `init` on, with the kind before each line; return if it came."""
    shown = False
    for line in guest.stdout or ():
        text = line.decode(errors="replace").rstrip()
        if shown := shown or text.startswith(_FIRST_LINE):
            sys.stdout.write(f"{kind}: {text}\n")
            sys.stdout.flush()
    return shown


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
