"""The worst untrusted texts that each kind of field accepts."""

from typing import Final

# An element and an attribute in no template: if a page contains one, untrusted text became markup.
MARKER: Final = "evil-x"
MARKUP: Final = f"\"'><{MARKER} {MARKER}=1>{{{{7*7}}}}{{% raw %}}"
SCRIPT: Final = "</script><script>evil()</script>&lt;--"
# A letter of a right-to-left script: an element that contains it must isolate it from the text next to it.
FROM_RIGHT: Final = "ש"
# Printable, each with a letter or digit for its slug, and as long as a bot's name may be.
NAMES: Final = (
    MARKUP,
    SCRIPT,
    f"{FROM_RIGHT * 18} abc 1+1 {FROM_RIGHT * 12}",
    "W" * 40,
    "Z" + "\u0363\u0489\u20dd" * 13,
    "\ufdfd" * 39 + "1",
    '=HYPERLINK("http://evil.example/?x","y")',
    "[x](javascript:evil)![x](y) **b** `c` :x",
)
# Refused in names; most are accepted in free texts, and all in a bot's output.
CONTROLS: Final = ("\x1b[2J\x1b]0;evil\x07\x08\x7f\x85\u202e\u2066\u200f\u200b\u2028\u2029\ufeff\ufffe\uffff"
                   "\U000e0041\U0001ffff\r\nSet-Cookie: evil=1\r\n\r\n")
UNSHOWN: Final = frozenset(CONTROLS) - {"\r", "\n", *map(chr, range(32, 127))}


def free(limit: int) -> str:
    """Return a text of this many characters with all of these in it, mostly without line-break opportunities."""
    return (FROM_RIGHT * 3 + CONTROLS + MARKUP + SCRIPT + "".join(NAMES) + "]]>--><!--" + "W" * limit)[:limit]


def output(size: int) -> bytes:
    """Return output of a bot: bytes that are not text, and NULs."""
    return (b"\x00\xff\xfe\xed\xa0\x80" + free(size).encode())[:size]
