"""The scans of `selftest --only lint`: results for a secret, a vulnerable package and an unavailable index."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tournaments.setup.bootstrap import scans


def answer(*packages: dict) -> str:
    return json.dumps({"dependencies": list(packages), "fixes": []})


WELL = {"name": "django", "version": "5.2.19", "vulns": []}
ILL = {"name": "old", "version": "1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"]}]}
UNKNOWN = {"name": "far", "skip_reason": "Dependency not found on PyPI and could not be audited: far (1.0)"}


class TestVulnerabilities:
    def test_fail_the_scan_even_if_other_packages_are_unknown(self) -> None:
        assert scans.verdict(answer(WELL, UNKNOWN, ILL), "") == (False, "failed\nold 1.0: PYSEC-1, fixed in 1.1")

    def test_pass_the_scan_if_absent(self) -> None:
        assert scans.verdict(answer(WELL), "") == (True, "ok")
        assert scans.verdict(answer(WELL, UNKNOWN), "") == (True, "ok, but no data on far")

    @pytest.mark.parametrize(("output", "said", "why"), [
        (answer(UNKNOWN), "", "this package index has no data"),
        ("", "x\nConnectionError: away", "ConnectionError: away"), ("", "", "pip-audit gave no answer")])
    def test_say_plainly_that_the_index_was_unavailable(self, output: str, said: str, why: str) -> None:
        clean, told = scans.verdict(output, said)
        assert clean
        assert told.startswith(f"skipped: {why}")


class TestSecrets:
    @pytest.mark.slow
    def test_are_found_if_the_baseline_has_none(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
        kept = json.loads(scans.BASELINE.read_text())
        monkeypatch.chdir(tmp_path)
        scans.BASELINE.write_text(json.dumps({**kept, "results": {}}))
        Path("clean.py").write_text("answer = 42\n")
        assert scans.secrets() == (True, "ok")
        # Assembled here, or the scan of this file would find it.
        made_up = "wJalrXUtnFEMI" + "K7MDENGbPxRfiCYzzEXAMPLE0"
        Path("leak.py").write_text(f"AWS_SECRET_{'ACCESS'}_KEY = '{made_up}'\n")
        clean, said = scans.secrets()
        assert not clean
        assert "leak.py" in said

    @pytest.mark.slow
    def test_that_are_known_may_move_to_another_line(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
        monkeypatch.chdir(tmp_path)
        Path("known.py").write_text(f"{'PASS'}WORD = 'correct-Horse7battery'\n")
        listed = subprocess.run([sys.executable, "-m", "detect_secrets", "scan", "known.py"], capture_output=True,
                                check=True)
        scans.BASELINE.write_bytes(listed.stdout)
        assert b"known.py" in listed.stdout
        Path("known.py").write_text("\n" + Path("known.py").read_text())
        assert scans.secrets() == (True, "ok")
        assert scans.BASELINE.read_bytes() == listed.stdout
