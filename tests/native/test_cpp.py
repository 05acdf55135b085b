"""The tests in C++ (tests/native/*.cpp) and the extension, under sanitizers for addresses and undefined behaviour."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tournaments.setup.bootstrap.native import install

HERE: Final = Path(__file__).parent
INCLUDE: Final = HERE.parents[1] / "engines/native/include"
SANITIZERS: Final = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
WARNINGS: Final = ("-Werror", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow")
# Without optimisation, compiling takes half the time.
FLAGS: Final = ("-std=c++20", "-O0", "-g1", *SANITIZERS, *WARNINGS, f"-I{INCLUDE}")


@pytest.mark.thorough
@pytest.mark.slow
class TestCpp:
    @pytest.mark.parametrize("source", sorted(HERE.glob("*.cpp")), ids=lambda source: source.stem)
    def test_passes_with_sanitizers_and_without_warnings(self, compiler, source, tmp_path):
        program = tmp_path / source.stem
        built = subprocess.run([compiler, *FLAGS, source, "-o", program], capture_output=True, text=True, check=False)
        assert built.returncode == 0, built.stderr
        ran = subprocess.run([program], capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr


@pytest.mark.thorough
@pytest.mark.slow
class TestExtension:
    @pytest.mark.timeout(3600)
    def test_passes_its_tests_with_sanitizers(self, compiler, tmp_path):
        place = tmp_path / "with sanitizers"
        install(dict(os.environ), ["--python", sys.executable, "--target", str(place)],
                {"build-dir": str(tmp_path / "build"), "cmake.build-type": "Debug",
                 "cmake.define.SQUAREFIELD_SANITIZERS": "address,undefined"})
        # Python has neither; without the second one, the first does not find the functions that throw exceptions.
        libraries = [subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True,
                                    check=True).stdout.strip() for name in ("libasan.so", "libstdc++.so")]
        # Python itself leaves memory to the end of the process.
        environ = {**os.environ, "LD_PRELOAD": " ".join(libraries), "ASAN_OPTIONS": "detect_leaks=0",
                   "PYTHONPATH": str(place)}
        shown = subprocess.run([sys.executable, "-c", "from engines.native import module; print(module().__file__)"],
                               env=environ, cwd=HERE.parents[1], capture_output=True, text=True, check=False)
        assert shown.stdout.startswith(str(place)), shown.stderr
        # The extension is too slow then for a test of strength.
        pytest_here = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not thorough", "-k",
                       "not beats_a_shallow_searcher", HERE]
        tests = subprocess.run(pytest_here, env=environ, cwd=HERE.parents[1], capture_output=True, text=True,
                               check=False)
        assert tests.returncode == 0, tests.stdout[-4000:] + tests.stderr[-4000:]
