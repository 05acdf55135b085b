"""Convert the repository's own Markdown to the parts of a page. HTML in the source is escaped."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

# Maps a link in the text to an address on the site, or to None if the site has no such page.
Resolve = Callable[[str], str | None]
# Maps a picture in the text to its width and height in pixels, or to None if they are unknown.
Measure = Callable[[str], tuple[int, int] | None]


@dataclass(frozen=True, slots=True)
class Heading:
    """An entry of the table of contents, and the anchor that it links to."""

    anchor: str
    title: str


@dataclass(frozen=True, slots=True)
class Section:
    """A second-level heading with the text below it; `below` lists its third-level headings."""

    heading: Heading
    html: SafeString
    below: tuple[Heading, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """A document: its title, its first sentence as plain text, the text before the first section, and the sections."""

    title: str
    summary: str
    lead: SafeString
    sections: tuple[Section, ...]


class _Renderer(RendererHTML):
    """Puts wide content in scrolling, keyboard-accessible boxes, and gives headings links to themselves."""

    def table_open(self, tokens: Sequence[Token], index: int, *_: Any) -> str:
        label = tokens[index].meta.get("label", "Table")
        return format_html('<div class="scroll" role="region" aria-label="{}" tabindex="0"><table>', label)

    def table_close(self, *_: Any) -> str:
        return "</table></div>"

    def th_open(self, *_: Any) -> str:
        return '<th scope="col">'

    def td_open(self, *_: Any) -> str:
        return '<td class="words">'

    def code_block(self, tokens: Sequence[Token], index: int, *_: Any) -> str:
        return format_html('<pre class="code" tabindex="0"><code>{}</code></pre>\n', tokens[index].content.rstrip("\n"))

    def fence(self, tokens: Sequence[Token], index: int, *_: Any) -> str:
        return self.code_block(tokens, index)

    def heading_close(self, tokens: Sequence[Token], index: int, *_: Any) -> str:
        anchor = tokens[index].meta.get("anchor")
        link = ' <a class="anchor" href="#{}" aria-label="Link to this section">#</a>'
        return f"{format_html(link, anchor) if anchor else ''}</{tokens[index].tag}>\n"


_PARSER: Final = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer).enable("table")


def read(source: str, resolve: Resolve, measure: Measure = lambda _: None) -> Text:
    """The parts of a document. Links for which `resolve` returns None are replaced by their text."""
    tokens = list(_without_empty_heads(_PARSER.parse(source)))
    for token in tokens:
        _resolve_links(token, resolve, measure)
    headings = _name(tokens)
    _label_tables(tokens)
    starts = [index for index, token in enumerate(tokens) if token.type == "heading_open" and token.tag == "h2"]
    # The title's three tokens come first.
    body = 3 if tokens and tokens[0].tag == "h1" else 0
    lead = tokens[body:starts[0] if starts else None]
    sections = []
    for start, end in pairwise([*starts, None]):
        part = tokens[start:end]
        below = tuple(headings[id(token)] for token in part if token.type == "heading_open" and token.tag == "h3")
        sections.append(Section(headings[id(tokens[start])], _html(part), below))
    return Text(title=_plain(tokens[1]) if body else "", summary=_summary(lead), lead=_html(lead),
                sections=tuple(sections))


def _html(tokens: Sequence[Token]) -> SafeString:
    return mark_safe(_PARSER.renderer.render(tokens, _PARSER.options, {}))  # noqa: S308 — rendered with HTML disabled


def _without_empty_heads(tokens: Sequence[Token]) -> Iterator[Token]:
    """Drop empty table heads: Markdown requires a head, a page does not."""
    held: list[Token] = []
    for token in tokens:
        if held or token.type == "thead_open":
            held.append(token)
        else:
            yield token
        if token.type == "thead_close":
            yield from held if any(each.content for each in held) else ()
            held = []


def _name(tokens: Sequence[Token]) -> dict[int, Heading]:
    """Give each heading below the title a unique anchor. The headings are returned by `id()` of their opening token."""
    found: dict[int, Heading] = {}
    taken: set[str] = set()
    for index, token in enumerate(tokens):
        if token.type != "heading_open" or token.tag == "h1":
            continue
        title = _plain(tokens[index + 1])
        anchor = base = slugify(title) or "section"
        number = 1
        while anchor in taken:
            number += 1
            anchor = f"{base}-{number}"
        taken.add(anchor)
        token.attrSet("id", anchor)
        tokens[index + 2].meta["anchor"] = anchor
        found[id(token)] = Heading(anchor, title)
    return found


def _label_tables(tokens: Sequence[Token]) -> None:
    """Name each table's region after the heading above it: screen readers list regions by name."""
    heading, number = "", 0
    for index, token in enumerate(tokens):
        if token.type == "heading_open":
            heading, number = _plain(tokens[index + 1]), 0
        elif token.type == "table_open":
            number += 1
            token.meta["label"] = f"Table {number}: {heading}"


def _resolve_links(token: Token, resolve: Resolve, measure: Measure) -> None:
    left: list[Token] = []
    dropped = 0
    for child in token.children or ():
        if child.type == "image":
            address = resolve(str(child.attrs["src"]))
            if address is None:
                left.append(Token("text", "", 0, content=child.content))
                continue
            # The browser keeps the room of a picture that has not come yet, so that the text below does not move.
            child.attrs |= dict(zip(("width", "height"), measure(str(child.attrs["src"])) or (), strict=False))
            child.attrSet("src", address)
            child.attrSet("loading", "lazy")
        if child.type == "link_open":
            address = resolve(str(child.attrs["href"]))
            if address is None:
                dropped += 1
                continue
            child.attrSet("href", address)
        elif child.type == "link_close" and dropped:
            dropped -= 1
            continue
        left.append(child)
    if token.children is not None:
        token.children = left


def _plain(inline: Token) -> str:
    return "".join(child.content or " " * (child.type == "softbreak") for child in inline.children or ())


def _summary(lead: Sequence[Token]) -> str:
    """The first sentence of the first paragraph."""
    words = next((_plain(token) for token in lead if token.type == "inline"), "")
    sentence, end, _ = words.partition(". ")
    return sentence + "." if end else words


def fragment(source: str) -> SafeString:
    """Render a few paragraphs, such as a description in the API schema."""
    return _html(_PARSER.parse(source))
