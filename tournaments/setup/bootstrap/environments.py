"""Installation of gymnasium, pettingzoo and open_spiel for the tests of `engines/env`, apart from `.venv`.

They are in `var/environments`, which those tests add to the end of the search path: of packages that are also in
`.venv`, the tests use the latter. A stamp records the lock.
"""

import hashlib
import shutil
import sys

from tournaments.setup.bootstrap.environment import ROOT, Environment, run, say

PLACE = ROOT / "var/environments"
LOCK = ROOT / "requirements/env.txt"


def install() -> None:
    """Install the locked packages, unless they are there. Raises CannotInstall."""
    environment, stamp = Environment(ROOT), PLACE / "installed"
    wanted = f"{sys.version_info.major}.{sys.version_info.minor} {hashlib.sha256(LOCK.read_bytes()).hexdigest()}\n"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    say("Installing the packages of requirements/env.txt …")
    shutil.rmtree(PLACE, ignore_errors=True)
    run([str(environment.uv), "pip", "install", "--no-deps", "--require-hashes", "--target", str(PLACE), "--python",
         str(environment.python), "-r", str(LOCK)], "the packages of requirements/env.txt could not be installed")
    stamp.write_text(wanted, encoding="utf-8")
