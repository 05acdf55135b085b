"""A release: the same bytes anywhere and at any time, and files that work."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from engines import native
from engines.layout import files_of, renamed
from engines.version import VERSION
from tournaments.setup.packaging.backend import CHECKOUT, sdist
from tournaments.setup.packaging.release import HASHES, build_release

WHEEL = f"squarefield-{VERSION}-py3-none-any.whl"


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("release")
    build_release(out)
    return out


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


@pytest.mark.serial
@pytest.mark.slow
class TestARelease:
    def test_has_the_same_bytes_from_another_place_and_time(self, release: Path, tmp_path: Path) -> None:
        copy = tmp_path / "ä copy"
        for name in ("engines", "ratings", "tournaments"):
            shutil.copytree(CHECKOUT / name, copy / name, copy_function=shutil.copyfile)
        for name in ("CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml"):
            shutil.copyfile(CHECKOUT / name, copy / name)
        for path in copy.rglob("*"):
            os.utime(path, (2**30, 2**30))
        given = {"TZ": "Asia/Tokyo", "PYTHONHASHSEED": "7", "LANG": "C", "SOURCE_DATE_EPOCH": "1234567890"}
        subprocess.run([sys.executable, "-m", "tournaments.setup.packaging.release", tmp_path / "out"], cwd=copy,
                       env=given, check=True, capture_output=True, umask=0o077)
        assert contents(tmp_path / "out") == contents(release)

    def test_has_an_sdist_that_builds_the_same_wheel(self, release: Path, tmp_path: Path) -> None:
        shutil.unpack_archive(release / f"squarefield-{VERSION}.tar.gz", tmp_path)
        source = tmp_path / f"squarefield-{VERSION}"
        subprocess.run([sys.executable, "-c", "from tournaments.setup.packaging.backend import *; build_wheel('..')"],
                       cwd=source, env={}, check=True)
        assert (tmp_path / WHEEL).read_bytes() == (release / WHEEL).read_bytes()
        assert sdist(source)[1] == (release / f"squarefield-{VERSION}.tar.gz").read_bytes()

    def test_has_an_sdist_with_all_that_the_native_engine_is_built_from(self, release: Path, tmp_path: Path) -> None:
        shutil.unpack_archive(release / f"squarefield-{VERSION}.tar.gz", tmp_path)
        source = tmp_path / f"squarefield-{VERSION}"
        files = [path.relative_to(CHECKOUT) for folder in ("include", "src")
                 for path in (CHECKOUT / "engines/native" / folder).rglob("*") if path.is_file()]
        needed = [*files, Path("engines/native/CMakeLists.txt"), Path("engines/native/pyproject.toml")]
        assert [file for file in needed if not (source / file).is_file()] == []

    def test_lists_the_hash_of_each_file(self, release: Path) -> None:
        lines = [line.split("  ") for line in (release / HASHES).read_text().splitlines()]
        assert {name for _, name in lines} == set(contents(release)) - {HASHES}
        assert all(digest == hashlib.sha256((release / name).read_bytes()).hexdigest() for digest, name in lines)

    def test_has_a_bill_of_materials(self, release: Path) -> None:
        document: dict[str, Any] = json.loads((release / f"squarefield-{VERSION}.cdx.json").read_text())
        assert (document["bomFormat"], document["metadata"]["component"]["version"]) == ("CycloneDX", VERSION)
        assert {(each["name"], each["scope"]) for each in document["components"]} >= {("numpy", "optional")}

    def test_has_a_kit_that_runs_with_python_alone(self, release: Path, tmp_path: Path) -> None:
        kit = [sys._base_executable, "-S", release / "squarefield.pyz"]
        (tmp_path / "shared/.cache/squarefield").mkdir(parents=True)
        (tmp_path / "shared/.cache/squarefield").chmod(0o777)
        for home in (tmp_path, tmp_path, tmp_path / "shared"):  # the last cache is not trusted
            done = subprocess.run([*kit, "play", "squ", "random", "greedy", "--size", "4", "--quiet", "--unsafe-local"],
                                  env={"HOME": str(home), "PATH": os.environ["PATH"]}, cwd=tmp_path,
                                  capture_output=True, text=True, check=False, timeout=600)
            assert done.returncode == 0, done.stderr
            assert "greedy" in done.stdout
        assert len(list(tmp_path.glob(".cache/squarefield/pyz-*/squarefield/__init__.py"))) == 1
        assert list((tmp_path / "shared/.cache/squarefield").iterdir()) == []

    @pytest.mark.parametrize("fits", [True, False])
    def test_has_a_kit_that_finds_the_native_engine_if_it_fits(self, release: Path, tmp_path: Path, *,
                                                               fits: bool) -> None:
        if not fits:  # a directory on the path comes before the installed packages
            (tmp_path / "site/squarefield").mkdir(parents=True)
            (tmp_path / "site/squarefield/_native.py").write_text('__version__, RULES = "0.9.0", {}\n')
        elif not native.available():
            pytest.skip("the native engine is not installed")
        (tmp_path / "bot.py").write_text(NATIVE_BOT)
        done = subprocess.run([sys.executable, release / "squarefield.pyz", "play", "squ", "bot.py", "random", "--size",
                               "4", "--unsafe-local"], cwd=tmp_path, capture_output=True, text=True, check=False,
                              env={"HOME": str(tmp_path), "PATH": os.environ["PATH"],
                                   "PYTHONPATH": str(tmp_path / "site")}, timeout=600)
        assert done.returncode == 0, done.stderr
        assert ("resign" in done.stdout) is fits
        said = f"squarefield {VERSION} cannot use squarefield-native 0.9.0: pip install ./engines/native"
        assert done.stderr.count(said) == (not fits)


NATIVE_BOT = """
from squarefield import native
from squarefield.sdk import RESIGN, Bot, run

class Wise(Bot):
    name = "wise"

    def choose(self, position, clock):
        return (RESIGN,) if native.available() else next(position.legal_turns())

run(Wise())
"""


def test_every_file_has_the_same_version() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    native = tomllib.loads((CHECKOUT / "engines/native/pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["optional-dependencies"]["native"] == [f"squarefield-native=={VERSION}"]
    assert (project["dynamic"], native["version"]) == (["version"], VERSION)
    assert f"\nARG VERSION={VERSION}\n" in (CHECKOUT / "Dockerfile").read_text(encoding="utf-8")
    assert f"\n## {VERSION} – 20" in (CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8")


class TestRenaming:
    def test_leaves_no_name_of_the_checkout(self) -> None:
        assert all(name.startswith("squarefield/") for name in files_of(CHECKOUT))
        text = ('from engines.rules import grid\nfrom tournaments.library import x\n'
                'P = "ratings.rate.main"\nE = "engines"\n')
        assert renamed(text, "a.py") == (
            "from squarefield._core.engines.rules import grid\nfrom squarefield import x\n"
            'P = "squarefield._core.ratings.rate.main"\nE = "engines"\n')

    def test_follows_a_module_that_moves_away_from_its_neighbours(self) -> None:
        assert renamed("from engines import native", "a.py") == "from squarefield import native"
        with pytest.raises(ValueError, match="in a line of its own"):
            renamed("from engines import native, sdk", "a.py")

    def test_refuses_an_import_whose_name_is_used_further_on(self) -> None:
        with pytest.raises(ValueError, match=r"b\.py: write `from … import …`"):
            renamed("import engines.rules\n", "b.py")

    def test_takes_no_module_of_the_service(self) -> None:
        assert not [name for name, content in files_of(CHECKOUT).items() if b"from django" in content]
