"""Formats for numbers, times, names and stones on pages."""

import unicodedata
from datetime import UTC, datetime, timedelta
from typing import Any

from django import template
from django.conf import settings
from django.utils.dateformat import format as format_date
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext

from engines.rules.registry import RULESETS
from frontend.drawing import stones
from frontend.text import core_words, endings, formats, wording
from frontend.text.wording import THIN

register = template.Library()

_UNSHOWN = ("Cc", "Cf", "Zl", "Zp", "Cs", "Co")
_STONE = ('<svg class="stone" viewBox="0 0 20 20" aria-hidden="true">'
          '<circle class="s{}" cx="10" cy="10" r="8.5"></circle>{}</svg>')
_STONES = (_STONE.format(0, ""), _STONE.format(1, '<circle class="ring" cx="10" cy="10" r="4.5"></circle>'))
_SECTIONS = (("watch", _("Watch")), ("games", _("Games")), ("ladders", _("Ladders")), ("bots", _("Bots")),
             ("events", _("Events")))
_MORE_SECTIONS = (("upload", _("Upload")), ("rules", _("Rules")), ("documents", _("Docs")))
_UTC = r" \U\T\C"


@register.simple_tag
def site_name() -> str:
    """The name of this installation."""
    return settings.SITE_NAME


@register.simple_tag
def sections() -> tuple[tuple[str, Promise], ...]:
    """The sections of the navigation: URL names and labels."""
    return _SECTIONS


@register.simple_tag
def more_sections() -> tuple[tuple[str, Promise], ...]:
    """Further sections, which are in a menu on phones."""
    return _MORE_SECTIONS


@register.simple_tag
def stone(seat: int) -> SafeString:
    """The seat's stone, sized like the text next to it."""
    return mark_safe(_STONES[seat])  # noqa: S308 — one of two constants


@register.simple_tag
def seats(slug: str) -> str:
    """The `style` of an element that contains stones of this ruleset. Without it, seats are grey."""
    return stones.seats_of(slug)


@register.filter
def ruleset_name(slug: str) -> str:
    """A ruleset's name as its designer writes it, or its slug if the ruleset was removed."""
    return RULESETS[slug].name if slug in RULESETS else slug


@register.filter
def ruleset_badge(slug: str) -> str:
    """Three letters for a ruleset: its capitals if it has several, or else the beginning of its name."""
    name = ruleset_name(slug)
    capitals = "".join(letter for letter in name if letter.isupper())
    return (capitals if len(capitals) > 1 else name)[:3]


@register.filter
def thin(number: int) -> str:
    """Group thousands with thin spaces: 12 345."""
    return f"{number:,}".replace(",", THIN)


@register.filter
def wins_draws_losses(score: Any) -> str:
    """A score's wins, draws and losses: "12–3–5"."""
    return "–".join(thin(count) for count in (score.wins, score.draws, score.losses))


@register.filter
def seconds(value: float | None) -> str:
    """The time of a turn: 0.37 s."""
    return "" if value is None else f"{wording.decimal(f'{value:.2f}')}{THIN}s"


@register.filter
def duration(value: float | None) -> str:
    """Format a duration in seconds: 40 s, 47 min, 3 h 20 min."""
    if value is None:
        return "–"
    if value < 90:
        return f"{max(1, round(value))}{THIN}s"
    minutes = round(value / 60)
    if minutes < 90:
        return f"{minutes}{THIN}min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours}{THIN}h {minutes}{THIN}min"
    days = round(hours / 24)
    return ngettext("%(days)s day", "%(days)s days", days).replace(" ", THIN) % {"days": days}


@register.filter
def waited(value: timedelta | None) -> str:
    """Format a waiting time: with one decimal below 10 s (0.4 s), otherwise like `duration`."""
    if value is None:
        return "–"
    seconds = value.total_seconds()
    return f"{wording.decimal(f'{seconds:.1f}')}{THIN}s" if seconds < 10 else duration(seconds)


@register.filter
def whole_percent(share: float) -> str:
    """A share from 0 to 1 as a whole percentage without the sign, for a crosstable's cell: 71."""
    return f"{share * 100:.0f}"


@register.filter
def from_half(share: float) -> str:
    """The distance of a score from even, from 0 to 1: the depth of its cell's colour."""
    return f"{abs(share - 0.5) * 2:.2f}"


@register.filter
def moment(value: datetime | None) -> SafeString | str:
    """Format a time as 12 Nov 2026 14:00 UTC, in a machine-readable element."""
    return _time(value, pgettext("date format", "j M Y H:i") + _UTC, clock=True) if value else "–"


@register.filter
def soon(value: datetime | None) -> SafeString | str:
    """Format a time that is at most days away, so without the year: 12 Nov 14:00 UTC."""
    return _time(value, pgettext("date format", "j M H:i") + _UTC, clock=True) if value else "–"


@register.filter
def day(value: datetime | None) -> SafeString | str:
    """Format a date: 12 Nov 2026."""
    return _time(value, pgettext("date format", "j M Y")) if value else "–"


def _time(value: datetime, written: str, *, clock: bool = False) -> SafeString:
    """The element. With `clock`, the page's script rewrites it in the reader's time zone."""
    machine = value.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    element = '<time datetime="{}" data-clock>{}</time>' if clock else '<time datetime="{}">{}</time>'
    return format_html(element, machine, format_date(value, written))


@register.filter
def visible(text: object) -> str:
    """Untrusted text with control characters and direction marks written as code points. Line breaks and tabs stay."""
    return "".join(_shown(character) for character in str(text))


def _shown(character: str) -> str:
    code = ord(character)
    # The last two code points of each plane are not characters, and XML cannot represent them.
    if character in "\n\t" or (code & 0xFFFE != 0xFFFE and unicodedata.category(character) not in _UNSHOWN):
        return character
    return f"⟨U+{code:04X}⟩"


@register.filter
def spaced(turn: str) -> str:
    """Separate a turn's cells with spaces, so that long turns wrap: c1 g2 a3."""
    return turn.replace(",", " ")


register.filter("ending", endings.ending)
register.filter("ending_words", endings.ending_words)
register.filter("recurrence", wording.recurrence)
register.filter("time_control", wording.time_control)
register.filter("status_word", wording.status)
register.filter("fault_word", endings.fault)
register.filter("match_status", wording.match_status)
register.filter("match_kind", wording.match_kind)
register.filter("percent", wording.percent)
register.filter("colour_word", core_words.translated)
register.filter("spoken", core_words.translated)
register.filter("round_label", core_words.round_label)
register.filter("place_word", wording.place)
register.filter("role_word", wording.role)
register.filter("format_word", formats.word)
