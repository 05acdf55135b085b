"""Imports of `squarefield` from a checkout, for an editable install: each module is renamed when it is imported.

The names are those of engines/layout.py. Python runs this at its start, so it imports nothing else before a module of
`squarefield` is asked for.
"""

import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final

CHECKOUT: Final = Path(__file__).resolve().parents[3]
_CORE: Final = "squarefield._core"


class CheckoutLoader(SourceFileLoader):
    """Loads a module of the checkout under its public name. It caches nothing: the checkout has its own cache."""

    def get_code(self, fullname: str) -> CodeType:
        name = Path(self.path).relative_to(CHECKOUT).as_posix()
        return compile(_layout().placed_text(Path(self.path).read_text(encoding="utf-8"), name), self.path, "exec",
                       dont_inherit=True)


class CheckoutFinder(MetaPathFinder):
    """Finds `squarefield` and its modules in the checkout."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return the module's place, or None for other modules, such as the native engine."""
        if fullname != "squarefield" and not fullname.startswith("squarefield."):
            return None
        if fullname == _CORE:
            return ModuleSpec(_CORE, None, is_package=True)
        place = CHECKOUT / _layout().source_of(fullname).replace(".", "/")
        for file, folders in ((place / "__init__.py", [str(place)]), (place.with_name(f"{place.name}.py"), None)):
            if file.is_file():
                return spec_from_file_location(fullname, file, loader=CheckoutLoader(fullname, str(file)),
                                               submodule_search_locations=folders)
        return None


def install() -> None:
    """Let this Python import `squarefield` from the checkout."""
    sys.meta_path.insert(0, CheckoutFinder())


def _layout() -> ModuleType:
    """Return engines/layout.py as a module of its own, so that nothing else named `engines` is touched."""
    name = "_squarefield_layout"
    if name not in sys.modules:
        spec = spec_from_file_location(name, CHECKOUT / "engines/layout.py")
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules[name] = module
    return sys.modules[name]
