"""Which words of this site's own make a password no harder to guess (docs/security.md lists them)."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from engines.rules.registry import RULESETS

# Beside the site's name, and the slugs and names of its rulesets.
WORDS: Final = (
    "squarefield", "square", "field", "hexagon", "board", "game", "games", "player", "stone", "tournament",
    "tournaments", "ladder", "match", "round", "robin", "swiss", "knockout", "gauntlet", "event", "rating",
    "opening", "casual", "robot", "bots", "engine", "version", "submission", "upload", "archive", "worker",
    "coordinator", "organiser", "organizer", "author", "captain", "team", "staff", "admin", "administrator", "root",
    "visitor", "account", "login", "password", "passwort", "secret", "token", "welcome", "changeme", "default",
    "test",
)
# A shorter word is part of too many others.
SHORTEST: Final = 4
LETTERS_LEFT: Final = 8
# What people write for a letter.
_FOR_LETTERS: Final = (str.maketrans("013457@$", "oieastas"), str.maketrans("013457@$", "oleastas"))


class OwnWordsValidator:
    """Refuses a password of the site's own words: without them it has to have eight letters or digits.

    Of capitals, of digits for letters and of what stands between letters it makes nothing. A password without any of
    these words is none of its business.
    """

    def validate(self, password: str, user: Any = None) -> None:
        """Raise ValidationError, which names a word."""
        for found, left in _without_words(password):
            if found and left < LETTERS_LEFT:
                raise ValidationError(
                    gettext("This password is little more than words of this site, such as “%(word)s”, which are tried "
                            "first."), code="password_of_own_words", params={"word": found[0]})

    def get_help_text(self) -> str:
        return gettext("Your password can’t be made of words of this site, such as its name or a game’s.")


def _without_words(password: str) -> Iterator[tuple[list[str], int]]:
    """For each way to read it, which words are in it, and how many letters and digits beside them."""
    plain = unicodedata.normalize("NFKC", password).casefold()
    for letters in _FOR_LETTERS:
        read = "".join(char for char in plain.translate(letters) if char.isalnum())
        found = _pattern(settings.SITE_NAME).findall(read)
        yield found, len(read) - sum(map(len, found))


@cache
def _pattern(site: str) -> re.Pattern[str]:
    named = [site, *WORDS, *RULESETS, *(ruleset.name for ruleset in RULESETS.values())]
    words = {word for name in named for word in (*re.findall(r"[^\W\d_]+", name.casefold()),
                                                 "".join(filter(str.isalnum, name.casefold())))}
    # The longest first: a name before the words that it is made of.
    long = sorted((word for word in words if len(word) >= SHORTEST), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, long)))
