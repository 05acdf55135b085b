"""The starters' languages with their requirements, and a fixture that creates and builds a starter."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.package import package_read_once
from tournaments.kit.new import begin

TOOLCHAINS = {"python": ("Python", ["python3"]), "c++": ("C++", ["g++"]), "java": ("Java", ["javac", "java"]),
              "javascript": ("Node", ["node"]), "rust": ("Rust", ["rustc", "make"]), "go": ("Go", ["go", "make"])}
# Programs that the sandbox runs for a build must be under /usr, which it can see.
IN_SANDBOX = ("python", "c++", "java", "javascript")


@pytest.fixture(scope="session", autouse=True)
def package() -> Iterator[None]:
    with package_read_once():
        yield


def need(language):
    """Skip unless this machine can build and run the language's starter."""
    toolchain, programs = TOOLCHAINS[language]
    path = "/usr/local/bin:/usr/bin:/bin" if language in IN_SANDBOX else os.environ["PATH"]
    if any(shutil.which(program, path=path) is None for program in programs):
        pytest.skip(f"needs the {toolchain} toolchain")


@pytest.fixture(scope="session")
def starter(tmp_path_factory):
    """Return a function that creates a language's starter once, as an author would, and returns its directory."""
    made: dict[str, Path] = {}

    def make(language):
        need(language)
        if language not in made:
            directory = tmp_path_factory.mktemp("starters") / f"{language}-starter"
            if "Makefile" in begin(directory, language):
                subprocess.run(["make", "-C", directory], check=True, capture_output=True)
            made[language] = directory
        return made[language]

    return make
