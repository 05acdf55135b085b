"""Fixtures of the tests of the native engine, which needs a compiler to be built: without it, its tests are skipped."""

import os
import shutil
from types import ModuleType

import pytest

from engines.native import NativeMissing, module


@pytest.fixture(scope="session")
def native() -> ModuleType:
    """Return the extension; skip the test if it is not installed."""
    try:
        return module()
    except NativeMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def compiler() -> str:
    """Return the C++ compiler; skip the test without one."""
    found = shutil.which(os.environ.get("CXX", "c++"))
    if found is None:
        pytest.skip("there is no C++ compiler")
    return found
