"""The documents in `docs/` that the site shows. `docs/README.md` is their table of contents."""

import posixpath
import re
import struct
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from django.conf import settings
from django.templatetags.static import static
from django.urls import reverse

from engines.rules.registry import RULESETS
from frontend.documents.markdown import Text, read

DOCS: Final = Path(settings.BASE_DIR) / "docs"
_CONTENTS: Final = "README.md"
_DECISIONS: Final = "decisions"
_RULES: Final = "rules"
_PICTURES: Final = "pictures/"
_ELSEWHERE: Final = re.compile(r"[a-z][a-z0-9+.-]*:|//|#|/", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Document:
    """A document by its name (`sandbox`, `decisions/0003-dispatch`), the page that shows it, and its text."""

    name: str
    address: str
    text: Text


def find(name: str) -> Document | None:
    """Return the document with that name, or None."""
    file = files().get(name)
    return None if file is None else Document(name, _address(name), _text(file))


def rules(slug: str) -> Text:
    """Return a registered ruleset's rules, or its summary while it has no rules page."""
    file, ruleset = f"{_RULES}/{slug}.md", RULESETS[slug]
    if not (DOCS / file).exists():
        return read(f"# {ruleset.name}\n\nDesigned by {ruleset.designer}. {ruleset.summary}\n", lambda link: link)
    return _text(file)


def contents() -> Text:
    """Return `docs/README.md`: the documents by purpose and reader."""
    return _text(_CONTENTS)


def files() -> dict[str, str]:
    """Return the file of each document by its name: the file's name, so that a page may move without a new address."""
    files = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
    return {_name(file): file for file in files if file != _CONTENTS and not file.startswith(f"{_RULES}/")}


def _name(file: str) -> str:
    stem = posixpath.splitext(posixpath.basename(file))[0]
    return f"{_DECISIONS}/{stem}" if file.startswith(f"{_DECISIONS}/") else stem


def _address(name: str) -> str:
    return reverse("decision", args=[name.partition("/")[2]]) if "/" in name else reverse("document", args=[name])


def _text(file: str) -> Text:
    return _read(file, (DOCS / file).stat().st_mtime_ns)


# The time of the last change is part of the key, so that authors see their edits.
@lru_cache(maxsize=200)
def _read(file: str, changed: int) -> Text:  # noqa: ARG001 — a key of the cache
    return read((DOCS / file).read_text(encoding="utf-8"), lambda link: resolve(file, link),
                lambda link: _size(DOCS / _target(file, link)))


def _size(picture: Path) -> tuple[int, int] | None:
    """Return the width and height that stand in the head of a PNG file."""
    head = picture.read_bytes()[:24] if picture.suffix == ".png" and picture.is_file() else b""
    return struct.unpack(">II", head[16:]) if len(head) == 24 else None


def resolve(file: str, link: str) -> str | None:
    """Return the site's address for a link or picture in that file; None if the site has no such page."""
    if _ELSEWHERE.match(link):
        return link
    path, mark, fragment = link.partition("#")
    address = _page_of(_target(file, path))
    return None if address is None else f"{address}{mark}{fragment}"


def _target(file: str, path: str) -> str:
    """Return the path within `docs/` of what a file names by a path relative to itself."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(file), path))


def _page_of(target: str) -> str | None:
    pages = {_RULES: reverse("rules"), "openapi.yaml": reverse("schema"), ".": reverse("documents"),
             _CONTENTS: reverse("documents"), _DECISIONS: f"{reverse('documents')}#{_DECISIONS}"}
    if target in pages:
        return pages[target]
    if target.startswith(_PICTURES) and (DOCS / target).is_file():
        return static(f"docs/{target.removeprefix(_PICTURES)}")
    if not target.endswith(".md") or not (DOCS / target).is_file():
        return None
    if target.startswith(f"{_RULES}/"):
        slug = _name(target)
        return reverse("rule", args=[slug]) if slug in RULESETS else None
    return _address(_name(target))
