"""`squarefield verify` where nothing but Python is installed. What it finds is in tests/tournaments/test_bundles.py."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.factories import make_event, make_version, play_event
from tournaments.services.exports import event_bundle

ROOT = Path(__file__).resolve().parents[2]
# Says at the end what it imported from the packages that the kit's wheel does not ship as a whole.
RUN = """
import atexit, json, sys
sys.path.insert(0, sys.argv[1])
from engines.kit.main import main
atexit.register(lambda: print(json.dumps(sorted(
    name for name in sys.modules if name.split(".")[0] in ("ratings", "tournaments")))))
sys.exit(main(["verify", sys.argv[2]]))
"""


@pytest.fixture
def path(db: None, tmp_path: Path) -> Path:
    event = play_event(make_event([make_version("Morphy"), make_version("Steinitz")], size=5))
    with event_bundle(event) as file:
        (tmp_path / "bundle.zip").write_bytes(file.read())
    return tmp_path / "bundle.zip"


class TestVerify:
    def test_runs_without_any_package_and_from_the_modules_that_the_wheel_ships(self, path: Path) -> None:
        # -S: nothing that is installed can be imported.
        done = subprocess.run([sys.executable, "-S", "-E", "-c", RUN, ROOT, path], capture_output=True, text=True,
                              check=False, timeout=60)
        assert done.returncode == 0, done.stderr
        said, modules = done.stdout.splitlines()
        assert said.startswith("Autumn Round Robin holds: ")
        shipped = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["py-modules"]
        assert sorted(name.removesuffix(".__init__") for name in shipped) == json.loads(modules)
