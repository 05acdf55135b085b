"""The Markdown files that readers get, and the parts of them that tests check."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT: Final = Path(__file__).resolve().parents[2]
PAGES: Final = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
                *sorted((ROOT / "docs").rglob("*.md"))]
# Decisions and the changelog name what existed at their time.
TODAY: Final = [page for page in PAGES if page.parent.name != "decisions" and page.name != "CHANGELOG.md"]
_MARKDOWN: Final = MarkdownIt("commonmark").enable("table")


class Block(NamedTuple):
    """A code block: its page, its first line, the word after the fence, and its text."""

    page: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{name_of(self.page)}:{self.line}"


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@cache
def tokens(page: Path) -> list[Token]:
    return _MARKDOWN.parse(page.read_text(encoding="utf-8"))


def _inline(page: Path) -> Iterator[Token]:
    for token in tokens(page):
        yield from token.children or ()


def links(page: Path) -> list[str]:
    """Return the targets of the page's links and pictures."""
    found = [token.attrs.get("href") or token.attrs.get("src") for token in _inline(page)
             if token.type in {"link_open", "image"}]
    return [str(target) for target in found]


@cache
def anchors(page: Path) -> set[str]:
    """Return the anchors of the page's headings, as GitHub makes them."""
    found: set[str] = set()
    parsed = tokens(page)
    for opening, heading in pairwise(parsed):
        if opening.type != "heading_open":
            continue
        words = "".join(child.content for child in heading.children or ())
        anchor = base = re.sub(r"[^\w -]", "", words.lower()).strip().replace(" ", "-")
        number = 0
        while anchor in found:
            number += 1
            anchor = f"{base}-{number}"
        found.add(anchor)
    return found


def blocks(page: Path) -> list[Block]:
    return [Block(page, token.map[0] + 1, token.info.strip(), token.content) for token in tokens(page)
            if token.type in {"fence", "code_block"} and token.map]


@cache
def code(page: Path) -> list[str]:
    """Return every span and every line of code on the page; lines that end in a backslash are joined."""
    spans = [token.content for token in _inline(page) if token.type == "code_inline"]
    lines = [line for block in blocks(page) for line in re.sub(r"\\\n\s*", " ", block.text).splitlines()]
    return spans + lines
