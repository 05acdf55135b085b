"""The documents in `docs/` that the site shows: which there are, and what each of them says."""

import posixpath
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext_noop

from engines.rules.registry import RULESETS
from frontend.documents.markdown import Text, read

DOCS: Final = Path(settings.BASE_DIR) / "docs"
# The order in which they are listed; what is not named here comes after them.
_GROUPS: Final = (
    (gettext_noop("For authors of bots"), ("write-a-bot", "bot-protocol", "sandbox", "reference-bots", "play", "rate")),
    (gettext_noop("For players and organisers"), ("ladders", "events", "ratings")),
    (gettext_noop("For programs"), ("api", "webhooks")),
    (gettext_noop("For operators"), ("operations", "reliability", "security", "benchmarks")),
    (gettext_noop("How it is made"), ("glossary", "architecture", "languages")),
)
_DECISIONS: Final = "decisions"
_ELSEWHERE: Final = re.compile(r"[a-z][a-z0-9+.-]*:|//|#|/", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Document:
    """A document by its name (`sandbox`, `decisions/0003-dispatch`), the page that shows it, and its text."""

    name: str
    address: str
    text: Text


def find(name: str) -> Document | None:
    """The document of that name; None if there is none."""
    path = DOCS / f"{name}.md"
    if name not in _names():
        return None
    return Document(name, _address(name), _read(f"{name}.md", path.stat().st_mtime_ns))


def rules(slug: str) -> Text:
    """What a registered ruleset's rules are; what it says about itself until its page is written."""
    name, ruleset = f"rules/{slug}.md", RULESETS[slug]
    if not (DOCS / name).exists():
        return read(f"# {ruleset.name}\n\nDesigned by {ruleset.designer}. {ruleset.summary}\n", lambda link: link)
    return _read(name, (DOCS / name).stat().st_mtime_ns)


def groups() -> list[tuple[str, list[Document]]]:
    """All documents under the headings of the contents page, which are in English: what links to them is, too."""
    names = _names()
    listed = {name for _, group in _GROUPS for name in group}
    decisions = [name for name in names if name.startswith(f"{_DECISIONS}/")]
    more = [name for name in names if name not in listed and name not in decisions]
    found = [*_GROUPS, (gettext_noop("More"), tuple(more)), (gettext_noop("Decisions"), tuple(decisions))]
    shown = [(title, [document for name in group if (document := find(name))]) for title, group in found]
    return [(title, documents) for title, documents in shown if documents]


def _names() -> list[str]:
    return sorted(path.relative_to(DOCS).with_suffix("").as_posix()
                  for directory in (DOCS, DOCS / _DECISIONS) for path in directory.glob("*.md"))


def _address(name: str) -> str:
    return reverse("decision", args=[name.partition("/")[2]]) if "/" in name else reverse("document", args=[name])


# By when the file was changed, so that an author sees what he writes.
@lru_cache(maxsize=200)
def _read(name: str, changed: int) -> Text:  # noqa: ARG001 — a key of the cache
    return read((DOCS / name).read_text(encoding="utf-8"), lambda link: resolve(name, link))


def resolve(name: str, link: str) -> str | None:
    """Where a link in the file of that name leads on the site; None for a file that the site has no page of."""
    if _ELSEWHERE.match(link):
        return link
    path, mark, fragment = link.partition("#")
    target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
    address = _page_of(target)
    return None if address is None else f"{address}{mark}{fragment}"


def _page_of(target: str) -> str | None:
    pages = {"rules": reverse("rules"), "openapi.yaml": reverse("schema"), ".": reverse("documents"),
             _DECISIONS: f"{reverse('documents')}#{_DECISIONS}"}
    if target in pages:
        return pages[target]
    name, suffix = posixpath.splitext(target)
    if suffix != ".md":
        return None
    if name in _names():
        return _address(name)
    slug = name.removeprefix("rules/")
    return reverse("rule", args=[slug]) if slug != name and slug in RULESETS else None
