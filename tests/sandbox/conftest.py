"""A runtime directory and a sandbox for the whole session, and fixtures that run code in it."""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from engines.sandbox import BotProcess, Build, Limits, Runtime, Sandbox, SandboxUnavailable, Tier
from engines.sandbox.processes.collect import Output, collect
from engines.sandbox.processes.launch import find_tools
from tests.package import package_read_once

Run = Callable[..., Output]


@pytest.fixture(scope="session", autouse=True)
def package() -> Iterator[None]:
    with package_read_once():
        yield


@pytest.fixture(scope="session")
def runtime() -> Iterator[Runtime]:
    """Yield a runtime outside pytest's own directory, which the users of bots cannot enter."""
    with tempfile.TemporaryDirectory(prefix="squarefield-tests-") as directory:
        Path(directory).chmod(0o711)
        runtime = Runtime(Path(directory, "runtime"))
        runtime.sdk()  # so that no single test pays for the copy of the package
        yield runtime


@pytest.fixture(scope="session")
def opened(runtime: Runtime) -> Sandbox:
    if sys.platform != "linux":
        pytest.skip("the sandbox needs Linux")
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    try:
        return Sandbox.open(runtime)
    except SandboxUnavailable as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def reduced(opened: Sandbox) -> Sandbox:
    """Return a sandbox that treats this machine as if it had no cgroups."""
    return Sandbox(opened.runtime, Tier.REDUCED, tools=find_tools(), reason="asked for by a test")


@pytest.fixture
def standard(opened: Sandbox) -> Sandbox:
    if opened.tier is not Tier.STANDARD:
        pytest.skip(f"no cgroups here: {opened.reason}")
    return opened


@pytest.fixture(params=["opened", "reduced"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Return the best sandbox of this machine, then the one without cgroups."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def stage(runtime: Runtime, tmp_path: Path) -> Callable[..., Build]:
    """Return a function that stages a bot from its command and files."""

    def stage(command: list[str], files: dict[str, str | bytes] | None = None) -> Build:
        directory = Path(tempfile.mkdtemp(dir=tmp_path))
        (directory / "bot.toml").write_text(f'name = "Test"\ncommand = {json.dumps(command)}\n')
        for name, content in (files or {}).items():
            (directory / name).write_bytes(content if isinstance(content, bytes) else content.encode())
            (directory / name).chmod(0o755)
        return runtime.stage_directory(directory)

    return stage


@pytest.fixture
def start(stage: Callable[..., Build]) -> Iterator[Callable[..., BotProcess]]:
    """Yield a function that starts a Python script as a bot; kill the bots after the test."""
    started: list[BotProcess] = []

    def start(sandbox: Sandbox, script: str, **limits: int) -> BotProcess:
        build = stage(["python3", "-u", "bot.py"], {"bot.py": script})
        started.append(sandbox.start(build, limits=Limits(**limits)))
        return started[-1]

    yield start
    for process in started:
        process.kill()


@pytest.fixture
def run(start: Callable[..., BotProcess]) -> Run:
    """Return a function that runs a Python script as a bot to its end and returns its output."""

    def run(sandbox: Sandbox, script: str, **limits: int) -> Output:
        return collect(start(sandbox, script, **limits), 20, max_stdout=1_000_000, stderr_kept=100_000)

    return run


@pytest.fixture(scope="session")
def compile_c(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], bytes]:
    """Return a function that compiles a static program from C, once for the session."""

    @cache
    def compile_c(source: str) -> bytes:
        if shutil.which("gcc") is None:
            pytest.skip("gcc is not installed")
        place = tmp_path_factory.mktemp("c")
        (place / "program.c").write_text(source)
        subprocess.run(["gcc", "-O1", "-static", "-o", "program", "program.c"], cwd=place, check=True)
        return (place / "program").read_bytes()

    return compile_c
