"""Examples in the documentation that say that they run do run, and print what they show.

Fenced blocks marked `console` hold commands after `$ ` and the output of each; `...` stands for any text. Fenced
blocks marked `python` run as they stand, as doctests if they have prompts. The blocks of a page share one empty
directory, in their order.
"""

import doctest
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documentation.pages import ROOT, TODAY, Block, blocks, name_of
from tests.package import write_package

RUN = {"console", "python"}
WITH_EXAMPLES = [page for page in TODAY if any(block.language in RUN for block in blocks(page))]
SECONDS = 300


@pytest.fixture(scope="session")
def package(tmp_path_factory) -> Path:
    """A directory with the package `squarefield`, as its wheel installs it."""
    directory = tmp_path_factory.mktemp("package")
    write_package(directory)
    return directory


def environment(home: Path, package: Path) -> dict[str, str]:
    """The commands of this checkout come first, as if the reader had installed it."""
    tools = home / "bin"
    tools.mkdir()
    (tools / "squarefield").write_text(f'#!/bin/sh\nexec {sys.executable} -m squarefield "$@"\n')
    (tools / "python3").symlink_to(sys.executable)
    for tool in tools.iterdir():
        if not tool.is_symlink():
            tool.chmod(0o755)
    return {"PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(home), "PYTHONPATH": f"{package}:{ROOT}",
            "LANG": "C.UTF-8", "COLUMNS": "80"}


def commands_of(block: Block) -> list[tuple[str, str]]:
    """Return each command of a console block with the output that it should have."""
    found: list[tuple[str, str]] = []
    for line in block.text.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append((line[2:], ""))
        else:
            assert found, f"{block}: output without a command"
            found[-1] = (found[-1][0], found[-1][1] + line)
    return found


def run(command: list[str], directory: Path, given: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=directory, env=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=SECONDS, check=False)


def test_some_pages_have_examples() -> None:
    assert WITH_EXAMPLES


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=name_of)
def test_examples_print_what_the_page_shows(page: Path, package: Path, tmp_path: Path) -> None:
    given, directory = environment(tmp_path, package), tmp_path / "work"
    directory.mkdir()
    same = doctest.OutputChecker().check_output
    for block in blocks(page):
        if block.language == "python":
            (directory / "example.txt").write_text(block.text)
            how = ["-m", "doctest", "example.txt"] if ">>> " in block.text else ["example.txt"]
            done = run([sys.executable, *how], directory, given)
            assert done.returncode == 0, f"{block}\n{done.stdout}"
        for command, expected in commands_of(block) if block.language == "console" else ():
            said = run(["/bin/bash", "-c", command], directory, given).stdout
            assert same(expected, said, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE), f"{block}: {command}\n{said}"
