"""The library as users have it: installed by pip into an environment of its own, outside the checkout."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tournaments.setup.packaging.backend import CHECKOUT


class Installed:
    """A virtual environment that has only the library."""

    def __init__(self, place: Path, *how: str) -> None:
        self.place = place
        self.python = place / "bin" / "python"
        venv.create(place, with_pip=False, symlinks=True)
        # The Python behind this environment has pip, unlike environments that uv creates.
        pip = [sys._base_executable, "-m", "pip", "--python", self.python]
        quietly = ["-q", "--no-index", "--no-cache-dir", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", *quietly, *how, CHECKOUT], check=True, capture_output=True, timeout=600)
        self.packages = next(place.glob("lib/python3*/site-packages"))

    def run(self, *arguments: str | Path, text: str = "", directory: Path | None = None,
            status: int = 0) -> subprocess.CompletedProcess[str]:
        """Run its Python with these arguments; the checkout cannot be imported."""
        given = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        done = subprocess.run([self.python, *arguments], input=text, cwd=directory or self.place, env=given,
                              capture_output=True, text=True, check=False, timeout=600)
        assert done.returncode == status, done.stdout + done.stderr
        return done


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Return the environment, which all tests share: do not change it."""
    return Installed(tmp_path_factory.mktemp("library"))
