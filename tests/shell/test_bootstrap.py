"""The start on a bare machine: error messages when it cannot work, and several simultaneous starts."""

import ast
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.waiting import wait_for
from tournaments.setup.bootstrap import environment
from tournaments.setup.bootstrap.environment import CannotInstall, Environment
from tournaments.setup.bootstrap.usage import DEMO_SCALES

ROOT = Path(__file__).resolve().parents[2]
# In place of uv: an environment with the packages of the tests.
INSTALLER = f"""#!/bin/sh
echo $1 >> calls
test $1 = venv || exit 0
mkdir -p .venv/bin
cp {sys.prefix}/pyvenv.cfg .venv
ln -s {environment.BASE_PYTHON} .venv/bin/python
ln -s {sys.prefix}/lib .venv/lib
"""
NOWHERE = "http://127.0.0.1:9/"  # the discard port: nothing listens


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a directory with the files that a bare checkout needs to start."""
    shutil.copy(ROOT / "manage.py", tmp_path)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    setup = tmp_path / "tournaments" / "setup"
    shutil.copytree(ROOT / "tournaments" / "setup" / "bootstrap", setup / "bootstrap")
    shutil.copy(ROOT / "tournaments" / "__init__.py", setup.parent)
    shutil.copy(ROOT / "tournaments" / "setup" / "__init__.py", setup)
    return tmp_path


def start(checkout: Path, **variables: str) -> subprocess.Popen[str]:
    """Start `python3 manage.py version` with the Python behind the tests' environment."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SQUAREFIELD_", "DJANGO_"))}
    return subprocess.Popen(
        [environment.BASE_PYTHON, "manage.py", "version"],
        cwd=checkout,
        env={**kept, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def has_open(process: subprocess.Popen[str], file: Path) -> bool:
    with suppress(FileNotFoundError):  # another file, which it closes just now
        return any(link.readlink() == file for link in Path(f"/proc/{process.pid}/fd").iterdir())
    return False


class TestManage:
    def test_can_be_parsed_by_any_python_3(self) -> None:
        ast.parse((ROOT / "manage.py").read_text(), feature_version=(3, 4))

    def test_explains_that_python_is_too_old(self) -> None:
        pretend = "import runpy, sys; sys.version_info = (3, 9, 2); runpy.run_path('manage.py')"
        done = subprocess.run([sys.executable, "-c", pretend], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert done.stderr.startswith("Squarefield needs Python 3.11")
        assert "Traceback" not in done.stderr

    def test_imports_only_the_standard_library_before_installing(self) -> None:
        files = (ROOT / "tournaments" / "setup" / "bootstrap").glob("[!_]*.py")
        modules = [f"tournaments.setup.bootstrap.{path.stem}" for path in files]
        imports = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import {', '.join(modules)}"
        # -S leaves site-packages out.
        subprocess.run([sys.executable, "-I", "-S", "-c", imports], check=True)

    def test_shows_help_without_installing_anything(self, checkout: Path) -> None:
        shutil.copy(ROOT / "tournaments" / "setup" / "embedded.py", checkout / "tournaments" / "setup")
        for words, said in ((["demo", "--scale", "small", "-h"], "--port N"), (["help", "demo"], "--port N"),
                            (["selftest", "--help"], "--only-fault NAME")):
            done = subprocess.run(
                [environment.BASE_PYTHON, "-S", "manage.py", *words], cwd=checkout, capture_output=True, text=True,
                check=False, env={"PATH": os.environ["PATH"], "PIP_INDEX_URL": NOWHERE})
            assert (done.returncode, done.stderr) == (0, "")
            assert said in done.stdout
        assert {path.name for path in checkout.iterdir()} == {"manage.py", "requirements", "tournaments"}

    def test_offers_the_demos_scales(self) -> None:
        from tournaments.setup.demo.plan import SCALES

        assert tuple(SCALES) == DEMO_SCALES

    @pytest.mark.serial
    @pytest.mark.slow
    def test_installs_once_if_three_start_together(self, checkout: Path) -> None:
        tools = checkout / ".venv-tools"
        uv = tools / "bin" / "uv"
        uv.parent.mkdir(parents=True)
        uv.write_text(INSTALLER)
        uv.chmod(0o755)
        (tools / "installed").write_text(hashlib.sha256((checkout / "requirements/tools.txt").read_bytes()).hexdigest())
        with (tools / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            starts = [start(checkout) for _ in range(3)]
            wait_for(lambda: all(has_open(process, tools / "lock") for process in starts), "three to want the lock")
        ends = [(*process.communicate(), process.returncode) for process in starts]
        assert [code for _, _, code in ends] == [0, 0, 0], ends
        assert len({out for out, _, _ in ends}) == 1
        assert sum("Installing the packages" in err for _, err, _ in ends) == 1
        assert (checkout / "calls").read_text().splitlines() == ["venv", "pip"]

    @pytest.mark.serial
    @pytest.mark.slow
    @pytest.mark.thorough
    def test_installs_the_locked_packages(self, checkout: Path) -> None:
        if (ROOT / ".venv-tools").exists():
            shutil.copytree(ROOT / ".venv-tools", checkout / ".venv-tools")
        process = start(checkout)
        _, said = process.communicate()
        assert process.returncode == 0, said

    @pytest.mark.serial
    @pytest.mark.slow
    def test_reports_a_missing_network_in_one_sentence(self, checkout: Path) -> None:
        process = start(
            checkout, PIP_INDEX_URL=NOWHERE, PIP_RETRIES="0", PIP_CONFIG_FILE=os.devnull, PIP_FIND_LINKS=str(checkout)
        )
        _, said = process.communicate()
        assert process.returncode == 1
        assert "check the network" in said.splitlines()[-1]
        assert "Traceback" not in said

    def test_reports_an_unwritable_checkout_in_one_sentence(self, checkout: Path) -> None:
        (checkout / ".venv-tools").write_text("a file in place of the directory")
        process = start(checkout)
        _, said = process.communicate()
        assert process.returncode == 1
        assert said.count("\n") == 1
        assert "Make it writable" in said

    def test_reports_missing_packages_in_one_sentence_if_told_not_to_install(self) -> None:
        program = "from tournaments.setup.bootstrap.environment import enter; enter('run')"
        done = subprocess.run(
            [sys.executable, "-S", "-c", program],
            cwd=ROOT, env={**os.environ, "SQUAREFIELD_NO_BOOTSTRAP": "1"}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert "has no Django. Unset" in done.stderr


class TestEnvironment:
    def installed(self, root: Path, profile: str) -> Environment:
        """Return an environment whose stamp says that `profile` is installed."""
        there = Environment(root)
        there.python.parent.mkdir(parents=True)
        there.python.symlink_to(sys.executable)
        there.stamp.write_text(there._mark(profile))
        return there

    @pytest.mark.parametrize("profile", ["run", "dev"])
    def test_does_nothing_when_the_stamp_matches_the_lock(self, checkout: Path, profile: str) -> None:
        self.installed(checkout, profile).install("run")
        assert not (checkout / ".venv-tools").exists()

    def test_is_outdated_with_another_lock(self, checkout: Path) -> None:
        there = self.installed(checkout, "run")
        with (checkout / "requirements" / "run.txt").open("a") as lock:
            lock.write("# changed\n")
        assert not there._satisfies("run")

    def test_is_insufficient_with_the_service_packages_for_the_tests(self, checkout: Path) -> None:
        assert not self.installed(checkout, "run")._satisfies("dev")

    def test_names_the_package_if_pip_is_missing(self) -> None:
        # An environment without packages has no pip.
        with pytest.raises(CannotInstall, match="apt-get install python3-pip"):
            environment.run([sys.executable, "-I", "-S", "-m", "pip"], "pip could not fetch uv")

    def test_passes_pips_index_to_uv(self) -> None:
        settings = environment.installer_environment({"PIP_INDEX_URL": NOWHERE})
        assert settings["UV_DEFAULT_INDEX"] == NOWHERE
