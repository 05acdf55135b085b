"""A pseudo-locale that puts brackets around every translated text, to find the texts that are not marked."""

import re
import subprocess
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from django.apps import apps
from django.conf import settings
from django.db import models

from frontend.templatetags.squarefield import visible

CATALOGUE: Final = Path(settings.BASE_DIR) / "frontend/locale/de/LC_MESSAGES/django.po"
OPENS, CLOSES = "⟦⟧"
# Elements whose content is not prose or must not be translated: names, code, times.
_SILENT: Final = frozenset({"bdi", "code", "pre", "kbd", "script", "style", "textarea", "time"})
_VOID: Final = frozenset({"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})
_READ: Final = ("aria-label", "title", "alt", "placeholder")
_WORD: Final = re.compile(r"[A-Za-z]{3,}")


def make(directory: Path) -> Path:
    """Return a directory of locales whose German is the pseudo-locale."""
    target = directory / "de" / "LC_MESSAGES"
    target.mkdir(parents=True)
    lines = subprocess.run(["msgcat", "--no-wrap", str(CATALOGUE)], check=True, capture_output=True, text=True).stdout
    bracketed = re.sub(r'^(msgstr(?:\[\d\])? )"(.+)"$', rf'\1"{OPENS}\2{CLOSES}"', lines, flags=re.MULTILINE)
    subprocess.run(["msgfmt", "-", "-o", str(target / "django.mo")], check=True, input=bracketed, text=True)
    return directory


def data() -> list[str]:
    """Return the texts that users and the service wrote into the database: names, reasons, addresses."""
    found: set[str] = set()
    for model in apps.get_models():
        for field in model._meta.get_fields():
            if isinstance(field, (models.CharField, models.TextField)) and not field.choices:
                found |= set(model._default_manager.values_list(field.name, flat=True)) - {None}
    return [visible(text) for text in found if _WORD.search(text)]


def pattern_of(known: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern of these texts, longer ones first."""
    return re.compile("|".join(map(re.escape, sorted(known, key=len, reverse=True))))


def unmarked(html: str, *, known: re.Pattern[str]) -> list[str]:
    """Return the texts of a page that are outside of brackets and contain a word that is not in `known`."""
    reader = _Reader()
    reader.feed(html)
    return [text for text in reader.found if _WORD.search(text) and _WORD.search(known.sub("", text))]


class _Reader(HTMLParser):
    """A parser in which brackets may open in one text and close in another, if a sentence contains elements."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._open: list[tuple[str, bool]] = []
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        facts = dict(attrs)
        silent = self._silent or tag in _SILENT or facts.get("lang") == "en"
        if not silent:
            self.found += [_outside(facts[name] or "")[0] for name in _READ if name in facts]
        if tag not in _VOID:
            self._open.append((tag, silent))

    def handle_endtag(self, tag: str) -> None:
        # HTMLParser reports the end of `<img />` too.
        while tag not in _VOID and self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, text: str) -> None:
        if not self._silent:
            outside, self._depth = _outside(text, self._depth)
            self.found.append(outside)

    @property
    def _silent(self) -> bool:
        return bool(self._open) and self._open[-1][1]


def _outside(text: str, depth: int = 0) -> tuple[str, int]:
    """Return a text without its parts in brackets, which may be nested, and the depth at its end."""
    outside = ""
    for sign in text:
        depth += (sign == OPENS) - (sign == CLOSES)
        if depth == 0:
            outside += sign if sign != CLOSES else " "
    return outside.strip(), depth
