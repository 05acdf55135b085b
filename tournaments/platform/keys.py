"""The keys that the site makes and hands out: how each is made, and by which pattern the log knows and masks it."""

import re
import secrets
import string
from dataclasses import dataclass
from typing import Final

_PLAIN: Final = string.ascii_letters + string.digits
_URL_SAFE: Final = _PLAIN + "-_"


@dataclass(frozen=True, slots=True)
class Key:
    """A kind of keys: `length` characters of `alphabet` after the prefix. Lists and logs may show the first `shown`."""

    alphabet: str
    length: int
    shown: int
    prefix: str = ""

    def make(self) -> str:
        """A new key, at random."""
        return self.prefix + "".join(secrets.choice(self.alphabet) for _ in range(self.length))

    def start_of(self, text: str) -> str:
        """The part of a key of this kind that may be shown."""
        return text[:len(self.prefix) + self.shown]

    def pattern(self, before: str = "") -> str:
        """A regular expression of what is shown of a key that comes after `before`."""
        return f"{before}{re.escape(self.prefix)}[{re.escape(self.alphabet)}]{{{self.shown}}}"


# Programs that look for secrets where none should be know these two by their prefixes.
TOKEN: Final = Key(_PLAIN, length=40, shown=6, prefix="sqf_")
WEBHOOK: Final = Key(_URL_SAFE, length=43, shown=2, prefix="whsec_")
# The place of a question or casual game: 132 bits. Older ones are shorter, and go on working.
LINK: Final = Key(_URL_SAFE, length=22, shown=4)

# The last two are allauth's: the links that reset a password and confirm an address.
_SHOWN: Final = "|".join([
    TOKEN.pattern(), WEBHOOK.pattern(), LINK.pattern("/(?:questions|casual-games|play/games)/"),
    r"/password/reset/key/\w+-", "/confirm-email/"])
# The rest of a key is whatever any kind may have in it, so that a key of another length or alphabet goes as well.
_KEYS: Final = re.compile(f"({_SHOWN})[{re.escape(_URL_SAFE)}:]+")


def masked(text: str) -> str:
    """The text without its keys: enough of each is left to know it by."""
    return _KEYS.sub(r"\1…", text)
