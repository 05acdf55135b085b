"""The build backend that pyproject.toml names: `pip install .`, `pip wheel .` and `python -m build` call it.

Sources: PEP 517 and PEP 660 (the functions), PEP 427 and "Binary distribution format" (the wheel), PEP 643 and "Source
distribution format" (the sdist), https://packaging.python.org/specifications/.
"""

import hashlib
from base64 import urlsafe_b64encode
from pathlib import Path
from typing import Any, Final

from engines.layout import files_of, member_files
from tournaments.setup.packaging.archives import tarred, zipped
from tournaments.setup.packaging.metadata import Project, read_project

CHECKOUT: Final = Path(__file__).resolve().parents[3]
# Additional files of the sdist, from which it builds the same wheel.
_FILES: Final = ("CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml", "tournaments/setup/__init__.py")
# The native engine's own distribution, to be built from the unpacked sdist or its URL (#subdirectory=engines/native).
_NATIVE: Final = ("engines/native/pyproject.toml", "engines/native/CMakeLists.txt", "engines/native/include/**/*.hpp",
                  "engines/native/src/**/*.[ch]pp")
_BUILDERS: Final = "tournaments/setup/packaging"
_TAG: Final = "py3-none-any"
# A checkout that has moved must not break every start of Python.
_EDITABLE: Final = """\
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

if Path({finder!r}).is_file():
    spec = spec_from_file_location("_squarefield_finder", {finder!r})
    finder = module_from_spec(spec)
    spec.loader.exec_module(finder)
    finder.install()
"""

__all__ = ["build_editable", "build_sdist", "build_wheel", "get_requires_for_build_editable",
           "get_requires_for_build_sdist", "get_requires_for_build_wheel", "sdist", "wheel"]


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:  # noqa: ARG001 - PEP 517
    """Return the packages that a build needs: none."""
    return []


def get_requires_for_build_sdist(config_settings: dict[str, Any] | None = None) -> list[str]:  # noqa: ARG001 - PEP 517
    """Return the packages that a build needs: none."""
    return []


def build_wheel(wheel_directory: str, config_settings: dict[str, Any] | None = None,  # noqa: ARG001 - PEP 517
                metadata_directory: str | None = None) -> str:  # noqa: ARG001 - PEP 517
    """Write the wheel to a directory; return its name."""
    return _written(Path(wheel_directory), *wheel(CHECKOUT))


def get_requires_for_build_editable(config_settings: dict[str, Any] | None = None) -> list[str]:  # noqa: ARG001 - PEP 660
    """Return the packages that a build needs: none."""
    return []


def build_editable(wheel_directory: str, config_settings: dict[str, Any] | None = None,  # noqa: ARG001 - PEP 660
                   metadata_directory: str | None = None) -> str:  # noqa: ARG001 - PEP 660
    """Write a wheel that lets Python import the package from this checkout; return its name."""
    finder = CHECKOUT / _BUILDERS / "finder.py"
    return _written(Path(wheel_directory), *_wheel(CHECKOUT, {
        "squarefield_editable.pth": b"import squarefield_editable\n",
        "squarefield_editable.py": _EDITABLE.format(finder=str(finder)).encode()}))


def build_sdist(sdist_directory: str, config_settings: dict[str, Any] | None = None) -> str:  # noqa: ARG001 - PEP 517
    """Write the sdist to a directory; return its name."""
    return _written(Path(sdist_directory), *sdist(CHECKOUT))


def wheel(checkout: Path) -> tuple[str, bytes]:
    """Return the name and the contents of the wheel."""
    return _wheel(checkout, files_of(checkout))


def _wheel(checkout: Path, package: dict[str, bytes]) -> tuple[str, bytes]:
    project = read_project(checkout)
    information = f"{project.stem}.dist-info"
    files = {
        **package,
        f"{information}/METADATA": project.metadata.encode(),
        f"{information}/WHEEL": _wheel_text(project).encode(),
        f"{information}/entry_points.txt": project.entry_points.encode(),
        f"{information}/licenses/LICENSE": (checkout / "LICENSE").read_bytes(),
    }
    record = "".join(f"{name},sha256={_digest(content)},{len(content)}\n" for name, content in files.items())
    files[f"{information}/RECORD"] = f"{record}{information}/RECORD,,\n".encode()
    return f"{project.stem}-{_TAG}.whl", zipped(files)


def sdist(checkout: Path) -> tuple[str, bytes]:
    """Return the name and the contents of the sdist."""
    project = read_project(checkout)
    builders = (path.relative_to(checkout).as_posix() for path in (checkout / _BUILDERS).glob("*.py"))
    native = (path.relative_to(checkout).as_posix() for pattern in _NATIVE for path in checkout.glob(pattern))
    names = sorted({*_FILES, *builders, *native, *member_files(checkout)})
    files = {f"{project.stem}/{name}": (checkout / name).read_bytes() for name in names}
    files[f"{project.stem}/PKG-INFO"] = project.metadata.encode()
    return f"{project.stem}.tar.gz", tarred(files)


def _wheel_text(project: Project) -> str:
    return f"Wheel-Version: 1.0\nGenerator: {project.name} ({project.version})\nRoot-Is-Purelib: true\nTag: {_TAG}\n"


def _digest(content: bytes) -> str:
    return urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def _written(directory: Path, name: str, content: bytes) -> str:
    (directory / name).write_bytes(content)
    return name
