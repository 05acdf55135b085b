"""A strict HTML parser that checks a page and finds untrusted text that became markup."""

import re
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from typing import Final

from tests.frontend.untrusted import FROM_RIGHT, MARKER, UNSHOWN

VOID: Final = frozenset({"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})
# Elements that isolate right-to-left text from the text around them.
APART: Final = frozenset({"bdi", "option", "pre", "textarea", "title", "script"})
# Elements that isolate it if they contain nothing else.
BLOCKS: Final = frozenset({"p", "td", "th", "li", "dd", "label", "div", "h1"})
# Elements that may show invisible characters: names stored without validation, and input repeated in a form.
RAW: Final = frozenset({"bdi", "option", "textarea", "input[value]"})
LINKS: Final = frozenset({"href", "src", "action", "formaction"})
SCHEMES: Final = ("/", "?", "#", "http://", "https://", "mailto:", "data:image/", "otpauth://totp/")


# What other sites show of a linked page.
HEADS: Final = ("description", "og:site_name", "og:type", "og:title", "og:description", "og:url")


def head_of(html: str) -> dict[str, str]:
    """Return a page's title and the content of each `meta` element."""
    text = html.partition("</head>")[0]
    found = dict(re.findall(r'<meta (?:name|property)="([^"]+)"\s+content="([^"]*)"', text))
    title = re.search("<title>(.*?)</title>", text, re.DOTALL)
    assert title is not None
    return {name: unescape(words) for name, words in {"title": title[1], **found}.items()}


@dataclass
class Form:
    """A form as a browser sends it unchanged; `texts` are the fields that accept any text."""

    action: str
    posts: bool
    fields: dict[str, str] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)


@dataclass
class _Element:
    tag: str
    apart: bool
    pieces: list[str] = field(default_factory=list)


class Page(HTMLParser):
    """A parsed page; `faults` lists mismatched tags, texts that became markup, and texts that reorder others."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.forms: list[Form] = []
        self._open = [_Element("document", apart=False)]
        self.feed(html)
        self.close()
        self._check("never closed" if len(self._open) > 1 else "", wrong=len(self._open) > 1)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        facts = dict(attrs)
        self._check(f"<{tag}> has an attribute twice", wrong=len(facts) < len(attrs))
        self._check(f"a text became markup: <{tag} {facts}>", wrong=MARKER in tag or any(
            MARKER in name or name.startswith("on") or not re.fullmatch("[a-z][a-z0-9:-]*", name) for name in facts))
        self._check("an unexpected script", wrong=tag == "script" and not (
            facts.get("nonce") or facts.get("src") or "json" in (facts.get("type") or "")))
        for name, value in facts.items():
            self._check_visible(f"{tag}[{name}]", value or "")
            self._check(f"{tag}[{name}] leads to {value!r}",
                       wrong=name in LINKS and bool(value) and not str(value).startswith(SCHEMES))
        self._note_field(tag, facts)
        if tag not in VOID:
            self._open[-1].pieces.append(f"<{tag}>")
            # An error message is a sentence of its own.
            apart = tag in APART or "dir" in facts or "errorlist" in (facts.get("class") or "")
            self._open.append(_Element(tag, self._open[-1].apart or apart))

    def _note_field(self, tag: str, facts: dict[str, str | None]) -> None:
        if tag == "form":
            self.forms.append(Form(facts.get("action") or "", facts.get("method") == "post"))
        name, kind = facts.get("name"), facts.get("type") or ("text" if tag in ("input", "textarea") else tag)
        if not name or not self.forms or kind in ("meta", "file", "select", "iframe"):
            return
        if kind not in ("checkbox", "radio", "hidden", "button", "submit"):
            self.forms[-1].texts.append(name)
        if kind not in ("checkbox", "radio") or "checked" in facts:
            self.forms[-1].fields[name] = facts.get("value") or ("on" if "checked" in facts else "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        element = self._open[-1]
        if element.tag != tag:
            self._check(f"</{tag}> closes nothing", wrong=True)
            return
        if not element.apart:
            self._check_alone(element)
        self._open.pop()

    def handle_data(self, data: str) -> None:
        self._check_visible(self._open[-1].tag, data)
        if data.strip():
            self._open[-1].pieces.append(data.strip())

    def _check_alone(self, element: _Element) -> None:
        """Check that right-to-left text is alone in its block."""
        for text in element.pieces:
            alone = element.tag in BLOCKS and len(element.pieces) == 1 and text.startswith(FROM_RIGHT)
            self._check(f"not isolated: {text[:80]!r}", wrong=FROM_RIGHT in text and not alone)

    def _check_visible(self, where: str, text: str) -> None:
        found = sorted(map(ascii, UNSHOWN & set(text)))
        self._check(f"{where} has {found}: {text[:60]!r}", wrong=bool(found) and where not in RAW)

    def _check(self, words: str, *, wrong: bool) -> None:
        if wrong:
            place = " > ".join(element.tag for element in self._open[-5:])
            self.faults.append(f"line {self.getpos()[0]}, {place}: {words}")
