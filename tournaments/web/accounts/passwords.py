"""Password validator that discounts words of this site, which attackers try first.

docs/explanation/security.md lists them.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from engines.rules.registry import RULESETS

# In addition to the site's name and the slugs and names of its rulesets.
WORDS: Final = (
    "squarefield", "square", "field", "hexagon", "board", "game", "games", "player", "stone", "tournament",
    "tournaments", "ladder", "match", "round", "robin", "swiss", "knockout", "gauntlet", "event", "rating",
    "opening", "casual", "robot", "bots", "engine", "version", "submission", "upload", "archive", "worker",
    "coordinator", "organiser", "organizer", "author", "captain", "team", "staff", "admin", "administrator", "root",
    "visitor", "account", "login", "password", "passwort", "secret", "token", "welcome", "changeme", "default",
    "test",
)
# Shorter words are parts of too many others.
SHORTEST: Final = 4
LETTERS_LEFT: Final = 8
# Characters that people substitute for letters.
_FOR_LETTERS: Final = (str.maketrans("013457@$", "oieastas"), str.maketrans("013457@$", "oleastas"))


class OwnWordsValidator:
    """Validator that requires eight letters or digits beyond the site's own words.

    It ignores case, digits that replace letters, and characters between letters. It accepts every password without any
    of these words.
    """

    def validate(self, password: str, user: Any = None) -> None:
        """Raise ValidationError, naming one of the words."""
        for found, left in _without_words(password):
            if found and left < LETTERS_LEFT:
                raise ValidationError(
                    gettext("This password consists mostly of words from this site, such as “%(word)s”, which "
                            "attackers try first. Add other "
                            "words."), code="password_of_own_words", params={"word": found[0]})

    def get_help_text(self) -> str:
        return gettext("Your password can’t consist mostly of words from this site, such as its name or the name of a "
                       "game.")


def _without_words(password: str) -> Iterator[tuple[list[str], int]]:
    """Yield, for each reading of the password, the words in it, and the number of other letters and digits."""
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
    # The longest first, so that a name matches before the words in it.
    long = sorted((word for word in words if len(word) >= SHORTEST), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, long)))
