"""The pages about the Python library in docs/reference/library: one per public module, made from its docstrings."""

from importlib import import_module
from typing import Final

from engines.layout import renamed
from frontend.documents.absent import without
from frontend.documents.docstrings import page
from frontend.documents.library import DOCS

DIRECTORY: Final = DOCS / "reference" / "library"
# The modules of the checkout, by their names in the package.
MODULES: Final = {
    "squarefield": "tournaments.library",
    "squarefield.rulesets": "tournaments.library.rulesets",
    "squarefield.referee": "tournaments.library.referee",
    "squarefield.records": "tournaments.library.records",
    "squarefield.ratings": "tournaments.library.ratings",
    "squarefield.sdk": "tournaments.library.sdk",
    "squarefield.env": "engines.env",
    "squarefield.native": "engines.native",
}
# Modules for other libraries, which need not be installed to describe them.
WRAPPERS: Final = {
    "squarefield.env.gym": "engines.env.gym",
    "squarefield.env.zoo": "engines.env.zoo",
    "squarefield.env.spiel": "engines.env.spiel",
}


def pages() -> dict[str, str]:
    """Return the text of each page by its file name, such as `squarefield-ratings.md`."""
    with without(("gymnasium", "pettingzoo", "pyspiel"), WRAPPERS.values()):
        return {f"{public.replace('.', '-')}.md": renamed(page(import_module(module), public), public)
                for public, module in {**MODULES, **WRAPPERS}.items()}
