"""System packages: detected, and named in one command for users who may not install them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tournaments.setup.bootstrap.packages import missing_packages
from tournaments.setup.embedded import unprivileged_prefix

ROOT = Path(__file__).resolve().parents[2]


class TestMissingPackages:
    def test_finds_programs_by_name(self) -> None:
        assert missing_packages({"dash": "sh", "nonesuch": "no-such-program"}) == ["nonesuch"]

    def test_finds_files_by_pattern(self, tmp_path: Path) -> None:
        (tmp_path / "lib.so.2").touch()
        assert missing_packages({"here": f"{tmp_path}/*.so.2", "gone": f"{tmp_path}/*.so.3"}) == ["gone"]


class TestEnsurePackages:
    def test_shows_an_unprivileged_user_the_command(self, tmp_path: Path) -> None:
        prefix = unprivileged_prefix(tmp_path)
        if prefix and prefix[0] != "unshare":
            pytest.skip("needs user namespaces, or a user other than root")
        call = "ensure_packages({'nonesuch': 'nonesuch'})"
        program = f"from tournaments.setup.bootstrap import packages; print(packages.{call})"
        done = subprocess.run(
            [*prefix, sys.executable, "-c", program],
            cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, check=True,
        )  # fmt: skip
        assert "sudo apt-get install -y --no-install-recommends nonesuch" in done.stderr
        assert done.stdout == "['nonesuch']\n"
