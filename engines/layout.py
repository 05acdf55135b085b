"""The files of the package `squarefield`, as they are in its wheel, in squarefield.pyz and in the sandboxes of bots.

In a checkout, the code has the packages `engines`, `ratings` and `tournaments`. An installed copy has only the package
`squarefield`: the public modules at its top, and the code behind them in `squarefield._core`. `package_files` copies
the modules and renames what they import by the table `PLACES`. In an installed copy, it returns the installed files.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

# Packages of a checkout and their names in the installed package. The first name that fits counts.
PLACES: Final = {
    "tournaments.library": "squarefield",
    "engines.env": "squarefield.env",
    "engines.native": "squarefield.native",
    "engines": "squarefield._core.engines",
    "ratings": "squarefield._core.ratings",
    "tournaments": "squarefield._core.tournaments",
}
# Files of the library: the pure code of the service, and the commands for authors of bots.
MEMBERS: Final = (
    "engines/**/*", "ratings/*.py", "ratings/fit/*", "ratings/names/*", "ratings/precision/*", "ratings/rate/*",
    "ratings/transitivity/*",
    "tournaments/__init__.py", "tournaments/formats/**/*", "tournaments/kit/**/*", "tournaments/library/**/*",
    "tournaments/pairing/*", "tournaments/scoring/*",
)
# Modules that match a pattern above, but belong to the service.
SERVICE: Final = frozenset(f"ratings/{name}.py" for name in (
    "admin", "apps", "counting", "openings", "services", "tables"))
# Other files than modules: filters of system calls, manifests of reference bots, characters that look alike with their
# licence, the mark for type checkers.
_DATA: Final = ("*.bpf", "bot.toml", "confusables.txt", "UNICODE-LICENSE.txt", "py.typed")
# Starters are written to the author's directory, and import only public names.
_TEMPLATES: Final = "tournaments/kit/templates/"
_COMMAND: Final = re.compile(r"(?<=python -m )engines(?![.\w])")
_NAMES: Final = "|".join(map(re.escape, PLACES))
# `from engines.rules import …`, also in examples; not `import engines.rules`, whose name the module uses later.
_IMPORT: Final = re.compile(rf"^((?:[ \t]*(?:>>>|\.\.\.))?[ \t]*from )({_NAMES})(?=[. ])", re.MULTILINE)
# `from engines import native`, whose module moves to another package than its neighbours.
_CHILDREN: Final = re.compile(r"^([ \t]*from )(engines|tournaments) import ([\w, ]+)$", re.MULTILINE)
# Whole names in quotes, such as the places of lazily imported modules.
_QUOTED: Final = re.compile(r'"((?:engines|ratings|tournaments)\.[\w.]+)(:\w+)?"')
_UNFIT: Final = re.compile(rf"^[ \t]*import (?:{_NAMES})\b", re.MULTILINE)
_CORE: Final = '"""The code behind the public modules of `squarefield`. Its names may change in any release."""\n'
# Not sources: compiled modules, and everything below the folder of the native engine's wrapper.
_FOREIGN: Final = re.compile(r"__pycache__/|^engines/native/[^/]+/")
_THIS: Final = "engines/layout.py"
# An editable install imports this file from the checkout.
_INSTALLED: Final = Path(__file__).resolve().parents[1].name == "_core"


def package_files() -> dict[str, bytes]:
    """Return the contents of all files by name, such as `squarefield/__init__.py`, in the order of the names."""
    here = Path(__file__).resolve()
    if _INSTALLED:
        top = here.parents[2]
        return {f"squarefield/{name}": (top / name).read_bytes()
                for name in sorted(path.relative_to(top).as_posix() for path in top.rglob("*")
                                   if path.is_file() and path.suffix not in {".pyc", ".so", ".pyd"})}
    return files_of(here.parents[1])


def files_of(checkout: Path) -> dict[str, bytes]:
    """Return what `package_files` returns, from the checkout in this directory."""
    found = {"squarefield/_core/__init__.py": _CORE.encode()}
    for name in member_files(checkout):
        content = (checkout / name).read_bytes()
        found[_placed(name)] = placed_text(content.decode(), name).encode() if name.endswith(".py") else content
    return dict(sorted(found.items()))


def placed_text(text: str, name: str) -> str:
    """Return the text that a module of the checkout has in the package. Raises ValueError as `renamed`."""
    return renamed(text, name) if _is_code(name) else text


def source_of(module: str) -> str:
    """Return the name in the checkout of a module of the package.

    >>> source_of("squarefield.env.gym"), source_of("squarefield.records")
    ('engines.env.gym', 'tournaments.library.records')
    """
    package, place = max(PLACES.items(), key=lambda item: len(item[1]) * f"{module}.".startswith(f"{item[1]}."))
    return package + module.removeprefix(place)


def renamed(text: str, name: str) -> str:
    """Return a module's text with the names of the installed package. Raises ValueError for an import that cannot fit.

    >>> renamed("from engines.rules.registry import find", "a.py")
    'from squarefield._core.engines.rules.registry import find'
    """
    if unfit := _UNFIT.search(text):
        raise ValueError(f"{name}: write `from … import …` instead of `{unfit.group().strip()}…`, so that the package "
                         "can rename it")
    text = _CHILDREN.sub(lambda found: _import_of_children(found, name), text)
    text = _IMPORT.sub(lambda found: found[1] + PLACES[found[2]], text)
    text = _QUOTED.sub(lambda found: f'"{_moved(found[1], ".")}{found[2] or ""}"', text)
    return _COMMAND.sub("squarefield.rules", text)


def member_files(checkout: Path) -> Iterator[str]:
    """Yield the names of the files that the package is made of, in any order."""
    for pattern in MEMBERS:
        for path in checkout.glob(pattern):
            name = path.relative_to(checkout).as_posix()
            if path.is_file() and not _FOREIGN.search(name) and name not in SERVICE and (
                    path.suffix == ".py" or any(path.match(data) for data in _DATA) or name.startswith(_TEMPLATES)):
                yield name


def _import_of_children(found: re.Match[str], name: str) -> str:
    """Return an import of modules from their package, after the move of one of them."""
    places = [PLACES.get(f"{found[2]}.{each.split()[0]}") for each in found[3].split(",")]
    if not any(places):
        return found[0]
    if len(places) > 1:
        raise ValueError(f"{name}: import each module of `{found[0].strip()}` in a line of its own, because they are "
                         "in different places in the package")
    return f"{found[1]}{str(places[0]).rpartition('.')[0]} import {found[3]}"


def _is_code(name: str) -> bool:
    return name.endswith(".py") and name != _THIS and not name.startswith(_TEMPLATES)


def _placed(name: str) -> str:
    """Return a file's name in the package: `ratings/elo.py` is `squarefield/_core/ratings/elo.py`."""
    return _moved(name, "/")


def _moved(name: str, separator: str) -> str:
    for package, place in PLACES.items():
        folder = package.replace(".", separator)
        if name == folder or name.startswith(folder + separator):
            return place.replace(".", separator) + name.removeprefix(folder)
    raise ValueError(f"{name} has no place in the package squarefield")
