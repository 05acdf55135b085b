"""Installation of the locked packages into `.venv`, and restart of the program inside it.

pip is used only to fetch uv into `.venv-tools` (Debian's pip refuses to install anywhere else, and its venv module may
be missing); uv creates the environment. Every file is verified against the hashes in `requirements/`. A stamp records
the installed set, so that later starts need only one comparison.
"""

import fcntl
import hashlib
import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[3]
# Commands that also need the packages of the tests; all others run with those of the service.
DEV_COMMANDS = frozenset({"selftest"})
NO_BOOTSTRAP = "SQUAREFIELD_NO_BOOTSTRAP"
# The Python behind the current environment: it has pip, unlike environments created by uv.
BASE_PYTHON = getattr(sys, "_base_executable", sys.executable)


class CannotInstall(Exception):
    """The packages cannot be installed; the message says what to do."""


def enter(profile: str) -> None:
    """Return if this process can import the packages of `profile` ("run" or "dev"); otherwise install and restart.

    Exits with a message if the packages cannot be installed.
    """
    if os.environ.get(NO_BOOTSTRAP):
        if importlib.util.find_spec("django") is None:
            sys.exit(f"Squarefield cannot start: {NO_BOOTSTRAP} is set, but {sys.executable} has no Django. Unset the "
                     "variable.")
        return
    environment = Environment(ROOT)
    try:
        environment.install(profile)
    except CannotInstall as reason:
        sys.exit(f"Squarefield cannot start: {reason}")
    if Path(sys.prefix).resolve() != environment.venv.resolve():
        restart(environment.python)


def restart(python: Path) -> NoReturn:
    """Restart the program, with the same flags and arguments, under another Python."""
    sys.stdout.flush()
    os.execv(python, [str(python), *sys.orig_argv[1:]])


class Environment:
    """Environment of a checkout: `.venv` for the packages, `.venv-tools` for uv."""

    def __init__(self, root: Path) -> None:
        self.requirements = root / "requirements"
        self.venv = root / ".venv"
        self.tools = root / ".venv-tools"
        self.python = self.venv / "bin" / "python"
        self.stamp = self.venv / "installed"
        self.uv = self.tools / "bin" / "uv"

    def install(self, profile: str) -> None:
        """Install the lock of `profile` into `.venv`, once for all processes. Raises CannotInstall."""
        if self._satisfies(profile):
            return
        with self._lock():
            if self._satisfies(profile):
                return
            # Never shrink the set: tests that need the larger one may be running.
            profile = "dev" if self._installed().startswith("dev ") else profile
            self._fetch_uv()
            self._make_venv()
            self._sync(profile)

    def _satisfies(self, profile: str) -> bool:
        accepted = {self._mark(name) for name in {profile, "dev"}}
        return self._installed() in accepted and self._runs()

    def _runs(self) -> bool:
        """Return whether this user can start the Python; another user's may point into an unreadable home directory."""
        return os.access(self.python, os.X_OK)

    def _installed(self) -> str:
        return self.stamp.read_text() if self.stamp.exists() else ""

    def _mark(self, profile: str) -> str:
        """Return the stamp of an installed `profile`: its name, the Python version, and the hash of its lock."""
        lock = (self.requirements / f"{profile}.txt").read_bytes()
        return f"{profile} {sys.version_info.major}.{sys.version_info.minor} {hashlib.sha256(lock).hexdigest()}\n"

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Lock the checkout for installation; a second process waits here, and then finds the packages installed."""
        try:
            self.tools.mkdir(exist_ok=True)
            lock = (self.tools / "lock").open("w")
        except OSError as error:
            raise CannotInstall(
                f"the packages are not installed, and {self.tools.parent} is not writable ({error.strerror}). Make it "
                f"writable, or install requirements/run.txt yourself and set {NO_BOOTSTRAP}=1."
            ) from error
        with lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _fetch_uv(self) -> None:
        """Install the locked uv into `.venv-tools`, unless it is there."""
        lock = self.requirements / "tools.txt"
        stamp = self.tools / "installed"
        wanted = hashlib.sha256(lock.read_bytes()).hexdigest()
        if self.uv.exists() and stamp.exists() and stamp.read_text() == wanted:
            return
        say("Fetching uv, the installer …")
        pip = [BASE_PYTHON, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input"]
        run(
            [*pip, "install", "--upgrade", "--require-hashes", "--target", str(self.tools), "-r", str(lock)],
            "pip could not fetch uv",
        )
        stamp.write_text(wanted)

    def _make_venv(self) -> None:
        if self._is_ours():
            return
        say("Creating the environment .venv …")
        run([str(self.uv), "venv", "--clear", "--no-project", str(self.venv)], ".venv could not be created")

    def _is_ours(self) -> bool:
        """Return whether `.venv` works and has the Python version that is running now."""
        if not self._runs():
            return False
        question = [str(self.python), "-c", "import sys; print(*sys.version_info[:2])"]
        answer = subprocess.run(question, capture_output=True, text=True, check=False)
        return answer.stdout.split() == [str(part) for part in sys.version_info[:2]]

    def _sync(self, profile: str) -> None:
        say(f"Installing the packages of requirements/{profile}.txt …")
        # Without a stamp, an interrupted installation is repeated.
        self.stamp.unlink(missing_ok=True)
        lock = self.requirements / f"{profile}.txt"
        # Compiled now, since a process that may not write bytecode would compile a thousand modules at every start.
        run(
            [str(self.uv), "pip", "sync", "--require-hashes", "--compile-bytecode", "--python", str(self.python),
             str(lock)],
            f"the packages of requirements/{profile}.txt could not be installed",
        )
        fresh = self.stamp.with_suffix(".new")
        fresh.write_text(self._mark(profile))
        fresh.replace(self.stamp)


def run(command: Sequence[str], failure: str) -> None:
    """Run an installer quietly. Raises CannotInstall with `failure` and the installer's own message."""
    done = subprocess.run(
        command, env=installer_environment(os.environ), stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    if done.returncode == 0:
        return
    said = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    if any("No module named pip" in line for line in said):
        raise CannotInstall(f"{BASE_PYTHON} has no pip. Install it: apt-get install python3-pip")
    raise CannotInstall(
        f"{failure} ({' '.join(said[-3:])[-400:] or f'exit code {done.returncode}'}); check the network, or set "
        "PIP_INDEX_URL to an index that you can reach, and start again."
    )


def installer_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for pip and uv: this Python only, the system's certificates, pip's index for both."""
    settings = {
        **environ,
        "UV_PYTHON": BASE_PYTHON,
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_NO_CONFIG": "1",
        "UV_SYSTEM_CERTS": "true",
        "UV_NO_PROGRESS": "1",
        "PIP_ROOT_USER_ACTION": "ignore",
    }
    if "PIP_INDEX_URL" in environ:
        settings.setdefault("UV_DEFAULT_INDEX", environ["PIP_INDEX_URL"])
    return settings


def say(line: str) -> None:
    """Print a line of progress to standard error, because standard output belongs to the command."""
    print(line, file=sys.stderr, flush=True)
