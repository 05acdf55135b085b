"""Inline style sheets: a separate file would delay the first paint by a round trip."""

import re
from functools import lru_cache
from pathlib import Path
from typing import Final

from django import template
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

_SHEETS: Final = Path(__file__).resolve().parents[1] / "static" / "frontend"
_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_SPACE: Final = re.compile(r"\s*([{};,])\s*")
_FILE: Final = re.compile(r'url\("\.\./([^"]+)"\)')


@register.simple_tag(takes_context=True)
def style(context: template.Context, name: str) -> SafeString:
    """The style sheet of this name, inline, with the request's nonce."""
    nonce = context["request"].csp_nonce
    path = _SHEETS / f"{name}.css"
    return format_html('<style nonce="{}">{}</style>', nonce, _squeezed(path, path.stat().st_mtime_ns))


@lru_cache(maxsize=16)
def _squeezed(path: Path, _changed: int) -> SafeString:
    text = _SPACE.sub(r"\1", _COMMENT.sub("", path.read_text(encoding="utf-8")))
    return mark_safe(_FILE.sub(lambda found: f'url("{static(found[1])}")', text))  # noqa: S308 — one of our own files
