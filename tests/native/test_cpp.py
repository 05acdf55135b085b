"""The tests in C++ (tests/native/*.cpp), compiled with the sanitizers for addresses and undefined behaviour."""

import subprocess
from pathlib import Path
from typing import Final

import pytest

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
