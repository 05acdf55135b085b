"""The units for systemd in docs/how-to/operator/files: valid, hardened, and with settings that exist."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documentation.test_settings import PAGE, ROW
from tests.shell.test_compose import write_secrets
from tournaments.setup.bootstrap.environment import ROOT
from tournaments.setup.bootstrap.processes import SERVICES

FILES = ROOT / "docs" / "how-to" / "operator" / "files"
UNITS = {"web": "squarefield-web.service", "coordinator": "squarefield-coordinator.service",
         "worker": "squarefield-worker@.service"}
# The most that `systemd-analyze security` may find exposed, on its scale from 0 to 10.
EXPOSURE = {"web": 1.9, "coordinator": 1.9, "worker": 5.9}
# They cover parts of /proc, or forbid namespaces and mounts, and so no bot could start.
AGAINST_SANDBOXES = {"RestrictNamespaces", "SystemCallFilter", "ProtectKernelTunables", "ProtectKernelLogs",
                     "ProtectProc", "ProtectControlGroups"}
needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")


def service(kind: str) -> dict[str, str]:
    """Return the options of a unit's service, with the values of one that is repeated joined by spaces."""
    text = (FILES / UNITS[kind]).read_text()
    found: dict[str, str] = {}
    for name, value in re.findall(r"^(\w+)=(.*)", text.split("[Service]")[1].split("[Install]")[0], re.MULTILINE):
        found[name] = f"{found[name]} {value}" if name in found else value
    return found


class TestUnits:
    def test_start_the_commands_of_their_processes(self) -> None:
        for kind in UNITS:
            words = service(kind)["ExecStart"].split()
            assert tuple(words[1:2 + len(SERVICES[kind])]) == ("manage.py", *SERVICES[kind])

    def test_set_only_settings_that_exist(self) -> None:
        known = {name for name, _ in ROW.findall(PAGE.read_text(encoding="utf-8"))}
        for kind in UNITS:
            named = [word.split("=")[0].removesuffix("_FILE") for word in service(kind)["Environment"].split()]
            assert set(named) - {"PYTHONPYCACHEPREFIX", "TMPDIR"} <= known, kind

    def test_read_the_secrets_that_the_script_writes(self, tmp_path: Path) -> None:
        written = write_secrets(tmp_path)
        for kind in UNITS:
            loaded = dict(word.split(":") for word in service(kind)["LoadCredential"].split())
            assert {Path(path).name for path in loaded.values()} <= written.keys(), kind
            assert set(re.findall(r"%d/(\w+)", service(kind)["Environment"])) == loaded.keys(), kind

    @needs_systemd
    @pytest.mark.parametrize("kind", UNITS)
    def test_are_accepted_by_systemd(self, kind: str, tmp_path: Path) -> None:
        unit = tmp_path / UNITS[kind]
        unit.write_text((FILES / UNITS[kind]).read_text().replace("/opt/squarefield/.venv/bin/python", sys.executable))
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", str(unit)],
                              capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")

    @needs_systemd
    @pytest.mark.parametrize("kind", UNITS)
    def test_expose_little(self, kind: str) -> None:
        done = subprocess.run(["systemd-analyze", "security", "--offline=yes", "--no-pager",
                               f"--threshold={EXPOSURE[kind] * 10:.0f}", str(FILES / UNITS[kind])],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr


class TestTheWorkersUnit:
    def test_forbids_nothing_that_sandboxes_need(self) -> None:
        assert service("worker").keys() & AGAINST_SANDBOXES == set()

    def test_delegates_the_controllers_of_the_tier_standard(self) -> None:
        assert service("worker")["Delegate"].split() == ["cpu", "memory", "pids"]

    def test_may_write_builds_and_not_archives(self) -> None:
        assert service("worker")["ReadWritePaths"] == "/var/lib/squarefield/archives/builds"
        assert service("worker")["ProtectSystem"] == "strict"
