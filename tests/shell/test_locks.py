"""requirements/: only locked files are installed, verified by hash."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]


def locked(name: str) -> dict[str, str]:
    """Return each locked package's block with its hashes, by name."""
    blocks = re.split(r"^(?=[a-z0-9])", (ROOT / "requirements" / f"{name}.txt").read_text(), flags=re.MULTILINE)
    return {block.split("==")[0].split("[")[0]: block for block in blocks if "==" in block}


def names(requirements: list[str]) -> set[str]:
    """Return the package names in requirements, without versions."""
    return {re.split(r"[\[<>=;~! ]", requirement)[0].lower() for requirement in requirements}


class TestLock:
    def test_contains_every_dependency_of_the_project(self) -> None:
        for lock, extras in (("run", ["service"]), ("dev", ["service", "dev"]), ("bench", ["bench"]),
                             ("load", ["load"])):
            assert set().union(*(names(EXTRAS[extra]) for extra in extras)) <= locked(lock).keys()

    def test_has_hashes_for_every_package_and_no_url(self) -> None:
        for lock in ("run", "dev", "bench", "load", "tools"):
            assert all("--hash=sha256:" in block for block in locked(lock).values())
            assert "://" not in (ROOT / "requirements" / f"{lock}.txt").read_text()

    def test_of_the_tests_has_the_same_versions_as_the_services(self) -> None:
        version = re.compile(r"==(\S+)")
        run, dev = ({name: version.search(block)[1] for name, block in locked(lock).items()} for lock in ("run", "dev"))
        assert run.items() <= dev.items()
