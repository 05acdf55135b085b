"""Keys that the site issues: their generation, and the patterns by which the log masks them."""

import re
import secrets
import string
from dataclasses import dataclass
from typing import Final

_PLAIN: Final = string.ascii_letters + string.digits
_URL_SAFE: Final = _PLAIN + "-_"


@dataclass(frozen=True, slots=True)
class Key:
    """Kind of key: `length` characters of `alphabet` after the prefix. Lists and logs may show the first `shown`."""

    alphabet: str
    length: int
    shown: int
    prefix: str = ""

    def make(self) -> str:
        """Return a new random key."""
        return self.prefix + "".join(secrets.choice(self.alphabet) for _ in range(self.length))

    def start_of(self, text: str) -> str:
        """Return the part of a key of this kind that may be shown."""
        return text[:len(self.prefix) + self.shown]

    def pattern(self, before: str = "") -> str:
        """Return a regular expression for the visible part of a key after `before`."""
        return f"{before}{re.escape(self.prefix)}[{re.escape(self.alphabet)}]{{{self.shown}}}"


# Secret scanners recognise these two by their prefixes.
TOKEN: Final = Key(_PLAIN, length=40, shown=6, prefix="sqf_")
WEBHOOK: Final = Key(_URL_SAFE, length=43, shown=2, prefix="whsec_")
# Token in the URL of a question, casual game or personal feed: 132 bits. Older tokens are shorter and still valid.
LINK: Final = Key(_URL_SAFE, length=22, shown=4)

# The last two are allauth's links to reset a password and to confirm an address.
_SHOWN: Final = "|".join([
    TOKEN.pattern(), WEBHOOK.pattern(), LINK.pattern("/(?:questions|casual-games|play/games|news)/"), "/unsubscribe/",
    r"/password/reset/key/\w+-", "/confirm-email/"])
# The rest matches the characters of any kind, so that keys of another length or alphabet are masked, too.
_KEYS: Final = re.compile(f"({_SHOWN})[{re.escape(_URL_SAFE)}:]+")


def masked(text: str) -> str:
    """Return the text with its keys masked; enough of each is left to identify it."""
    return _KEYS.sub(r"\1…", text)
