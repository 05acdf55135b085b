"""Go on the native engine's groups (tests/native/go.hpp), compiled for native.py: the same game as OpenSpiel's.

No suicide, area scoring, an end after two passes or 2 * size² turns. A repeated board is illegal, checked on whole
boards; in OpenSpiel, it ends the game. The mean lengths of random games are equal: 119 turns on 9×9.
"""

import ctypes
import platform
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent


@cache
def library() -> ctypes.CDLL:
    """Compile go_playouts.cpp with the flags of engines/native/CMakeLists.txt, and load it."""
    flags = ["-std=c++20", "-O3", "-DNDEBUG", "-shared", "-fPIC", f"-I{HERE.parents[1] / 'engines/native/include'}"]
    if platform.machine() in ("x86_64", "AMD64"):
        flags.append("-march=x86-64-v2")
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / "go_playouts.so"
        subprocess.run(["c++", *flags, HERE / "go_playouts.cpp", "-o", built], check=True)
        loaded = ctypes.CDLL(str(built))
    loaded.go_playouts.restype = ctypes.c_int64
    loaded.go_playouts.argtypes = [ctypes.c_int, ctypes.c_int64, ctypes.c_uint64, ctypes.POINTER(ctypes.c_int64)]
    return loaded


def go_playouts(size: int) -> Callable[[int], int]:
    """Return a function that plays this many random games and returns their number."""
    loaded, wins = library(), ctypes.c_int64()

    def work(count: int) -> int:
        loaded.go_playouts(size, count, count, ctypes.byref(wins))
        return count

    return work
